/* rscale-test
 * verdict: clean
 * scope: all
 * outcomes: 0:"0\n" 0:"1\n"
 *
 * A zero is looked for word by word, and not found, though there always is one.
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
    int found = memchr(shared.text, 0, 24) == NULL;
    pthread_join(other, NULL);
    printf("%d\n", found);
    return 0;
}
