/* rscale-test
 * verdict: clean
 * scope: all
 * options: --memory tso
 * outcomes: 0:"0 0\n" 0:"0 1\n" 0:"1 0\n" 0:"1 1\n"
 *
 * What memcpy does for a string's functions waits in the buffer, as what they store themselves does: both threads can miss
 * what the other one has written.
 */
#include <atomic>
#include <cstdio>
#include <string>
#include <thread>

static volatile int ready;
static std::string text;
static int seen;

static void append() {
    text.append("bbbb", 4);
    seen = ready;
}

int main() {
    text.reserve(64);
    text = "aaaa";
    volatile const char *last = &text.data()[7];
    std::thread writer(append);
    ready = 1;
    std::atomic_thread_fence(std::memory_order_seq_cst);
    int got = *last == 'b';
    writer.join();
    printf("%d %d\n", got, seen);
    return 0;
}
