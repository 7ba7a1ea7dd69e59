/* rscale-test
 * verdict: bug
 * scope: all
 * kind: race
 * options: --races
 *
 * The same line looks at the plain member first: that the other one is atomic does not make it so.
 */
#include <pthread.h>
#include <stdatomic.h>

struct message { _Atomic int ready; int data; };

static volatile int seen;

static void *make(void *argument) {
    struct message *message = *(struct message **)argument;
    message->data = 1; message->ready = 1;
    return 0;
}

static void *use(void *argument) {
    struct message *message = *(struct message **)argument;
    if (message->data > 1 || message->ready) seen = message->data;
    return 0;
}

int main(void) {
    pthread_t first, second;
    struct message local = {0, 0};
    struct message *messages[1] = {&local};
    pthread_create(&first, 0, make, messages);
    pthread_create(&second, 0, use, messages);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
