/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: std::terminate was called without an exception
 *
 * A std::thread object that is destroyed while joinable.
 */
#include <thread>

int main() {
    std::thread other([] {});
}
