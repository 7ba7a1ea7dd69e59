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
#include <wchar.h>

static wchar_t name[4] = L"ab";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused) {
    pthread_mutex_lock(&lock);
    ((volatile wchar_t *)name)[0] = L'c';
    ((volatile wchar_t *)name)[1] = L'd';
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *second(void *unused) {
    pthread_mutex_lock(&lock);
    wchar_t line[8];
    swprintf(line, 8, L"<%.*ls>", 2, name);
    pthread_mutex_unlock(&lock);
    assert(wcscmp(line, L"<ab>") == 0 || wcscmp(line, L"<cd>") == 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, first, NULL);
    second(NULL);
    pthread_join(thread, NULL);
    return 0;
}
