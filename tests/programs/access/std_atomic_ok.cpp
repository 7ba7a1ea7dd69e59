/* rscale-test
 * verdict: clean
 * scope: all
 * isolation: snapshot
 *
 * ++ of an atomic is one step.
 */
#include <cassert>
#include <thread>
#include <atomic>

static std::atomic<int> counter;

static void adds()
{
    ++counter;
}

int main()
{
    std::thread other(adds);
    adds();
    other.join();
    assert(counter == 2);
}
