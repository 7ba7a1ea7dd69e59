/* rscale-test
 * verdict: bug
 * scope: all
 * kind: assertion
 * flags: -fno-builtin
 *
 * A wide text is printed while another thread writes it.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <wchar.h>

static wchar_t name[4] = L"ab";

static void *first(void *unused) {
    ((volatile wchar_t *)name)[0] = L'c';
    ((volatile wchar_t *)name)[1] = L'd';
    return unused;
}

static void *second(void *unused) {
    wchar_t line[8];
    swprintf(line, 8, L"<%.*ls>", 2, name);
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
