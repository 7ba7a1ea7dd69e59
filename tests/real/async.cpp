// std::async, std::promise, std::future: who does not wait for a value must not rely on it.
#include <cassert>
#include <chrono>
#include <cstdio>
#include <future>

int main()
{
    std::promise<int> promise;
    auto other = std::async(std::launch::async, [&] {
        promise.set_value(7);
        return 1;
    });
    auto future = promise.get_future();
    auto status = future.wait_for(std::chrono::seconds(0));
    int sum = future.get() + other.get();
    std::printf("%d %d\n", sum, status == std::future_status::ready);
    assert(status == std::future_status::ready);
}
