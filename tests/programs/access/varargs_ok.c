/* rscale-test
 * verdict: clean
 * scope: all
 *
 * The addresses are variable arguments; here, under a lock.
 */
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>

static int shared, others[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static __attribute__((noinline)) void add_to_all(int count, ...)
{
    va_list list;
    va_start(list, count);
    while (count-- > 0)
        ++*va_arg(list, int *);
    va_end(list);
}

static void *adds(void *unused)
{
    int local = 0;
    pthread_mutex_lock(&lock);
    add_to_all(8, &local, &local, &local, &local, &local, &local, &local, &shared);
    pthread_mutex_unlock(&lock);
    return local == 7 ? unused : others;
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
