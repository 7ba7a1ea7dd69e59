/* rscale-test
 * verdict: clean
 * outcomes: 0:"ab" 0:"ba"
 *
 * write to descriptor 1: each call is a step, and both orders are seen without any lock.
 */
#include <pthread.h>
#include <unistd.h>

static void *writes(void *text) {
    return write(1, text, 1) == 1 ? NULL : text;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writes, "a");
    pthread_create(&threads[1], NULL, writes, "b");
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
