/* rscale-test
 * verdict: clean
 * scope: all
 * flags: -fno-builtin
 *
 * Prints them under a lock.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char key[8] = "old", value[8] = "old";

static void *first(void *unused) {
    pthread_mutex_lock(&lock);
    memcpy(key, "new", 4);
    memcpy(value, "new", 4);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *second(void *unused) {
    char text[32];
    pthread_mutex_lock(&lock);
    sprintf(text, "%d%f%s %.3s", 1, 2.0, key, value);
    pthread_mutex_unlock(&lock);
    assert(strstr(text, "old old") || strstr(text, "new new"));
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, first, NULL);
    second(NULL);
    pthread_join(thread, NULL);
    return 0;
}
