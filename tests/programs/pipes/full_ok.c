/* rscale-test
 * verdict: clean
 * outcomes: 0:"131072\n"
 *
 * A pipe holds 64 KiB: the writer waits until the reader has made room.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define SIZE 65536

static int ends[2];
static char block[SIZE], buffer[SIZE];

static void *writes(void *unused) {
    for (int i = 0; i < 2; i++)
        assert(write(ends[1], block, SIZE) == SIZE);
    close(ends[1]);
    return unused;
}

int main(void) {
    pthread_t thread;
    long total = 0;
    ssize_t got;
    assert(pipe(ends) == 0);
    pthread_create(&thread, NULL, writes, NULL);
    while ((got = read(ends[0], buffer, SIZE)) > 0)
        total += got;
    pthread_join(thread, NULL);
    close(ends[0]);
    printf("%ld\n", total);
    return 0;
}
