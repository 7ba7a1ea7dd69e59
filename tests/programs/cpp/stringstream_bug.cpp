/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: words.str().size() == 5
 * scope: all
 *
 * Two threads write to one stream: its buffer is changed in libstdc++.
 */
#include <cassert>
#include <sstream>
#include <thread>

static std::ostringstream words;

int main() {
    std::thread other([] { words << "ab"; });
    words << 123;
    other.join();
    assert(words.str().size() == 5);
}
