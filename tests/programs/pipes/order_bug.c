/* rscale-test
 * verdict: bug
 * threads-engine: no
 * kind: assertion
 * message: byte == 'a'
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *writes(void *letter) {
    return write(ends[1], letter, 1) == 1 ? NULL : letter;
}

int main(void) {
    pthread_t threads[2];
    char byte = 0, letters[] = "ab";
    assert(pipe(ends) == 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, writes, &letters[i]);
    assert(read(ends[0], &byte, 1) == 1);
    assert(byte == 'a');
    return 0;
}
