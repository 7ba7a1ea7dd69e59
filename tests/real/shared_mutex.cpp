// std::shared_mutex: a writer, two readers, and an attempt.
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <thread>

std::shared_mutex mutex;
int value, seen[2];

int main()
{
    std::thread writer([] {
        std::unique_lock lock(mutex);
        value = 1;
    });
    std::thread reader([] {
        std::shared_lock lock(mutex);
        seen[0] = value;
    });
    {
        std::shared_lock lock(mutex);
        seen[1] = value;
    }
    bool is_taken = mutex.try_lock();
    if (is_taken)
        mutex.unlock();
    writer.join();
    reader.join();
    std::printf("%d %d %d\n", seen[0], seen[1], is_taken);
}
