/* rscale-test
 * verdict: clean
 * outcomes: 0:"5\n" 0:"2 3\n" 0:"3 2\n"
 *
 * An eventfd adds up what was written until it is read.
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int event;

static void *adds(void *number) {
    uint64_t value = (uintptr_t)number;
    assert(write(event, &value, sizeof value) == sizeof value);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    uint64_t first = 0, second = 0;
    event = eventfd(0, 0);
    assert(event >= 0);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, adds, (void *)(i + 2));
    assert(read(event, &first, sizeof first) == sizeof first);
    if (first < 5)
        assert(read(event, &second, sizeof second) == sizeof second);
    assert(first + second == 5);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    if (second)
        printf("%d %d\n", (int)first, (int)second);
    else
        printf("%d\n", (int)first);
    return 0;
}
