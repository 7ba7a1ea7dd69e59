/* rscale-test
 * verdict: clean
 * scope: all
 * isolation: snapshot
 *
 * Lets the count itself decide who is the last.
 */
#include <cassert>
#include <thread>
#include <atomic>
#include <memory>

static std::atomic<int> last;

struct Data {
    ~Data() { ++last; }
};

static void leaves(std::shared_ptr<Data> data)
{
    data.reset();
}

int main()
{
    auto first = std::make_shared<Data>();
    auto second = first;
    std::thread other(leaves, std::move(first));
    leaves(std::move(second));
    other.join();
    assert(last == 1);
}
