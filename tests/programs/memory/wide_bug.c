/* rscale-test
 * verdict: bug
 * scope: all
 * kind: assertion
 * flags: -fno-builtin
 *
 * One thread copies wide text while the other replaces it.
 */
#include <assert.h>
#include <pthread.h>
#include <wchar.h>

static wchar_t shared[8] = L"oooo";

static void *first(void *unused) {
    wmemset(shared, L'n', 4);
    return unused;
}

static void *second(void *unused) {
    wchar_t copy[8];
    wcscpy(copy, shared);
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
