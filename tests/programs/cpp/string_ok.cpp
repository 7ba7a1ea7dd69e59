/* rscale-test
 * verdict: clean
 * scope: all
 * options: --races
 * executions: optimal=2
 *
 * The same under a lock, and strings that only one thread has.
 */
#include <cassert>
#include <mutex>
#include <string>
#include <thread>

static std::mutex lock;
static std::string text;

static void add(const char *word) {
    std::string own(word);
    own.insert(0, "from a string that is too long for its object: ");
    std::lock_guard<std::mutex> guard(lock);
    text.append(own);
}

int main() {
    std::thread other(add, "abc");
    add("defg");
    other.join();
    assert(text.size() == 2 * 47 + 7);
}
