/* rscale-test
 * verdict: clean
 *
 * pthread_self is what create stored, equal to itself and to nobody else.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static pthread_t seen[2];
static pid_t numbers[2];

static void *looks(void *index) {
    seen[(long)index] = pthread_self();
    numbers[(long)index] = gettid();
    assert(getpid() != gettid());
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        assert(pthread_create(&threads[i], NULL, looks, (void *)i) == 0);
    assert(!pthread_equal(threads[0], threads[1]));
    for (int i = 0; i < 2; i++) {
        assert(pthread_join(threads[i], NULL) == 0);
        assert(pthread_equal(seen[i], threads[i]));
        assert(!pthread_equal(seen[i], pthread_self()));
    }
    assert(numbers[0] != numbers[1] && gettid() == getpid());
    return 0;
}
