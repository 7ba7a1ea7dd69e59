/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: about.st_size == 1
 * isolation: snapshot
 *
 * As before, but main looks too early in some orders.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int file;

static void *writes(void *unused) {
    pthread_mutex_lock(&lock);
    assert(write(file, "x", 1) == 1);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct stat about;
    char name[] = "/tmp/rscale-test-writes-XXXXXX";
    file = mkstemp(name);
    assert(file >= 0 && unlink(name) == 0);
    pthread_create(&thread, NULL, writes, NULL);
    pthread_mutex_lock(&lock);
    assert(fstat(file, &about) == 0);
    assert(about.st_size == 1);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
