/* rscale-test
 * verdict: clean
 * runs: none=151 nsb=2
 * executions: none=151 nsb=2
 * outcomes: 0:"ab\n" 0:"ba\n"
 *
 * An adaptive mutex is a normal one to its users. Counted by an independent enumerator.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
static char order[3];
static int length;

static void *append(void *letter) {
    assert(pthread_mutex_lock(&lock) == 0);
    order[length++] = *(char *)letter;
    assert(pthread_mutex_unlock(&lock) == 0);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    char letters[] = "ab";
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, append, &letters[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%s\n", order);
    return 0;
}
