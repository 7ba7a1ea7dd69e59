/* rscale-test
 * verdict: bug
 * kind: deadlock
 *
 * Two promises, each kept only when the other is.
 */
#include <future>
#include <thread>

int main() {
    std::promise<int> first, second;
    std::thread other([&] { second.set_value(first.get_future().get()); });
    first.set_value(second.get_future().get());
    other.join();
}
