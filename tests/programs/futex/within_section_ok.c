/* rscale-test
 * verdict: clean
 * outcomes: 0:"1\n" 0:"2\n"
 *
 * Between a semaphore's wait and post is a system call that depends on all that others do. The other thread may come
 * before all of it.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static sem_t place;
static int first;
static unsigned word = 1;

static void *second(void *unused) {
    sem_wait(&place);
    if (first == 0)
        first = 2;
    sem_post(&place);
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&place, 0, 1);
    pthread_create(&thread, NULL, second, NULL);
    sem_wait(&place);
    if (first == 0)
        first = 1;
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0); /* the word is not 0: returns at once */
    sem_post(&place);
    pthread_join(thread, NULL);
    printf("%d\n", first);
    return 0;
}
