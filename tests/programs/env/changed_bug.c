/* rscale-test
 * verdict: bug
 * scope: all
 * kind: assertion
 *
 * A variable of the environment is read before another thread sets it, or after.
 */
#include <assert.h>
#include <pthread.h>
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
    char first = value[0];
    pthread_join(other, NULL);
    assert(first == 'o');
    return 0;
}
