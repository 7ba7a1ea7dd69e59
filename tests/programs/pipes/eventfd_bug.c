/* rscale-test
 * verdict: bug
 * threads-engine: no
 * kind: deadlock
 *
 * One read may take both values; the second then waits for ever.
 */
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int event;

static void *adds(void *unused) {
    uint64_t one = 1;
    return write(event, &one, sizeof one) == sizeof one ? unused : NULL;
}

int main(void) {
    pthread_t threads[2];
    uint64_t value;
    event = eventfd(0, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, adds, NULL);
    for (int i = 0; i < 2; i++)
        if (read(event, &value, sizeof value) != sizeof value)
            return 1;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
