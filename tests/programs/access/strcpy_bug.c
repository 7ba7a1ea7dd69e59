/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 *
 * Two strings are copied to the same buffer.
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char buffer[40];
static const char *volatile texts[] = {"once upon a time", "so it goes"};

static void *writes(void *unused)
{
    strcpy(buffer, texts[1]);
    return unused;
}

int main(void)
{
    pthread_t other;
    size_t length;
    pthread_create(&other, NULL, writes, NULL);
    strcpy(buffer, texts[0]);
    __asm__ volatile("" : : : "memory"); /* or the compiler knows the length */
    length = strlen(buffer);
    pthread_join(other, NULL);
    assert(length == 16);
    return 0;
}
