/* rscale-test
 * verdict: clean
 *
 * Opening, closing and writing are cancellation points: a request that is pending is acted on there.
 */
#include <assert.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int which;

static void *worker(void *unused) {
    int old;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    int descriptor = open("/dev/null", O_WRONLY);
    assert(descriptor >= 0);
    pthread_cancel(pthread_self());
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
    switch (which) {
    case 0: open("/dev/null", O_RDONLY); break;
    case 1: close(descriptor); break;
    case 2: (void)!write(descriptor, "x", 1); break;
    case 3: poll(NULL, 0, 0); break;
    }
    return unused;
}

int main(void) {
    for (which = 0; which < 4; which++) {
        pthread_t thread;
        void *result = NULL;
        pthread_create(&thread, NULL, worker, NULL);
        pthread_join(thread, &result);
        assert(result == PTHREAD_CANCELED);
    }
    return 0;
}
