/* rscale-test
 * verdict: clean
 * scope: all
 * options: --races
 * flags: -std=c++20
 *
 * std::atomic_ref: the type is a plain one, the function says that it is atomic.
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
    if (std::atomic_ref<int>(shared->state).load(std::memory_order_acquire)) seen = shared->data;
    other.join();
    delete shared;
}
