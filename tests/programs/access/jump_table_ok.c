/* rscale-test
 * verdict: clean
 * scope: all
 *
 * The access is behind a jump table; here, under a lock.
 */
#include <assert.h>
#include <pthread.h>

static int shared[8];
static volatile int which = 5;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static __attribute__((noinline)) int step(int which, int value)
{
    switch (which) {
    case 0: return shared[1] + value;
    case 1: return shared[0]--;
    case 2: return shared[3] * value;
    case 3: return shared[2] ^ value;
    case 4: return value;
    case 5: shared[7] = shared[7] + value; return shared[7];
    case 6: return shared[4] = value;
    case 7: return shared[5] - 2;
    default: return -1;
    }
}

static void *adds(void *unused)
{
    pthread_mutex_lock(&lock);
    step(which, 1);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, adds, NULL);
    adds(NULL);
    pthread_join(other, NULL);
    assert(shared[7] == 2);
    return 0;
}
