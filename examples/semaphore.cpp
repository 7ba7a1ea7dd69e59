// Two threads share one place, with the semaphore of the C++ standard library: a correct program.
//
// With the headers of GCC 12 it may sleep for ever. std::counting_semaphore::acquire() reads the number of free places, then
// tries to take one some times, and then waits in the kernel until the number is another than it read at first. If it was 1
// then, someone else takes the place while it tries, and gives it back before it waits, the number is 1 again: it waits,
// and nobody will wake it.
//
//     CXX='c++ -std=c++20' rscale run examples/semaphore.cpp
#include <cassert>
#include <semaphore>
#include <thread>

static std::counting_semaphore<2> place(1);
static int visits;

static void visit() {
    place.acquire();
    visits++;
    place.release();
}

int main() {
    std::thread other(visit);
    visit();
    other.join();
    assert(visits == 2);
}
