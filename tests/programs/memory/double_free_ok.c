/* rscale-test
 * verdict: clean
 * options: --leaks
 *
 * Takes the pointer away in the same critical section.
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *data;

static void *release(void *unused) {
    pthread_mutex_lock(&lock);
    int *mine = data;
    data = NULL;
    pthread_mutex_unlock(&lock);
    free(mine);
    return unused;
}

int main(void) {
    pthread_t thread;
    data = malloc(sizeof *data);
    pthread_create(&thread, NULL, release, NULL);
    release(NULL);
    pthread_join(thread, NULL);
    return 0;
}
