/* rscale-test
 * verdict: clean
 * scope: all
 * outcomes: 0:"new\n" 0:"old\n"
 * executions: nsb=2 optimal=2
 *
 * Two threads use the environment, and any order will do.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *change(void *unused) {
    setenv("RSCALE_TEST", "new", 1);
    return unused;
}

int main(void) {
    pthread_t other;
    setenv("RSCALE_TEST", "old", 1);
    pthread_create(&other, NULL, change, NULL);
    const char *value = getenv("RSCALE_TEST");
    pthread_join(other, NULL);
    puts(value);
    return 0;
}
