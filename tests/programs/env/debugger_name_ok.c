/* rscale-test
 * verdict: clean
 *
 * A debugger that attaches opens the libraries of the program by the names that the loader keeps. None of them is a low
 * descriptor of whoever opens it: that may be a pipe of the debugger's own, on which it would wait for ever.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

static int check(struct dl_phdr_info *library, size_t size, void *unused) {
    const char own[] = "/proc/self/fd/";
    if (strncmp(library->dlpi_name, own, strlen(own)) == 0)
        assert(atoi(library->dlpi_name + strlen(own)) >= 100);
    return 0;
}

int main(void) {
    dl_iterate_phdr(check, NULL);
    return 0;
}
