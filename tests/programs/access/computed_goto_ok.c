/* rscale-test
 * verdict: clean
 * scope: all
 *
 * The accesses are behind computed gotos; here, under a lock.
 */
#include <assert.h>
#include <pthread.h>

static int shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static __attribute__((noinline)) void interpret(const char *program)
{
    static const void *const labels[] = {&&load, &&add, &&store, &&end};
    int accumulator = 0;
    goto *labels[*program - 'a'];
load:
    accumulator = shared;
    goto *labels[*++program - 'a'];
add:
    accumulator++;
    goto *labels[*++program - 'a'];
store:
    shared = accumulator;
    goto *labels[*++program - 'a'];
end:
    return;
}

static void *adds(void *unused)
{
    pthread_mutex_lock(&lock);
    interpret("abcd");
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, adds, NULL);
    adds(NULL);
    pthread_join(other, NULL);
    assert(shared == 2);
    return 0;
}
