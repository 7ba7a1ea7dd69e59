/* litmus: MP with stores by the library: a text by strcpy, then a flag by memset
 * prints: flag text
 * sc: 0, 0 done, 1 done
 * tso: 0, 0 done, 1 done
 * pso: 0, 0 done, 1, 1 done
 */
#include "litmus.h"
#include <string.h>

static char text[8] __attribute__((aligned(8)));
static char flag;
static const char *volatile message = "done";
static volatile size_t length = 1; /* so that the compiler calls the functions */
static int seen;
static long word;

THREAD(p0)
{
    strcpy(text, message);
    memset(&flag, 1, length);
}

THREAD(p1)
{
    seen = *(volatile char *)&flag;
    word = *(volatile long *)text;
}

int main(void)
{
    RUN(p0, p1);
    printf(word ? "%d %s\n" : "%d\n", seen, (const char *)&word);
    return 0;
}
