/* rscale-test
 * verdict: bug
 * kind: deadlock
 *
 * Waits without a predicate: the notification may have been given before.
 */
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable ready;

int main() {
    std::thread other([] {
        std::lock_guard<std::mutex> guard(lock);
        ready.notify_one();
    });
    {
        std::unique_lock<std::mutex> guard(lock);
        ready.wait(guard);
    }
    other.join();
}
