/* rscale-test
 * verdict: clean
 * scope: sync
 * outcomes: 0:"42 7 9 caught\n"
 *
 * async, promise, packaged_task; an exception travels through a future.
 */
#include <cstdio>
#include <future>
#include <stdexcept>
#include <thread>

int main() {
    auto asynchronous = std::async(std::launch::async, [] { return 42; });
    int a = asynchronous.get();

    std::promise<int> promise;
    std::future<int> promised = promise.get_future();
    std::thread keeper([&promise] { promise.set_value(7); });
    int b = promised.get();
    keeper.join();

    std::packaged_task<int(int)> task([](int x) { return x * x; });
    std::future<int> packaged = task.get_future();
    std::thread worker(std::move(task), 3);
    int c = packaged.get();
    worker.join();

    const char *text = "not caught";
    auto fails = std::async(std::launch::async, []() -> int { throw std::runtime_error("no"); });
    try {
        fails.get();
    } catch (const std::runtime_error &) {
        text = "caught";
    }
    std::printf("%d %d %d %s\n", a, b, c, text);
}
