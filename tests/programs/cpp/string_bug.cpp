/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: text.size() == 7
 * scope: all
 *
 * Two threads append to one string: how that is done lies in libstdc++.
 */
#include <cassert>
#include <string>
#include <thread>

static std::string text;

int main() {
    std::thread other([] { text.append("abc"); });
    text.append("defg");
    other.join();
    assert(text.size() == 7);
}
