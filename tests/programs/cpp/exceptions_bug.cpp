/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: uncaught exception std::runtime_error: not open yet
 *
 * An exception that leaves a thread ends the program, in one of the two orders.
 */
#include <mutex>
#include <stdexcept>
#include <thread>

static std::mutex lock;
static bool open_;

int main() {
    std::thread other([] {
        std::lock_guard<std::mutex> guard(lock);
        if (!open_)
            throw std::runtime_error("not open yet");
    });
    {
        std::lock_guard<std::mutex> guard(lock);
        open_ = true;
    }
    other.join();
}
