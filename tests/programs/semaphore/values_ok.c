/* rscale-test
 * verdict: clean
 * runs: none=1
 *
 * Values and their limits.
 */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <semaphore.h>

int main(void) {
    sem_t items;
    int value = -1;
    assert(sem_init(&items, 0, (unsigned)SEM_VALUE_MAX + 1) == -1 && errno == EINVAL);
    assert(sem_init(&items, 0, SEM_VALUE_MAX) == 0);
    assert(sem_post(&items) == -1 && errno == EOVERFLOW);
    assert(sem_getvalue(&items, &value) == 0 && value == SEM_VALUE_MAX);
    assert(sem_destroy(&items) == 0);
    assert(sem_init(&items, 0, 2) == 0);
    assert(sem_wait(&items) == 0 && sem_trywait(&items) == 0);
    assert(sem_trywait(&items) == -1 && errno == EAGAIN);
    assert(sem_getvalue(&items, &value) == 0 && value == 0);
    assert(sem_destroy(&items) == 0);
    return 0;
}
