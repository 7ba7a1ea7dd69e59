/* rscale-test
 * verdict: clean
 * outcomes: 0:"hello\n"
 *
 * A read waits until another thread has written; the end of the file comes when the writer closes.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int ends[2];

static void *writes(void *unused) {
    assert(write(ends[1], "hello", 5) == 5);
    assert(close(ends[1]) == 0);
    return unused;
}

int main(void) {
    pthread_t thread;
    char text[6] = "";
    ssize_t length = 0, got;
    assert(pipe(ends) == 0);
    pthread_create(&thread, NULL, writes, NULL);
    while ((got = read(ends[0], text + length, 5 - length)) > 0)
        length += got;
    assert(got == 0 && length == 5);
    pthread_join(thread, NULL);
    assert(close(ends[0]) == 0);
    printf("%s\n", text);
    return 0;
}
