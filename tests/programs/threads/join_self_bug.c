/* rscale-test
 * verdict: bug
 * kind: misuse
 * message: join of the calling thread itself
 */
#include <pthread.h>
#include <stddef.h>

int main(void) {
    pthread_join(pthread_self(), NULL);
    return 0;
}
