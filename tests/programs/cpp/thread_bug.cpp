/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: total == 3
 *
 * The guard is gone before the sum is stored.
 */
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex lock;
static int total;

static int read() {
    std::lock_guard<std::mutex> guard(lock);
    return total;
}

static void write(int value) {
    std::lock_guard<std::mutex> guard(lock);
    total = value;
}

static void add(int number) {
    write(read() + number);
}

int main() {
    std::thread other(add, 2);
    add(1);
    other.join();
    assert(total == 3);
}
