/* Two flags, the heart of Dekker's and Peterson's algorithms: a thread says that it wants to enter, and enters if the
 * other one has not said so. If every store is seen at once, at most one of them enters. x86 delays stores: each thread may
 * find the other flag still down, and both enter. With -DFIXED there is a fence between the store and the load. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

volatile int wants[2], entered[2];

static void *enter(void *number) {
    long me = (long)number;
    wants[me] = 1;
#ifdef FIXED
    atomic_thread_fence(memory_order_seq_cst);
#endif
    if (!wants[1 - me])
        entered[me] = 1;
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, enter, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(!(entered[0] && entered[1]));
    return 0;
}
