/* rscale-test
 * verdict: clean
 * scope: all
 * endless: lcd
 * executions: optimal=112 source=112 dpor=112 nsb=112
 *
 * Two threads look at flags under one lock: the second flag is set by the one that waits for the first. While both wait they do
 * not wake each other.
 */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first, second;

static int get(const int *flag) {
    pthread_mutex_lock(&lock);
    int seen = *flag;
    pthread_mutex_unlock(&lock);
    return seen;
}

static void set(int *flag) {
    pthread_mutex_lock(&lock);
    *flag = 1;
    pthread_mutex_unlock(&lock);
}

static void *passes_on(void *unused) {
    while (!get(&first)) {
    }
    set(&second);
    return unused;
}

static void *waits(void *unused) {
    while (!get(&second)) {
    }
    return unused;
}

static void *begins(void *unused) {
    set(&first);
    return unused;
}

int main(void) {
    void *(*const routines[])(void *) = { passes_on, waits, begins };
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, routines[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
