/* rscale-test
 * verdict: clean
 * outcomes: 0:"made 1\n"
 *
 * A constructor that uses the thread library without waiting, before main: its effects are part of every execution.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock;
static char *text;
static int made;

__attribute__((constructor)) static void make(void) {
    pthread_mutex_init(&lock, NULL);
    pthread_mutex_lock(&lock);
    text = malloc(32);
    snprintf(text, 32, "made %d", ++made);
    pthread_mutex_unlock(&lock);
}

static void *prints(void *unused) {
    pthread_mutex_lock(&lock);
    if (text)
        puts(text);
    free(text);
    text = NULL;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, prints, NULL);
    prints(NULL);
    pthread_join(thread, NULL);
    return 0;
}
