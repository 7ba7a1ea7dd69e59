/* rscale-test
 * verdict: clean
 * scope: all
 * isolation: snapshot
 *
 * An exception is thrown between the read and the write; here, under a lock.
 */
#include <cassert>
#include <thread>
#include <mutex>

static int shared;
static std::mutex mutex;

static __attribute__((noinline)) void throws()
{
    throw shared + 1;
}

static void adds()
{
    std::lock_guard<std::mutex> guard(mutex);
    try {
        throws();
    } catch (int next) {
        shared = next;
    }
}

int main()
{
    std::thread other(adds);
    adds();
    other.join();
    assert(shared == 2);
}
