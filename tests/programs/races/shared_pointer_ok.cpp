/* rscale-test
 * verdict: clean
 * scope: all
 * options: --races
 *
 * The reference counts of std::shared_ptr, read and changed by two threads, and what they protect.
 */
#include <memory>
#include <thread>

struct Thing { int value = 1; };

int main() {
    auto thing = std::make_shared<Thing>();
    volatile int seen = 0;
    std::thread other([copy = thing]() mutable {
        copy.reset();
    });
    std::weak_ptr<Thing> weak = thing;
    if (auto locked = weak.lock()) seen = locked->value + (thing.use_count() > 3);
    thing.reset();
    other.join();
}
