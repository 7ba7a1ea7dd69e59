/* rscale-test
 * verdict: clean
 * executions: none=6 nsb=2
 *
 * Two threads print 200 KiB each in every execution.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *prints(void *unused) {
    pthread_mutex_lock(&lock);
    for (int i = 0; i < 2048; i++)
        printf("%099d\n", i);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, prints, NULL);
    prints(NULL);
    pthread_join(thread, NULL);
    fflush(stdout);
    return 0;
}
