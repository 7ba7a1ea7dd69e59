/* rscale-test
 * verdict: clean
 * scope: all
 * flags: -fno-builtin
 *
 * The same under a lock.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char name[8] = "ab";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused) {
    pthread_mutex_lock(&lock);
    ((volatile char *)name)[0] = 'c';
    ((volatile char *)name)[1] = 'd';
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *second(void *unused) {
    pthread_mutex_lock(&lock);
    char line[16];
    snprintf(line, sizeof line, "%3$.*2$f%1$s", name, 1, 0.5);
    pthread_mutex_unlock(&lock);
    assert(strcmp(line, "0.5ab") == 0 || strcmp(line, "0.5cd") == 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, first, NULL);
    second(NULL);
    pthread_join(thread, NULL);
    return 0;
}
