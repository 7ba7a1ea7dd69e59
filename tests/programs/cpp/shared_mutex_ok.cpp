/* rscale-test
 * verdict: clean
 * outcomes: 0:"0\n" 0:"2\n"
 *
 * std::shared_mutex: readers see both writes or none; try_lock fails beside a reader.
 */
#include <cassert>
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex lock;
static int left, right;

int main() {
    {
        std::shared_lock<std::shared_mutex> one(lock);
        std::thread([] {
            assert(!lock.try_lock());
            assert(lock.try_lock_shared());
            lock.unlock_shared();
        }).join();
    }
    std::thread writer([] {
        std::unique_lock<std::shared_mutex> guard(lock);
        left = 1;
        std::this_thread::yield();
        right = 1;
    });
    int sum;
    {
        std::shared_lock<std::shared_mutex> guard(lock);
        sum = left + right;
    }
    writer.join();
    std::printf("%d\n", sum);
}
