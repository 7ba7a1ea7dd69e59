// std::shared_mutex: who has read that nothing is there writes, though somebody else may have written meanwhile.
#include <cstdio>
#include <shared_mutex>
#include <thread>

std::shared_mutex mutex;
int value;

static void add_once()
{
    mutex.lock_shared();
    int seen = value;
    mutex.unlock_shared();
    if (seen == 0) {
        mutex.lock();
        value++;
        mutex.unlock();
    }
}

int main()
{
    std::thread other(add_once);
    add_once();
    other.join();
    std::printf("%d\n", value);
}
