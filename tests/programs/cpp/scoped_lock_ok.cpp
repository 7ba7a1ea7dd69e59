/* rscale-test
 * verdict: clean
 *
 * std::lock on one side, the other takes one lock only: no deadlock, and the retry loop ends.
 */
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex left, right;
static int counter;

int main() {
    std::thread other([] {
        std::lock_guard<std::mutex> guard(right);
        counter++;
    });
    {
        std::scoped_lock guard(left, right);
        counter++;
    }
    other.join();
    assert(counter == 2);
}
