/* rscale-test
 * verdict: clean
 * flags: -lm
 * options: --invariant meddles --invariant computes
 * outcomes: 0:"2 0 3 77 1000\n"
 *
 * Whatever an invariant does is undone: memory, the heap, errno, locks, floating-point registers and modes, output, time.
 */
#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;
static char *text;
static int evaluations;

int meddles(void)
{
    struct timespec now;
    count += 1000;
    evaluations++;
    errno = EDOM;
    text[0] = 'x';
    char *block = malloc(64);
    strcpy(block, "invariant");
    free(text);
    text = block;
    pthread_mutex_trylock(&mutex);
    printf("evaluated %s\n", text);
    fflush(stdout);
    fputs("evaluated\n", stderr);
    clock_gettime(CLOCK_MONOTONIC, &now);
    srand(5);
    return 1 + (rand() & 1);
}

int computes(void)
{
    volatile double value = count;
    fesetround(FE_UPWARD);
    for (int i = 0; i < 9; i++)
        value = value / 3 + 1;
    return value > 0;
}

static void *work(void *unused)
{
    volatile double third = 1;
    third /= 3;
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
    if (third * 3 != 1 || fegetround() != FE_TONEAREST)
        abort();
    return unused;
}

int main(void)
{
    struct timespec before, after;
    pthread_t one, two;
    text = calloc(1, 8);
    errno = 77;
    clock_gettime(CLOCK_MONOTONIC, &before);
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    clock_gettime(CLOCK_MONOTONIC, &after);
    char *next = malloc(8);
    printf("%d %d %d %d %ld\n", count, text[0] + evaluations, next - text > 0 ? 3 : 4, errno,
           after.tv_nsec - before.tv_nsec);
    free(next);
    return 0;
}
