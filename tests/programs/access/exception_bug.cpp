/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 * isolation: snapshot
 *
 * An exception is thrown between the read and the write.
 */
#include <cassert>
#include <thread>

static int shared;

static __attribute__((noinline)) void throws()
{
    throw shared + 1;
}

static void adds()
{
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
