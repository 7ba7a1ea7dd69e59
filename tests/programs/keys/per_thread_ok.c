/* rscale-test
 * verdict: clean
 * outcomes: 0:"10 20 30\n"
 *
 * Every thread has its own value, NULL at first.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>

static pthread_key_t key;

static void *keeps(void *value) {
    assert(pthread_getspecific(key) == NULL);
    assert(pthread_setspecific(key, value) == 0);
    sched_yield();
    return pthread_getspecific(key);
}

int main(void) {
    pthread_t threads[2];
    void *results[2];
    assert(pthread_key_create(&key, NULL) == 0);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, keeps, (void *)(10 * (i + 1)));
    void *mine = keeps((void *)30);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], &results[i]);
    assert(pthread_key_delete(key) == 0);
    printf("%ld %ld %ld\n", (long)(intptr_t)results[0], (long)(intptr_t)results[1], (long)(intptr_t)mine);
    return 0;
}
