/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 * flags: -mavx2
 *
 * Eight numbers are loaded from eight places by one instruction, which promises nothing about when.
 */
#include <assert.h>
#include <immintrin.h>
#include <pthread.h>

static volatile int table[64];

static void *writes(void *unused)
{
    table[8] = 5;
    table[48] = 5;
    return unused;
}

int main(void)
{
    pthread_t other;
    int found[8];
    const __m256i places = _mm256_setr_epi32(0, 8, 16, 24, 32, 40, 48, 56);
    pthread_create(&other, NULL, writes, NULL);
    _mm256_storeu_si256((__m256i *)found, _mm256_i32gather_epi32((const int *)table, places, 4));
    pthread_join(other, NULL);
    assert(found[1] == found[6]);
    return 0;
}
