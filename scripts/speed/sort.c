/* Compute-heavy code with a mix of accesses, branches and calls: sorting, hashing. The argument is the number of rounds. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define SIZE 4096

static uint32_t numbers[SIZE], heads[SIZE], next[SIZE];

static void sort(uint32_t *from, long low, long high) {
    if (low >= high)
        return;
    uint32_t pivot = from[(low + high) / 2];
    long left = low, right = high;
    while (left <= right) {
        while (from[left] < pivot)
            left++;
        while (from[right] > pivot)
            right--;
        if (left <= right) {
            uint32_t other = from[left];
            from[left++] = from[right];
            from[right--] = other;
        }
    }
    sort(from, low, right);
    sort(from, left, high);
}

static void *idle(void *argument) {
    return argument;
}

int main(int count, char **arguments) {
    long rounds = count > 1 ? atol(arguments[1]) : 0;
    uint32_t state = 1, sum = 0;
    pthread_t thread;
    pthread_create(&thread, 0, idle, 0);
    for (long round = 0; round < rounds; round++) {
        for (long i = 0; i < SIZE; i++)
            numbers[i] = (state = state * 1664525 + 1013904223) >> 8;
        for (long i = 0; i < SIZE; i++) {
            uint32_t slot = numbers[i] * 2654435761u >> 20;
            next[i] = heads[slot];
            heads[slot] = (uint32_t)i;
        }
        sort(numbers, 0, SIZE - 1);
        sum += numbers[SIZE / 2] + next[heads[7]];
    }
    pthread_join(thread, 0);
    return sum == 1;
}
