/* rscale-test
 * verdict: clean
 * outcomes: 0:"2 1\n"
 *
 * call_once whose first try throws is tried again, then runs once; a local static is made once.
 */
#include <cassert>
#include <cstdio>
#include <mutex>
#include <thread>

static std::once_flag once;
static int tries, made;

struct Made {
    Made() { made++; }
};

static void calls() {
    try {
        std::call_once(once, [] {
            if (++tries == 1)
                throw 1;
        });
    } catch (int) {
        std::call_once(once, [] { ++tries; });
    }
    static Made object;
    (void)object;
    assert(tries == 2 && made == 1);
}

int main() {
    std::thread other(calls);
    calls();
    other.join();
    std::printf("%d %d\n", tries, made);
}
