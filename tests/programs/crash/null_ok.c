/* rscale-test
 * verdict: clean
 * outcomes: 0:"0\n" 0:"3\n"
 *
 * Looks before it follows.
 */
#include <pthread.h>
#include <stdio.h>

struct configuration {
    int level;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct configuration storage = {3}, *volatile configuration;

static void *loads(void *unused) {
    pthread_mutex_lock(&lock);
    configuration = &storage;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, loads, NULL);
    pthread_mutex_lock(&lock);
    int level = configuration ? configuration->level : 0;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    printf("%d\n", level);
    return 0;
}
