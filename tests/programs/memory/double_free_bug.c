/* rscale-test
 * verdict: bug
 * kind: memory
 * message: double free
 * location: double_free_bug.c:20
 *
 * Looks and frees in two critical sections: both may free.
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *data;

static void *release(void *unused) {
    pthread_mutex_lock(&lock);
    int *mine = data;
    pthread_mutex_unlock(&lock);
    if (mine) {
        free(mine); /* here */
        pthread_mutex_lock(&lock);
        data = NULL;
        pthread_mutex_unlock(&lock);
    }
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
