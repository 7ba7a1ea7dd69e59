/* rscale-test
 * verdict: bug
 * scope: all
 * kind: race
 * options: --races
 *
 * Two threads own what a std::shared_ptr leads to, and one of them changes it.
 */
#include <memory>
#include <thread>

struct Thing { int value = 1; };

int main() {
    auto thing = std::make_shared<Thing>();
    volatile int seen = 0;
    std::thread other([copy = thing]() mutable {
        copy->value = 2; copy.reset();
    });
    std::weak_ptr<Thing> weak = thing;
    if (auto locked = weak.lock()) seen = locked->value + (thing.use_count() > 3);
    thing.reset();
    other.join();
}
