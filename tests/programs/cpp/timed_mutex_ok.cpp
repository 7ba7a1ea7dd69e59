/* rscale-test
 * verdict: clean
 * outcomes: 0:"locked\n" 0:"time-out\n"
 *
 * try_lock_for gives up or not; recursive_mutex counts.
 */
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>

static std::timed_mutex lock;
static std::recursive_mutex recursive;
static bool locked;

int main() {
    {
        std::lock_guard<std::recursive_mutex> one(recursive);
        std::lock_guard<std::recursive_mutex> two(recursive);
    }
    std::thread other([] {
        locked = lock.try_lock_for(std::chrono::milliseconds(10));
        if (locked)
            lock.unlock();
    });
    lock.lock();
    lock.unlock();
    other.join();
    std::printf("%s\n", locked ? "locked" : "time-out");
}
