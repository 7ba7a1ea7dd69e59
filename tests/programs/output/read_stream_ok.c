/* rscale-test
 * verdict: clean
 * scope: all
 * outcomes: 0:"ab cd\n" 0:"cd ab\n"
 *
 * Two threads read from one stream: who comes first gets its beginning.
 */
#include <pthread.h>
#include <stdio.h>

static FILE *stream;
static char read[2][8];

static void *reads(void *to)
{
    fgets(to, 3, stream);
    return NULL;
}

int main(void)
{
    pthread_t other;
    static char text[] = "abcd";
    stream = fmemopen(text, 4, "r");
    pthread_create(&other, NULL, reads, read[0]);
    fgets(read[1], 3, stream);
    pthread_join(other, NULL);
    printf("%s %s\n", read[0], read[1]);
    return 0;
}
