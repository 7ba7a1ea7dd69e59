/* rscale-test
 * verdict: clean
 * scope: all
 * flags: -fno-builtin
 *
 * Each scans and reads under a lock.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int number;
static char word[8];

static void check(const char *input, int expected) {
    pthread_mutex_lock(&lock);
    sscanf(input, "%d %s", &number, word);
    assert(number == expected && word[0] == 'a' + expected);
    pthread_mutex_unlock(&lock);
}

static void *first(void *unused) {
    check("1 b", 1);
    return unused;
}

static void *second(void *unused) {
    check("2 c", 2);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, first, NULL);
    second(NULL);
    pthread_join(thread, NULL);
    return 0;
}
