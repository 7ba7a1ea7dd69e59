/* rscale-test
 * verdict: clean
 * scope: all
 * outcomes: 0:"0\n" 0:"1\n"
 *
 * A text is compared word by word: it is found to be the same as one that it never was.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static union {
    char text[32];
    volatile long words[4];
} shared __attribute__((aligned(8))) = {"aaaaaaaabbbbbbbb"};

static void *writes(void *unused)
{
    shared.words[0] = 'a';
    shared.words[2] = 0x6363636363636363;
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, writes, NULL);
    int found = strcmp(shared.text, "aaaaaaaabbbbbbbbcccccccc") == 0;
    pthread_join(other, NULL);
    printf("%d\n", found);
    return 0;
}
