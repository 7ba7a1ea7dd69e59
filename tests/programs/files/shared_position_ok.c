/* rscale-test
 * verdict: clean
 * outcomes: 0:"7f 45\n" 0:"45 7f\n"
 *
 * Two threads read a byte each through one descriptor, with no lock: who comes first gets the first.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int file;
static unsigned char got[2];

static void *reads(void *to)
{
    return read(file, to, 1) == 1 ? to : NULL;
}

int main(void)
{
    pthread_t other;
    file = open("/proc/self/exe", O_RDONLY);
    pthread_create(&other, NULL, reads, &got[0]);
    reads(&got[1]);
    pthread_join(other, NULL);
    printf("%x %x\n", got[0], got[1]);
    return 0;
}
