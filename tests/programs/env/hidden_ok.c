/* rscale-test
 * verdict: clean
 * runs: none=1
 *
 * The program sees its own environment, nothing of rscale's.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

int main(void) {
    assert(getenv("PATH") != NULL);
    assert(getenv("LD_PRELOAD") == NULL);
    assert(getenv("GLIBC_TUNABLES") == NULL);
    for (char **entry = environ; *entry; entry++)
        assert(strncmp(*entry, "RSCALE_ARENA", 12) != 0);
    assert(setenv("MINE", "yes", 1) == 0 && strcmp(getenv("MINE"), "yes") == 0);
    return 0;
}
