/* rscale-test
 * verdict: clean
 * scope: all
 * flags: -fno-builtin
 *
 * The same under a lock.
 */
#include <assert.h>
#include <pthread.h>
#include <wchar.h>

static wchar_t line[8];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused) {
    pthread_mutex_lock(&lock);
    int is_first = *(volatile wchar_t *)&line[0];
    int is_second = *(volatile wchar_t *)&line[1];
    assert((is_first == 0) == (is_second == 0));
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *second(void *unused) {
    pthread_mutex_lock(&lock);
    swprintf(line, 8, L"%d%ls", 1, L"2");
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, first, NULL);
    second(NULL);
    pthread_join(thread, NULL);
    return 0;
}
