/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: lines == 0
 *
 * A failed assertion after some output.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int lines;

static void *prints(void *text) {
    pthread_mutex_lock(&lock);
    printf("%s\n", (char *)text);
    if (*(char *)text == 'a')
        assert(lines == 0);
    lines++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, prints, "a");
    pthread_create(&threads[1], NULL, prints, "b");
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
