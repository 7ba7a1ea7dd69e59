/* rscale-test
 * verdict: clean
 * scope: all
 * flags: -D_GLIBCXX_USE_CXX11_ABI=0
 * options: --races
 *
 * Strings as they were before C++11 share what they hold, and count themselves by atomic accesses in libstdc++.
 */
#include <cassert>
#include <string>
#include <thread>

static const std::string text = "said to all";

static void add() {
    std::string own(text);
    own += '!';
    assert(own.size() == text.size() + 1);
}

int main() {
    std::thread other(add);
    add();
    other.join();
    assert(text == "said to all");
}
