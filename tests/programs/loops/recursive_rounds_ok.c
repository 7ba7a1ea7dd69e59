/* rscale-test
 * verdict: clean
 * scope: all
 * outcomes: 0:"pq" 0:"qp"
 *
 * Each round takes one mutex once more and gives another one back once more, as many as it takes in all, and comes back with the
 * same registers and the same stack: but it does not look at the same thing again and again, and the other thread waits for its end.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

#define ROUNDS 40

static pthread_mutex_t kept = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, left = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static void put(const char *letter) {
    if (write(STDOUT_FILENO, letter, 1) != 1)
        _exit(1);
}

static void *exchanges(void *unused) {
    for (int i = 0; i < ROUNDS; i++)
        pthread_mutex_lock(&left);
    do {
        pthread_mutex_lock(&kept);
        pthread_mutex_lock(&left);
        pthread_mutex_unlock(&left);
    } while (pthread_mutex_unlock(&left) == 0);
    put("p");
    return unused;
}

static void *waits(void *unused) {
    pthread_mutex_lock(&left);
    put("q");
    pthread_mutex_unlock(&left);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, exchanges, NULL);
    pthread_create(&threads[1], NULL, waits, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
