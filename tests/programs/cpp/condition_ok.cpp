/* rscale-test
 * verdict: clean
 * outcomes: 0:"1 2 3\n"
 *
 * A queue with std::condition_variable and a predicate.
 */
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <queue>
#include <thread>

static std::mutex lock;
static std::condition_variable filled;
static std::queue<int> queue;

static int take() {
    std::unique_lock<std::mutex> guard(lock);
    filled.wait(guard, [] { return !queue.empty(); });
    int value = queue.front();
    queue.pop();
    return value;
}

int main() {
    std::thread producer([] {
        for (int i = 1; i <= 3; i++) {
            std::lock_guard<std::mutex> guard(lock);
            queue.push(i);
            filled.notify_one();
        }
    });
    int a = take(), b = take(), c = take();
    producer.join();
    std::printf("%d %d %d\n", a, b, c);
}
