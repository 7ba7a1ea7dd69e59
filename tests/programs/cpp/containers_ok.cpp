/* rscale-test
 * verdict: clean
 * scope: all
 * options: --races
 * executions: optimal=2
 *
 * A list, a tree, a hash table and a buffer that two threads change under a lock.
 */
#include <cassert>
#include <list>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>

static std::mutex lock;
static std::list<int> numbers;
static std::map<int, int> tree;
static std::unordered_map<std::string, int> table;
static std::ostringstream words;

static void add(int number) {
    std::lock_guard<std::mutex> guard(lock);
    numbers.push_back(number);
    tree[number] = number;
    table[std::to_string(number)] = number;
    words << number << " and ";
}

int main() {
    std::thread other(add, 1);
    add(2);
    other.join();
    assert(numbers.size() == 2 && tree.size() == 2 && table.size() == 2);
    assert(words.str().size() == 12);
}
