/* rscale-test
 * verdict: bug
 * scope: all
 * kind: race
 * message: two accesses to published
 * options: --races
 * isolation: snapshot
 *
 * The flag is set before the data is there.
 */
#include <atomic>
#include <thread>

static std::atomic<int> flag;
static volatile int published;

int main() {
    std::thread thread([] {
        flag.store(1, std::memory_order_release);
        published = 1;
    });
    if (flag.load(std::memory_order_acquire) == 1)
        (void)published;
    thread.join();
    return 0;
}
