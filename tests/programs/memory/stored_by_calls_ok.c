/* rscale-test
 * verdict: clean
 * scope: all
 * outcomes: 0:"old old\n" 0:"old new\n" 0:"new old\n" 0:"new new\n"
 *
 * What a system call stores is an access: poll says what is ready, uname what the system is called. Another thread reads
 * that, or what was there before.
 */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/utsname.h>

static struct pollfd ready = { .fd = 1, .events = POLLOUT };
static struct utsname names;

static void *polls(void *unused)
{
    poll(&ready, 1, 0);
    return unused;
}

static void *asks(void *unused)
{
    uname(&names);
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, polls, NULL);
    pthread_create(&second, NULL, asks, NULL);
    int is_ready = ready.revents != 0;
    int is_named = names.sysname[0] != 0;
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    printf("%s %s\n", is_ready ? "new" : "old", is_named ? "new" : "old");
    return 0;
}
