/* rscale-test
 * verdict: clean
 * runs: none=1
 *
 * A deleted key calls no destructor and takes no value; a new key starts empty; there is a limit to their number.
 */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>

static pthread_key_t key;

static void never(void *value) {
    assert(value == NULL && value != NULL);
}

static void *worker(void *unused) {
    assert(pthread_setspecific(key, &key) == 0);
    assert(pthread_key_delete(key) == 0);
    assert(pthread_setspecific(key, &key) == EINVAL);
    assert(pthread_getspecific(key) == NULL);
    assert(pthread_key_delete(key) == EINVAL);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_key_t keys[PTHREAD_KEYS_MAX];
    int count = 0, error;
    assert(pthread_key_create(&key, never) == 0);
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, NULL);
    while ((error = pthread_key_create(&keys[count], NULL)) == 0) {
        assert(pthread_getspecific(keys[count]) == NULL);
        assert(++count <= PTHREAD_KEYS_MAX);
    }
    assert(error == EAGAIN && count > 900);
    while (count > 0)
        assert(pthread_key_delete(keys[--count]) == 0);
    assert(pthread_setspecific(PTHREAD_KEYS_MAX + 5, &key) == EINVAL);
    return 0;
}
