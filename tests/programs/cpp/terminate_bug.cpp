/* rscale-test
 * verdict: bug
 * kind: assertion
 *
 * A std::thread object that is destroyed while joinable.
 */
#include <thread>

int main() {
    std::thread other([] {});
}
