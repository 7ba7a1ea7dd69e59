/* rscale-test
 * verdict: clean
 * isolation: exec
 * options: --hang-limit 5s
 * scope: sync
 *
 * The lock is taken around the fork: the child has it, and gives it back.
 */
#include <pthread.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *works(void *unused) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, works, NULL);
    pthread_mutex_lock(&lock);
    pid_t child = fork();
    pthread_mutex_unlock(&lock);
    if (child == 0) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    pthread_join(thread, NULL);
    return 0;
}
