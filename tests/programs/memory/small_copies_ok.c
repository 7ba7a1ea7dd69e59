/* rscale-test
 * verdict: clean
 * scope: all
 * outcomes: 0:"abc! uvwx\n" 0:"abcd uvw!\n" 0:"abcd uvwx\n" 0:"uvw! uvw!\n" 0:"uvwx uvw!\n" 0:"uvwx uvwx\n"
 *
 * Four aligned bytes are copied in one step, also where a third thread writes one of them alone.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char text[8] __attribute__((aligned(8))) = "abcd";
static volatile size_t size = 4;

static void *copies(void *unused)
{
    memcpy(text, "uvwx", size);
    return unused;
}

static void *writes(void *unused)
{
    *(volatile char *)(text + 3) = '!';
    return unused;
}

int main(void)
{
    pthread_t copier, writer;
    char seen[8] = "";
    pthread_create(&copier, NULL, copies, NULL);
    pthread_create(&writer, NULL, writes, NULL);
    memcpy(seen, text, size);
    pthread_join(copier, NULL);
    pthread_join(writer, NULL);
    printf("%s %s\n", seen, text);
    return 0;
}
