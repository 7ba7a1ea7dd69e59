/* rscale-test
 * verdict: bug
 * kind: misuse
 * message: join of a thread that was joined before
 * location: join_twice_bug.c:18
 */
#include <pthread.h>
#include <stddef.h>

static void *nothing(void *unused) {
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, nothing, NULL);
    pthread_join(thread, NULL);
    pthread_join(thread, NULL); /* here */
    return 0;
}
