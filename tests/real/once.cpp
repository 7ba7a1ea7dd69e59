// std::call_once: the first call throws, and the other thread calls again.
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <thread>

std::once_flag flag;
int calls, done_by;

static void once(int number)
{
    try {
        std::call_once(flag, [&] {
            if (calls++ == 0)
                throw std::runtime_error("not yet");
            done_by = number;
        });
    } catch (const std::runtime_error &) {
    }
}

int main()
{
    std::thread one(once, 1), two(once, 2);
    one.join();
    two.join();
    std::printf("%d %d\n", calls, done_by);
}
