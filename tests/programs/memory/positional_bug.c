/* rscale-test
 * verdict: bug
 * scope: all
 * kind: assertion
 * flags: -fno-builtin
 *
 * Prints a text that is named by its number while another thread writes it.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char name[8] = "ab";

static void *first(void *unused) {
    ((volatile char *)name)[0] = 'c';
    ((volatile char *)name)[1] = 'd';
    return unused;
}

static void *second(void *unused) {
    char line[16];
    snprintf(line, sizeof line, "%3$.*2$f%1$s", name, 1, 0.5);
    assert(strcmp(line, "0.5ab") == 0 || strcmp(line, "0.5cd") == 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, first, NULL);
    second(NULL);
    pthread_join(thread, NULL);
    return 0;
}
