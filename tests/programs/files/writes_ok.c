/* rscale-test
 * verdict: clean
 * isolation: snapshot
 * outcomes: 0:"2\n"
 *
 * Writes to a file, which memory restore can not undo: rscale falls back to another isolation, and says so. The program
 * truncates the file first, so that it does not depend on what was there.
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int file;

static void *writes(void *unused) {
    assert(write(file, "x", 1) == 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct stat about;
    char name[] = "/tmp/rscale-test-writes-XXXXXX";
    file = mkstemp(name);
    assert(file >= 0 && unlink(name) == 0);
    pthread_create(&thread, NULL, writes, NULL);
    writes(NULL);
    pthread_join(thread, NULL);
    assert(fstat(file, &about) == 0);
    printf("%ld\n", (long)about.st_size);
    close(file);
    return 0;
}
