/* rscale-test
 * verdict: clean
 * outcomes: 0:"out\n"
 *
 * What goes to stderr is not part of stdout.
 */
#include <pthread.h>
#include <stdio.h>

static void *prints(void *unused) {
    fprintf(stderr, "err\n");
    printf("out\n");
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, prints, NULL);
    pthread_join(thread, NULL);
    return 0;
}
