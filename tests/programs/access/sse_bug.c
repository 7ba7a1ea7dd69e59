/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * Sixteen bytes are read with one instruction, and written with two.
 */
#include <assert.h>
#include <pthread.h>
#include <emmintrin.h>

static long pair[2] __attribute__((aligned(16)));

static void *changes(void *unused)
{
    *(volatile long *)&pair[0] = 9;
    *(volatile long *)&pair[1] = 9;
    return unused;
}

int main(void)
{
    pthread_t other;
    long seen[2];
    pthread_create(&other, NULL, changes, NULL);
    _mm_storeu_si128((__m128i *)seen, *(volatile __m128i *)pair);
    pthread_join(other, NULL);
    assert(seen[0] == seen[1]);
    return 0;
}
