/* rscale-test
 * verdict: clean
 * outcomes: 0:"0 -1\n" 0:"-1 0\n"
 *
 * Two threads close the same end of a pipe: one of them finds it closed, either of them.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int ends[2];
static int result;

static void *closes(void *unused)
{
    result = close(ends[1]);
    return unused;
}

int main(void)
{
    pthread_t other;
    if (pipe(ends))
        return 1;
    pthread_create(&other, NULL, closes, NULL);
    int own = close(ends[1]);
    pthread_join(other, NULL);
    printf("%d %d\n", own, result);
    return 0;
}
