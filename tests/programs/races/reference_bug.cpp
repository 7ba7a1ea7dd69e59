/* rscale-test
 * verdict: bug
 * scope: all
 * kind: race
 * options: --races
 * flags: -std=c++20
 *
 * std::atomic_ref on one side only.
 */
#include <atomic>
#include <thread>

struct Item { int state = 0; int data = 0; };

static Item *shared;

int main() {
    shared = new Item;
    volatile int seen = 0;
    std::thread other([] {
        shared->data = 5;
        std::atomic_ref<int>(shared->state).store(1, std::memory_order_release);
    });
    if (shared->state) seen = shared->data;
    other.join();
    delete shared;
}
