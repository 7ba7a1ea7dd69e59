/* rscale-test
 * verdict: clean
 * scope: all
 * flags: -fno-builtin
 *
 * Copy and replacement exclude each other.
 */
#include <assert.h>
#include <pthread.h>
#include <wchar.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static wchar_t shared[8] = L"oooo";

static void *first(void *unused) {
    pthread_mutex_lock(&lock);
    wmemset(shared, L'n', 4);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *second(void *unused) {
    wchar_t copy[8];
    pthread_mutex_lock(&lock);
    wcscpy(copy, shared);
    pthread_mutex_unlock(&lock);
    assert(wcslen(copy) == 4 && copy[0] == copy[3]);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, first, NULL);
    second(NULL);
    pthread_join(thread, NULL);
    return 0;
}
