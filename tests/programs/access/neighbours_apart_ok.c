/* rscale-test
 * verdict: clean
 * scope: all
 * levels: -O1
 * executions: nsb=2
 *
 * Two variables in one word of memory, written by one thread without a step between; another thread reads one of them,
 * before or behind. The other variable is nobody else's, and adds no order.
 */
#include <pthread.h>
#include <stddef.h>

struct {
    volatile int mine, shared;
} pair __attribute__((aligned(8)));

static void *write_both(void *unused) {
    pair.mine = 1;
    pair.shared = 1;
    return unused;
}

static void *read_one(void *unused) {
    return pair.shared == 2 ? NULL : unused;
}

int main(void) {
    pthread_t writer, reader;
    pthread_create(&writer, NULL, write_both, NULL);
    pthread_create(&reader, NULL, read_one, NULL);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    return 0;
}
