/* rscale-test
 * verdict: bug
 * kind: invariant
 * message: bank::solvent (
 * options: --invariant "bank::solvent()" --invariant plain
 * scope: all
 *
 * C++ functions by their names; one in an anonymous namespace by the last part of its own.
 */
#include <thread>

namespace bank {
static volatile int balance = 1;
int solvent() { return balance >= 0; }
int solvent(int limit) { return balance >= limit; }
}

namespace {
__attribute__((used)) int plain() { return bank::solvent(-2); }
}

int main()
{
    std::thread thread([] {
        bank::balance = -1;
        bank::balance = 1;
    });
    thread.join();
    return 0;
}
