/* rscale-test
 * verdict: clean
 * scope: all
 * executions: optimal=27 source=27 dpor=27 epor=35
 *
 * Each of two threads locks both mutexes, in opposite orders. Where each holds one of them, both give back what they hold and
 * begin anew, for ever if they go on in step: an execution that comes back to a state is not followed any further. States are
 * compared once both threads have started, which eager reduction lets them do later.
 */
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex left, right;
static int counter;

int main() {
    std::thread other([] {
        std::scoped_lock guard(right, left);
        counter++;
    });
    std::thread another([] {
        std::scoped_lock guard(left, right);
        counter++;
    });
    other.join();
    another.join();
    assert(counter == 2);
}
