/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: sum == 3
 * scope: all
 *
 * Two threads add to one list: the links are made in libstdc++.
 */
#include <cassert>
#include <list>
#include <thread>

static std::list<int> numbers;

int main() {
    std::thread other([] { numbers.push_back(1); });
    numbers.push_back(2);
    other.join();
    int sum = 0;
    for (int number : numbers)
        sum += number;
    assert(sum == 3);
}
