/* rscale-test
 * verdict: clean
 * scope: all
 * flags: -mavx2
 * outcomes: 0:"1 2 1 2 1 2 1 2, 7 0 0 0, 0 9 3 9\n" 0:"1 2 1 2 1 2 1 2, 8 0 0 0, 0 9 3 9\n" 0:"1 2 1 2 1 2 1 2, 7 0 0 0, 5 9 3 9\n" 0:"1 2 1 2 1 2 1 2, 8 0 0 0, 5 9 3 9\n"
 *
 * Lanes that are not chosen are not accessed: neither is what lies there lost or looked at, nor need it be there. The
 * registers of a gather are what they would be.
 */
#include <immintrin.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>

static int pairs[8] __attribute__((aligned(32)));
static int table[8] = {0, 1, 2, 3, 4, 5, 6, 7};
static int *last;

static void *odd(void *unused)
{
    _mm256_maskstore_epi32(pairs, _mm256_setr_epi32(0, -1, 0, -1, 0, -1, 0, -1), _mm256_set1_epi32(2));
    *(volatile int *)last = 8;
    *(volatile int *)&table[0] = 5;
    return unused;
}

int main(void)
{
    pthread_t other;
    int edge[4], found[4];
    char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(page + 4096, 4096);
    last = (int *)(page + 4096) - 1;
    *last = 7;
    pthread_create(&other, NULL, odd, NULL);
    _mm256_maskstore_epi32(pairs, _mm256_setr_epi32(-1, 0, -1, 0, -1, 0, -1, 0), _mm256_set1_epi32(1));
    _mm_storeu_si128((__m128i *)edge, _mm_maskload_epi32(last, _mm_setr_epi32(-1, 0, 0, 0)));
    _mm_storeu_si128((__m128i *)found, _mm_mask_i32gather_epi32(_mm_set1_epi32(9), table, _mm_setr_epi32(0, 1, 3, 5),
                                                                _mm_setr_epi32(-1, 0, -1, 0), 4));
    pthread_join(other, NULL);
    printf("%d %d %d %d %d %d %d %d, %d %d %d %d, %d %d %d %d\n", pairs[0], pairs[1], pairs[2], pairs[3], pairs[4],
           pairs[5], pairs[6], pairs[7], edge[0], edge[1], edge[2], edge[3], found[0], found[1], found[2], found[3]);
    return 0;
}
