/* rscale-test
 * verdict: bug
 * scope: all
 * kind: race
 * message: two accesses to *heap object from
 * options: --races
 *
 * The same with a member that is not atomic.
 */
#include <pthread.h>
#include <stdlib.h>

struct message { volatile int ready; int data; };

static void *make(void *argument) {
    struct message *message = argument;
    message->data = 1;
    message->ready = 1;
    return 0;
}

static void *use(void *argument) {
    struct message *message = argument;
    if (message->ready)
        message->data++;
    return 0;
}

int main(void) {
    pthread_t first, second;
    struct message *message = calloc(1, sizeof *message);
    pthread_create(&first, 0, make, message);
    pthread_create(&second, 0, use, message);
    pthread_join(first, 0);
    pthread_join(second, 0);
    free(message);
    return 0;
}
