/* rscale-test
 * verdict: clean
 * outcomes: 0:"a\nb\nend\n" 0:"b\na\nend\n"
 *
 * printf from two threads under a lock: both orders, nothing of one execution in another's output.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *prints(void *text) {
    pthread_mutex_lock(&lock);
    printf("%s\n", (char *)text);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, prints, "a");
    pthread_create(&threads[1], NULL, prints, "b");
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    puts("end");
    return 0;
}
