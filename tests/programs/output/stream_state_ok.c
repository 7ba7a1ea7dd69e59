/* rscale-test
 * verdict: clean
 * scope: all
 * outcomes: 0:"0 xy\n" 0:"0 yx\n" 0:"1 xy\n"
 *
 * One thread asks for the position of a stream before it writes a character, and another one prints to the stream.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

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
    pthread_create(&other, NULL, prints, NULL);
    long position = ftell(stream);
    fputc('y', stream);
    pthread_join(other, NULL);
    fclose(stream);
    printf("%ld %s\n", position, text);
    free(text);
    return 0;
}
