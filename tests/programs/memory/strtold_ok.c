/* rscale-test
 * verdict: clean
 * scope: all
 * flags: -fno-builtin
 *
 * The same under a lock.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static char digits[8] = "11";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused) {
    pthread_mutex_lock(&lock);
    ((volatile char *)digits)[0] = '2';
    ((volatile char *)digits)[1] = '2';
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *second(void *unused) {
    pthread_mutex_lock(&lock);
    char *end;
    long double number = strtold(digits, &end);
    pthread_mutex_unlock(&lock);
    assert(end == digits + 2);
    assert(number == 11 || number == 22);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, first, NULL);
    second(NULL);
    pthread_join(thread, NULL);
    return 0;
}
