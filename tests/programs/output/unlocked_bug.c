/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 * levels: -O2
 *
 * A character is written without the lock of a stream, which is code of the program: what another thread prints in the
 * meantime is lost.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static FILE *stream;

static void *prints(void *unused)
{
    fputs("x", stream);
    return unused;
}

int main(void)
{
    pthread_t other;
    char *text;
    size_t length;
    stream = open_memstream(&text, &length);
    fputc('-', stream);
    pthread_create(&other, NULL, prints, NULL);
    putc_unlocked('y', stream);
    pthread_join(other, NULL);
    fclose(stream);
    assert(length == 3);
    return 0;
}
