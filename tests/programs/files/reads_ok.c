/* rscale-test
 * verdict: clean
 * outcomes: 0:"ELF\n"
 *
 * Two threads read one file through one descriptor, whose offset starts anew in each execution. The descriptor was
 * opened before the threads; every byte is read once.
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int file;
static char magic[8];
static int length;

static void *reads(void *unused) {
    pthread_mutex_lock(&lock);
    assert(read(file, magic + length, 2) == 2);
    length += 2;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    file = open("/proc/self/exe", O_RDONLY);
    assert(file >= 0);
    pthread_create(&thread, NULL, reads, NULL);
    reads(NULL);
    pthread_join(thread, NULL);
    assert(memcmp(magic, "\177ELF", 4) == 0);
    assert(lseek(file, 0, SEEK_CUR) == 4);
    assert(close(file) == 0);
    printf("%.3s\n", magic + 1);
    return 0;
}
