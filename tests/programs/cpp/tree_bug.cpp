/* rscale-test
 * verdict: bug
 * kind: assertion
 * message: found == 2
 * scope: all
 *
 * Two threads insert into one tree, which libstdc++ keeps in balance: one of them does so beside the root of the other. Each has
 * its own lock.
 */
#include <cassert>
#include <map>
#include <mutex>
#include <thread>

static std::mutex locks[2];
static std::map<int, int> tree;

static void insert(int key) {
    std::lock_guard<std::mutex> guard(locks[key]);
    tree.emplace(key, 1);
}

int main() {
    std::thread other(insert, 1);
    insert(0);
    other.join();
    int found = 0;
    for (int key = 0; key < 2; key++)
        found += tree.count(key);
    assert(found == 2);
}
