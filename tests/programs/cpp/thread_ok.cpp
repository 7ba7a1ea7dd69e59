/* rscale-test
 * verdict: clean
 * outcomes: 0:"3 3\n"
 *
 * std::thread with std::mutex and std::lock_guard.
 */
#include <cassert>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex lock;
static int total;
static std::vector<int> values;

static void add(int number) {
    std::lock_guard<std::mutex> guard(lock);
    total += number;
    values.push_back(number);
}

int main() {
    std::thread first(add, 1), second(add, 2);
    assert(first.get_id() != second.get_id() && first.joinable());
    first.join();
    second.join();
    assert(!first.joinable());
    std::printf("%d %d\n", total, values[0] + values[1]);
}
