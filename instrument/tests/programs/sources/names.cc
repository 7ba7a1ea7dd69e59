// The C++ side: namespaces, classes, templates of the standard library.
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <unistd.h>
#include <utility>

struct Base {
    int id = 0;
    std::mutex base_lock;
};

namespace ns {
std::mutex lock;
std::atomic<int> counter;

class Pool : public Base {
public:
    std::mutex locks[4];
    std::pair<int, long> range;
    std::string name;
    static std::mutex global_lock;
    static int total;
    __attribute__((noinline)) void visit(int by);
};
std::mutex Pool::global_lock;
int Pool::total;

Pool pool;

namespace {
std::condition_variable ready;
}
} // namespace ns

std::array<std::mutex, 3> many;

#define VARIABLE(x) std::printf("variable %s %p\n", #x, (void *)&(x))

__attribute__((noinline)) static void mark(const char *function, int line)
{
    std::printf("call %s %d %p\n", function, line, __builtin_return_address(0));
}

void ns::Pool::visit(int by)
{
    static std::mutex visitors;
    VARIABLE(visitors);
    mark("ns::Pool::visit(int)", __LINE__);
    total += by;
}

int main()
{
    char line[512];
    alarm(20);
    VARIABLE(ns::lock);
    VARIABLE(ns::counter);
    VARIABLE(ns::pool.locks[2]);
    VARIABLE(ns::pool.id);
    VARIABLE(ns::pool.base_lock);
    VARIABLE(ns::pool.range.second);
    VARIABLE(ns::pool.name);
    VARIABLE(ns::Pool::global_lock);
    VARIABLE(ns::Pool::total);
    VARIABLE(many[1]);
    std::printf("anonymous %p\n", (void *)&ns::ready);
    ns::pool.visit(1);
    std::printf("maps\n");
    FILE *maps = std::fopen("/proc/self/maps", "r");
    while (maps && std::fgets(line, sizeof line, maps))
        std::fputs(line, stdout);
    return 0;
}
