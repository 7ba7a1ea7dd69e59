/* rscale-test
 * verdict: clean
 * options: --invariant is_whole_word
 * scope: all
 *
 * The invariant reads through functions of libc, and what the thread writes is written by one.
 */
#include <pthread.h>
#include <string.h>

static char word[8] = "begin";
static volatile int begun;

int is_whole_word(void) { return begun == 0 || strcmp(word, "end") == 0; }

static void *work(void *unused)
{
    strcpy(word, "end");
    begun = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
