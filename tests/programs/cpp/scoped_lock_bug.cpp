/* rscale-test
 * verdict: bug
 * kind: deadlock
 *
 * Two guards in opposite orders instead of one scoped_lock.
 */
#include <mutex>
#include <thread>

static std::mutex left, right;

int main() {
    std::thread other([] {
        std::lock_guard<std::mutex> first(right);
        std::lock_guard<std::mutex> second(left);
    });
    {
        std::lock_guard<std::mutex> first(left);
        std::lock_guard<std::mutex> second(right);
    }
    other.join();
}
