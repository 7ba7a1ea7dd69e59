/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 * isolation: snapshot
 *
 * The pointer is published before the object is complete.
 */
#include <cassert>
#include <thread>
#include <atomic>
#include <mutex>

struct Config {
    int value;
};

static Config config;
static std::atomic<Config *> instance;
static std::mutex mutex;

static Config *get()
{
    Config *found = instance.load(std::memory_order_acquire);
    if (!found) {
        std::lock_guard<std::mutex> guard(mutex);
        found = instance.load(std::memory_order_relaxed);
        if (!found) {
            found = &config;
            instance.store(found, std::memory_order_release);
            found->value = 42;
        }
    }
    return found;
}

static void adds()
{
    assert(get()->value == 42);
}

int main()
{
    std::thread other(adds);
    adds();
    other.join();
}
