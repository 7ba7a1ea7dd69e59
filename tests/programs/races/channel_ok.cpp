/* rscale-test
 * verdict: clean
 * scope: all
 * options: --races
 *
 * Atomic members behind pointers, references and inline functions.
 */
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

struct Channel { int payload = 0; std::atomic<bool> ready{false}; std::atomic<long> sent{0}; };

static inline void publish(Channel *channel, int value) {
    channel->payload = value;
    channel->sent.store(1, std::memory_order_relaxed);
    channel->ready.store(true, std::memory_order_release);
}

static inline bool consume(const Channel &channel, int &value) {
    if (!channel.ready.load(std::memory_order_acquire)) return false;
    value = channel.payload;
    return true;
}

int main() {
    auto channels = std::make_unique<std::vector<Channel>>(2);
    volatile int sum = 0;
    std::thread first([&] { for (Channel &channel : *channels) publish(&channel, 3); });
    std::thread second([&] {
        int value;
        for (const Channel &channel : *channels)
            if (consume(channel, value)) sum = sum + value;
    });
    first.join();
    second.join();
}
