/* rscale-test
 * verdict: clean
 * outcomes: 0:"destroyed\n"
 *
 * Cancellation unwinds C++ frames and runs destructors.
 */
#include <cassert>
#include <cstdio>
#include <pthread.h>
#include <semaphore.h>

static sem_t started, never;
static int destroyed;

struct Guard {
    ~Guard() { destroyed++; }
};

static void *waits(void *) {
    Guard guard;
    sem_post(&started);
    try {
        sem_wait(&never);
    } catch (...) {
        destroyed++;
        throw;
    }
    return nullptr;
}

int main() {
    pthread_t thread;
    void *result;
    sem_init(&started, 0, 0);
    sem_init(&never, 0, 0);
    pthread_create(&thread, nullptr, waits, nullptr);
    sem_wait(&started);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED && destroyed == 2);
    std::puts("destroyed");
}
