/* rscale-test
 * verdict: clean
 * scope: all
 * options: --races
 * executions: optimal=2
 *
 * Streams, strings and trees that only one thread has: nothing that libstdc++ does to them is a step. That the first stream
 * sets up the locale once is.
 */
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <thread>

static std::string speech(int number) {
    std::map<int, std::string> words;
    std::ostringstream sentence;
    for (int word = 0; word < number; word++)
        words[-word] = "word " + std::to_string(word);
    for (const auto &[place, word] : words)
        sentence << place << ' ' << word << ", ";
    return sentence.str();
}

static std::string said[2];

int main() {
    std::thread one([] { said[0] = speech(3); }), other([] { said[1] = speech(4); });
    one.join();
    other.join();
    std::cout << said[0] << said[1] << std::endl;
}
