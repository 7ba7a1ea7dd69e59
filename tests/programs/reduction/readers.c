/* rscale-test
 * verdict: clean
 * scope: all
 * levels: -O1
 * isolation: snapshot
 * variant: -DN=1 nsb=2 source=2 optimal=2
 * variant: -DN=4 nsb=16 source=16 optimal=16 epor=16 epor-sh=16
 * variant: -DN=10 source=1024+0 dpor=1024+0 optimal=1024 epor=1024 epor-sh=1024
 * variant: -DN=13 optimal=8192
 *
 * One writer and N readers of one variable: each reader is before the writer or behind it, so there are 2^N traces.
 */
#include <pthread.h>
#include <stddef.h>

#ifndef N
#define N 3
#endif

volatile int x;

static void *write_it(void *unused) {
    x = 1;
    return unused;
}

static void *read_it(void *unused) {
    int seen = x;
    (void)seen;
    return unused;
}

int main(void) {
    pthread_t writer, readers[N];
    pthread_create(&writer, NULL, write_it, NULL);
    for (int i = 0; i < N; i++)
        pthread_create(&readers[i], NULL, read_it, NULL);
    pthread_join(writer, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(readers[i], NULL);
    return 0;
}
