/* rscale-test
 * verdict: bug
 * kind: race
 * message: two accesses to text
 * scope: all
 * options: --races
 *
 * No order of the two has a wrong result.
 */
#include <string>
#include <thread>

static std::string text = "here and there";

int main() {
    std::thread other([] { text.assign("gone"); });
    bool is_there = text.find("there") != std::string::npos;
    other.join();
    return is_there && text.size() != 4;
}
