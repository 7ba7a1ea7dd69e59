/* rscale-test
 * verdict: clean
 * scope: all
 * outcomes: 0:"abcdef\n" 0:"abcdyz\n" 0:"uvwxef\n" 0:"uvwxyz\n"
 *
 * Seven bytes are copied four, two and one at a time, by both threads: a text may be seen half copied, whatever is known
 * to be shared of it. The last byte is the same in both.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char text[8] __attribute__((aligned(8))) = "abcdef";
static volatile size_t size = 7;

static void *writes(void *unused)
{
    memcpy(text, "uvwxyz", size);
    return unused;
}

int main(void)
{
    pthread_t other;
    char seen[8];
    pthread_create(&other, NULL, writes, NULL);
    memcpy(seen, text, size);
    pthread_join(other, NULL);
    puts(seen);
    return 0;
}
