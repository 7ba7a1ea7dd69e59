/* rscale-test
 * verdict: clean
 * scope: all
 * isolation: snapshot
 *
 * The accesses are in virtual functions; here, under a lock.
 */
#include <cassert>
#include <thread>
#include <memory>
#include <mutex>

struct Counter {
    virtual ~Counter() = default;
    virtual void add() = 0;
};

static int shared;

struct ByOne : Counter {
    void add() override { shared += 1; }
};

struct ByTwo : Counter {
    void add() override { shared += 2; }
};

static std::unique_ptr<Counter> counters[2] = {std::make_unique<ByOne>(), std::make_unique<ByTwo>()};
static std::mutex mutex;

static void adds()
{
    std::lock_guard<std::mutex> guard(mutex);
    for (auto &counter : counters)
        counter->add();
}

int main()
{
    std::thread other(adds);
    adds();
    other.join();
    assert(shared == 6);
}
