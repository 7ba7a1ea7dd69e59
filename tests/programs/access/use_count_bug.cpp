/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 * isolation: snapshot
 *
 * Believes to be the last owner when the count is two minus its own.
 */
#include <cassert>
#include <thread>
#include <atomic>
#include <memory>

static std::atomic<int> last;

struct Data {
    int value = 0;
};

static void leaves(std::shared_ptr<Data> data)
{
    if (data.use_count() == 1)
        ++last;
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
