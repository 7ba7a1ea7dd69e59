/* rscale-test
 * verdict: clean
 * scope: all
 *
 * Sixteen bytes are read and written with one instruction.
 */
#include <assert.h>
#include <pthread.h>
#include <emmintrin.h>

static long pair[2] __attribute__((aligned(16)));

static void *changes(void *unused)
{
    *(volatile __m128i *)pair = _mm_set1_epi64x(9);
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
