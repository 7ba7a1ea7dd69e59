/* rscale-test
 * verdict: clean
 * outcomes: 0:"holder, other\n" 0:"other, holder\n"
 *
 * A thread cancels another one while it holds what that waits for. The other one may have been there before it.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *names[2];
static int count;

static void *other(void *unused) {
    pthread_mutex_lock(&lock);
    names[count++] = "other";
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    pthread_mutex_lock(&lock);
    names[count++] = "holder";
    pthread_cancel(thread);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    printf("%s, %s\n", names[0], names[1]);
    return 0;
}
