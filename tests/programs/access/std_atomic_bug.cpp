/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 * isolation: snapshot
 *
 * Loads and stores are atomic, both together are not.
 */
#include <cassert>
#include <thread>
#include <atomic>

static std::atomic<int> counter;

static void adds()
{
    counter = counter + 1;
}

int main()
{
    std::thread other(adds);
    adds();
    other.join();
    assert(counter == 2);
}
