/* rscale-test
 * verdict: bug
 * scope: all
 * kind: assertion
 * flags: -fno-builtin
 *
 * Transforms a string while another thread writes it.
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char name[8] = "ab";

static void *first(void *unused) {
    ((volatile char *)name)[0] = 'c';
    ((volatile char *)name)[1] = 'd';
    return unused;
}

static void *second(void *unused) {
    char key[16];
    strxfrm(key, name, sizeof key);
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
