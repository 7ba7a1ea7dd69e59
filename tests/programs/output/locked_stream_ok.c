/* rscale-test
 * verdict: clean
 * scope: all
 * outcomes: 0:"0 ab\n" 0:"1 ab\n"
 *
 * One thread holds the lock of a stream while it writes two characters; another one tries to get it.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static FILE *stream;

static void *writes(void *unused)
{
    flockfile(stream);
    fputc('a', stream);
    fputc('b', stream);
    funlockfile(stream);
    return unused;
}

int main(void)
{
    pthread_t other;
    char *text;
    size_t length;
    stream = open_memstream(&text, &length);
    pthread_create(&other, NULL, writes, NULL);
    int is_locked = ftrylockfile(stream) != 0;
    if (!is_locked)
        funlockfile(stream);
    pthread_join(other, NULL);
    fclose(stream);
    printf("%d %s\n", is_locked, text);
    free(text);
    return 0;
}
