/* rscale-test
 * verdict: bug
 * scope: all
 * kind: race
 * message: + 4: write at
 * options: --races
 *
 * A line allocates two objects, one of them in a header: `new` says what the other one is, and not that this one has
 * a `second`.
 */
#include <thread>
#include <vector>

struct Pair {
    int first, second;
};

int main() {
    std::vector<int> sums(2); Pair *pair = new Pair{0, 0};
    std::thread other([&] { sums[1] = 1; });
    sums[1] = 2;
    other.join();
    delete pair;
}
