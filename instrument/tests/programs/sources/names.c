/* Prints the addresses of variables and calls beside the names and lines that they must get. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

struct queue {
    int items[4];
    pthread_mutex_t lock;
    struct { int depth; char tail; };
    union { long whole; short parts[4]; } word;
    unsigned low : 3, high : 20;
    sem_t *slots;
};

typedef volatile struct queue shared_queue;
typedef struct { pthread_cond_t full, empty; struct queue queues[2]; } pool_t;

struct queue queue;
shared_queue aliased;
static pool_t pools[3];
pthread_mutex_t mutexes[5];
static const volatile int matrix[3][4] = {{1}};
struct { pthread_rwlock_t lock; int value; } table[3];
int counter = 7;
static long zeroed;
int *pointer = &counter;
sem_t semaphore;

#define VARIABLE(x) printf("variable %s %p\n", #x, (void *)&(x))

__attribute__((noinline)) static void mark(const char *function, int line)
{
    printf("call %s %d %p\n", function, line, __builtin_return_address(0));
    fflush(stdout);
}

__attribute__((always_inline)) static inline void innermost(void)
{
    mark("innermost<middle<outer", __LINE__);
    counter++;
}

__attribute__((always_inline)) static inline void middle(void)
{
    innermost();
    counter++;
}

__attribute__((noinline)) void outer(void)
{
    middle();
    mark("outer", __LINE__);
    counter++;
}

__attribute__((noinline)) void statics(void)
{
    static pthread_mutex_t function_lock;
    static int calls[2];
    VARIABLE(function_lock);
    VARIABLE(calls[1]);
    mark("statics", __LINE__);
    calls[1]++;
}

int main(void)
{
    char line[512];
    alarm(20);
    setvbuf(stdout, NULL, _IOLBF, 0);
    VARIABLE(queue.items[0]);
    VARIABLE(queue.items[3]);
    VARIABLE(queue.lock);
    VARIABLE(queue.depth);
    VARIABLE(queue.tail);
    VARIABLE(queue.word.whole);
    VARIABLE(queue.slots);
    VARIABLE(aliased.lock);
    VARIABLE(pools[2].empty);
    VARIABLE(pools[1].queues[1].lock);
    VARIABLE(mutexes[0]);
    VARIABLE(mutexes[3]);
    VARIABLE(matrix[2][1]);
    VARIABLE(table[2].lock);
    VARIABLE(table[1].value);
    VARIABLE(counter);
    VARIABLE(zeroed);
    VARIABLE(pointer);
    VARIABLE(semaphore);
    printf("variable counter+2 %p\n", (void *)((char *)&counter + 2));
    printf("variable mutexes[4] %p\n", (void *)((char *)&mutexes[4] + 16));
    outer();
    statics();
    printf("function %s %p\n", "outer", (void *)outer);
    printf("maps\n");
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        fputs(line, stdout);
    return zeroed;
}
