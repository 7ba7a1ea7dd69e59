/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: x == 0
 * options: --filters superstep
 * scope: all
 *
 * An atomic section comes before the whole of another thread or behind it, and only the start and the end of that thread
 * tell: they are steps whose order matters here.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#include "../../../scheduler/include/rscale.h"

volatile int x;

static void *read_it(void *unused) {
    assert(x == 0);
    return unused;
}

static void *write_it(void *unused) {
    rscale_atomic_begin();
    x = 1;
    rscale_atomic_end();
    return unused;
}

int main(void) {
    pthread_t reader, writer;
    pthread_create(&reader, NULL, read_it, NULL);
    pthread_create(&writer, NULL, write_it, NULL);
    pthread_join(reader, NULL);
    pthread_join(writer, NULL);
    return 0;
}
