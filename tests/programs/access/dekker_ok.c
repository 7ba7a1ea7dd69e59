/* rscale-test
 * verdict: clean
 * scope: all
 * isolation: snapshot
 *
 * Dekker's lock.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_char wants[2], turn;
static int counter;

static void *enters(void *argument)
{
    int me = argument != NULL;
    wants[me] = 1;
    while (wants[!me]) {
        if (turn != me) {
            wants[me] = 0;
            while (turn != me)
                ;
            wants[me] = 1;
        }
    }
    counter++;
    turn = !me;
    wants[me] = 0;
    return NULL;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, enters, &turn);
    enters(NULL);
    pthread_join(other, NULL);
    assert(counter == 2);
    return 0;
}
