/* rscale-test
 * verdict: clean
 * scope: all
 * levels: -O1
 * isolation: snapshot
 * executions: nsb=20 dpor=20 source=20 optimal=20 epor=20 epor-sh=20
 *
 * A reader of a seqlock tries again while the writer is at work, or was.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int sequence;
static volatile int first, second;

static void *write_both(void *unused) {
    sequence++;
    first = 1;
    second = 1;
    sequence++;
    return unused;
}

static void *read_both(void *unused) {
    int before, a, b;
    do {
        while ((before = sequence) & 1)
            ;
        a = first;
        b = second;
    } while (sequence != before);
    assert(a == b);
    return unused;
}

int main(void) {
    pthread_t writer, reader;
    pthread_create(&writer, NULL, write_both, NULL);
    pthread_create(&reader, NULL, read_both, NULL);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    return 0;
}
