/* rscale-test
 * verdict: clean
 * scope: all
 * flags: -fno-builtin
 *
 * The same under a lock.
 */
#include <assert.h>
#include <pthread.h>
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
    char key[16];
    strxfrm(key, name, sizeof key);
    pthread_mutex_unlock(&lock);
    assert(strcmp(key, "ab") == 0 || strcmp(key, "cd") == 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, first, NULL);
    second(NULL);
    pthread_join(thread, NULL);
    return 0;
}
