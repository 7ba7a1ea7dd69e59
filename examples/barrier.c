/* SCALE's barrier (thesis, appendix A.4.1): made of a mutex and a condition variable, in two phases, so that it can be used
 * again: all come in, then all go out, before anybody comes in again. N threads (main is one) meet STEPS times.
 *
 *   cc -g -O1 -pthread -DN=3 -DSTEPS=1 barrier.c
 */
#include <pthread.h>
#include <stddef.h>

#ifndef N
#define N 3
#endif
#ifndef STEPS
#define STEPS 1
#endif

pthread_mutex_t lock;
pthread_cond_t phase_changed;
int inside, phase;

static void come_in(void) {
    pthread_mutex_lock(&lock);
    if (++inside == N) {
        phase = 1;
        pthread_cond_broadcast(&phase_changed);
    } else {
        while (phase == 0)
            pthread_cond_wait(&phase_changed, &lock);
    }
    pthread_mutex_unlock(&lock);
}

static void go_out(void) {
    pthread_mutex_lock(&lock);
    if (--inside == 0) {
        phase = 0;
        pthread_cond_broadcast(&phase_changed);
    } else {
        while (phase == 1)
            pthread_cond_wait(&phase_changed, &lock);
    }
    pthread_mutex_unlock(&lock);
}

static void *meet(void *unused) {
    for (int i = 0; i < STEPS; i++) {
        come_in();
        go_out();
    }
    return unused;
}

int main(void) {
    pthread_t others[N];
    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&phase_changed, NULL);
    for (int i = 0; i < N - 1; i++)
        pthread_create(&others[i], NULL, meet, NULL);
    meet(NULL);
    for (int i = 0; i < N - 1; i++)
        pthread_join(others[i], NULL);
    pthread_mutex_destroy(&lock);
    pthread_cond_destroy(&phase_changed);
    return 0;
}
