/* rscale-test
 * verdict: clean
 * outcomes: 0:"0\n" 0:"16\n" 0:"130\n"
 *
 * Whoever tries a robust mutex may find it free, held, or abandoned by a thread that has ended: 0, EBUSY, EOWNERDEAD.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock;

static void *dies(void *unused) {
    pthread_mutex_lock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &attributes);
    pthread_create(&thread, NULL, dies, NULL);
    int found = pthread_mutex_trylock(&lock);
    if (found == 0)
        pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    printf("%d\n", found);
    return 0;
}
