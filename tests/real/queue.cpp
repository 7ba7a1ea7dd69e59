// std::condition_variable: who waits does not ask first whether there is something to wait for.
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <thread>

std::mutex mutex;
std::condition_variable condition;
std::deque<int> queue;

static int take()
{
    std::unique_lock<std::mutex> lock(mutex);
    condition.wait(lock);
    int front = queue.empty() ? -1 : queue.front();
    if (!queue.empty())
        queue.pop_front();
    return front;
}

static void put(int number)
{
    {
        std::lock_guard<std::mutex> lock(mutex);
        queue.push_back(number);
    }
    condition.notify_one();
}

int main()
{
    int taken = 0;
    std::thread other([&] { taken = take(); });
    put(1);
    put(2);
    other.join();
    std::printf("%d\n", taken);
}
