/* rscale-test
 * verdict: clean
 * scope: all
 * options: --races
 *
 * Neighbours in one word, each of a thread of its own; then both at once, under a lock. Reads need none among themselves.
 */
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct { short first, second; int whole; } pair = {0, 0, 7};
static char copies[2][sizeof pair];

static void *left(void *unused) {
    pair.first = 1;
    pthread_mutex_lock(&lock);
    memcpy(copies[0], &pair.whole, sizeof pair.whole);
    pthread_mutex_unlock(&lock);
    return pair.whole == 7 ? unused : &pair;
}

static void *right(void *unused) {
    pair.second = 1;
    pthread_mutex_lock(&lock);
    memcpy(copies[1], &pair.whole, sizeof pair.whole);
    pthread_mutex_unlock(&lock);
    return pair.whole == 7 ? unused : &pair;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, left, 0);
    pthread_create(&second, 0, right, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return pair.first + pair.second - 2;
}
