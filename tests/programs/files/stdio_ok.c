/* rscale-test
 * verdict: clean
 * outcomes: 0:"ELF\n"
 *
 * Reading through stdio.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static void *reads(void *name) {
    char magic[4];
    FILE *file = fopen(name, "rb");
    assert(file && fread(magic, 1, 4, file) == 4);
    assert(fclose(file) == 0);
    printf("%.3s\n", magic + 1);
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, reads, "/proc/self/exe");
    pthread_join(thread, NULL);
    return 0;
}
