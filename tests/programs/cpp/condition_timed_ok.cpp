/* rscale-test
 * verdict: clean
 * outcomes: 0:"ready\n" 0:"time-out\n"
 *
 * wait_for with a predicate: false only after a time-out with the predicate still false.
 */
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable changed;
static bool ready;

int main() {
    std::thread other([] {
        std::lock_guard<std::mutex> guard(lock);
        ready = true;
        changed.notify_all();
    });
    bool in_time;
    {
        std::unique_lock<std::mutex> guard(lock);
        in_time = changed.wait_for(guard, std::chrono::seconds(1), [] { return ready; });
    }
    other.join();
    std::printf("%s\n", in_time ? "ready" : "time-out");
}
