/* rscale-test
 * verdict: bug
 * scope: all
 * kind: assertion
 * flags: -fno-builtin
 *
 * Prints wide characters while another thread reads them.
 */
#include <assert.h>
#include <pthread.h>
#include <wchar.h>

static wchar_t line[8];

static void *first(void *unused) {
    int is_first = *(volatile wchar_t *)&line[0];
    int is_second = *(volatile wchar_t *)&line[1];
    assert((is_first == 0) == (is_second == 0));
    return unused;
}

static void *second(void *unused) {
    swprintf(line, 8, L"%d%ls", 1, L"2");
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, first, NULL);
    second(NULL);
    pthread_join(thread, NULL);
    return 0;
}
