/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 * isolation: snapshot
 *
 * The accesses are in virtual functions.
 */
#include <cassert>
#include <thread>
#include <memory>

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

static void adds()
{
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
