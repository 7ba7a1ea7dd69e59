/* Two threads count, and one count is lost: count++ reads and writes, and the other thread may come in between.
 * With -DFIXED it is one atomic step. */
#include <assert.h>
#include <pthread.h>

#ifdef FIXED
_Atomic
#endif
int count;

static void *add(void *unused) {
    count++;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(count == 2);
    return 0;
}
