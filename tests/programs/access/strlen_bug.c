/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * A string grows while its length is taken; the zero behind it moves.
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char text[40] = "ab";

static void *grows(void *unused)
{
    *(volatile char *)&text[2] = 'c';
    *(volatile char *)&text[3] = 'd';
    return unused;
}

int main(void)
{
    pthread_t other;
    size_t length;
    pthread_create(&other, NULL, grows, NULL);
    length = strlen(text);
    pthread_join(other, NULL);
    assert(length == 2 || length == 4);
    return 0;
}
