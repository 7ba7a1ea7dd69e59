/* rscale-test
 * verdict: clean
 * outcomes: 0:"ab\n" 0:"ba\n"
 *
 * Exceptions in two threads at a time, each through scheduling points: destructors unlock.
 */
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

static std::mutex lock;
static std::string order;

static void inner(char letter) {
    std::lock_guard<std::mutex> guard(lock);
    throw std::string(1, letter);
}

static void outer(char letter) {
    try {
        inner(letter);
    } catch (const std::string &text) {
        std::this_thread::yield();
        std::lock_guard<std::mutex> guard(lock);
        order += text;
    }
}

int main() {
    std::thread other(outer, 'b');
    outer('a');
    other.join();
    std::printf("%s\n", order.c_str());
}
