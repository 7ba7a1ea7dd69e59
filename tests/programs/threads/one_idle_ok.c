/* rscale-test
 * verdict: clean
 * runs: none=1 nsb=1
 * executions: none=1 nsb=1
 * outcomes: 0:"child main\n"
 *
 * One thread that is joined at once leaves no choice. By hand.
 */
#include <pthread.h>
#include <stdio.h>

static void *child(void *unused) {
    printf("child ");
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, child, NULL);
    pthread_join(thread, NULL);
    printf("main\n");
    return 0;
}
