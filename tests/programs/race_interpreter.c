/* rscale-test
 * verdict: bug
 * scope: all
 * kind: race
 * message: two accesses to data[0]
 * options: --races
 * arguments: "c1 w0 j1 / l0 r0 k0"
 * isolation: snapshot
 */

/* Runs a program of the race oracle's little language; see tests/src/race_oracle/program.rs. argv[1] is the program; with
 * an argv[2], stores of flags are sequentially consistent, and wait for the store buffer.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, VARIABLES = 2 };

/* What threads race for, and what keeps them apart. */
static volatile int data[VARIABLES];
static atomic_int flags[VARIABLES];
static pthread_mutex_t mutexes[VARIABLES] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_rwlock_t rwlocks[VARIABLES] = {PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER};
static sem_t semaphores[VARIABLES];

/* The program: read before the first thread is created. */
static const char *texts[THREADS];
static int is_strict;
static pthread_t handles[THREADS];

static void *run(void *argument)
{
    const char *at = argument;
    int seen = 0;
    for (; at[0] && at[0] != '/'; at += at[2] == ' ' ? 3 : 2) {
        int number = at[1] - '0';
        switch (at[0]) {
        case 'r': (void)data[number]; break;
        case 'w': data[number] = 1; break;
        case 'x': __atomic_fetch_add(&data[number], 1, __ATOMIC_SEQ_CST); break;
        case 'a': seen = atomic_load_explicit(&flags[number], memory_order_acquire); break;
        case 's':
            if (is_strict)
                atomic_store(&flags[number], 1);
            else
                atomic_store_explicit(&flags[number], 1, memory_order_release);
            break;
        case 'e': seen = atomic_exchange(&flags[number], 1); break;
        case 'i':
            for (; !seen && number > 0; number--)
                at += 3;
            break;
        case 'l': pthread_mutex_lock(&mutexes[number]); break;
        case 'k': pthread_mutex_unlock(&mutexes[number]); break;
        case 'o': pthread_rwlock_rdlock(&rwlocks[number]); break;
        case 'q': pthread_rwlock_wrlock(&rwlocks[number]); break;
        case 'u': pthread_rwlock_unlock(&rwlocks[number]); break;
        case 'p': sem_post(&semaphores[number]); break;
        case 'v': sem_wait(&semaphores[number]); break;
        case 'c': pthread_create(&handles[number], NULL, run, (void *)texts[number]); break;
        case 'j': pthread_join(handles[number], NULL); break;
        default: exit(2);
        }
    }
    return NULL;
}

int main(int count, char **arguments)
{
    if (count < 2)
        return 2;
    is_strict = count > 2;
    char *at = arguments[1];
    for (int thread = 0; thread < THREADS && at; thread++) {
        texts[thread] = at;
        at = strstr(at, " / ");
        if (at)
            *at = '/', at += 3;
    }
    for (int number = 0; number < VARIABLES; number++)
        sem_init(&semaphores[number], 0, 0);
    run((void *)texts[0]);
    return 0;
}
