/* rscale-test
 * verdict: clean
 * outcomes: 0:"made 1 destroyed 1\n"
 *
 * A thread_local object is made at first use, per thread, and destroyed at the thread's end, before a join returns.
 */
#include <cassert>
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex lock;
static int made, destroyed;

struct Counted {
    int value = 5;
    Counted() {
        std::lock_guard<std::mutex> guard(lock);
        made++;
    }
    ~Counted() {
        std::lock_guard<std::mutex> guard(lock);
        destroyed++;
    }
};

static thread_local Counted counted;

int main() {
    std::thread user([] { assert(counted.value++ == 5); });
    std::thread idle([] {});
    user.join();
    idle.join();
    std::printf("made %d destroyed %d\n", made, destroyed);
}
