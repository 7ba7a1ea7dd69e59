/* rscale-test
 * verdict: clean
 * scope: all
 * options: --races
 *
 * An atomic member of a heap object, and one of a local structure: known by the type when the access is made.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct message { _Atomic int ready; int data; };

static void *make(void *argument) {
    struct message **messages = argument;
    for (int index = 0; index < 2; index++) {
        messages[index]->data = 1;
        messages[index]->ready = 1;
    }
    return 0;
}

static void *use(void *argument) {
    struct message **messages = argument;
    for (int index = 0; index < 2; index++)
        if (messages[index]->ready)
            messages[index]->data++;
    return 0;
}

int main(void) {
    pthread_t first, second;
    struct message local = {0, 0};
    struct message *heap = calloc(1, sizeof *heap);
    struct message *messages[2] = {&local, heap};
    pthread_create(&first, 0, make, messages);
    pthread_create(&second, 0, use, messages);
    pthread_join(first, 0);
    pthread_join(second, 0);
    free(heap);
    return 0;
}
