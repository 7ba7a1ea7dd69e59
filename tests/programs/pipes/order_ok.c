/* rscale-test
 * verdict: clean
 * outcomes: 0:"ab\n" 0:"ba\n"
 *
 * Two threads write one byte each: both orders.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int ends[2];

static void *writes(void *letter) {
    assert(write(ends[1], letter, 1) == 1);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    char text[3] = "", letters[] = "ab";
    assert(pipe(ends) == 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, writes, &letters[i]);
    assert(read(ends[0], &text[0], 1) == 1);
    assert(read(ends[0], &text[1], 1) == 1);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%s\n", text);
    return 0;
}
