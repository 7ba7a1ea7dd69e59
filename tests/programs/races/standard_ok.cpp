/* rscale-test
 * verdict: clean
 * scope: all
 * options: --races
 * isolation: snapshot
 *
 * std::atomic, global and on the heap, std::mutex, std::call_once and std::thread protect what is theirs.
 */
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

struct Message {
    std::atomic<bool> ready{false};
    int data = 0;
};

static std::atomic<int> flag;
static std::mutex lock;
static std::once_flag once;
static int published, counted, made;

static void work(Message &message) {
    std::call_once(once, [] { made = 1; });
    published = made;
    flag.store(1, std::memory_order_release);
    message.data = 1;
    message.ready.store(true, std::memory_order_release);
    std::lock_guard<std::mutex> guard(lock);
    counted++;
}

int main() {
    auto message = std::make_unique<Message>();
    std::thread thread(work, std::ref(*message));
    std::call_once(once, [] { made = 1; });
    if (flag.load(std::memory_order_acquire) == 1)
        published++;
    if (message->ready)
        message->data++;
    {
        std::lock_guard<std::mutex> guard(lock);
        counted += made;
    }
    thread.join();
    return counted - 2;
}
