/* What litmus tests have in common. */
#ifndef LITMUS_H
#define LITMUS_H

#include <pthread.h>
#include <stdio.h>

/* The body of a thread follows. */
#define THREAD(name)                                                                                                  \
    static void name##_body(void);                                                                                   \
    static void *name(void *unused)                                                                                  \
    {                                                                                                                \
        (void)unused;                                                                                                \
        name##_body();                                                                                               \
        return NULL;                                                                                                 \
    }                                                                                                                \
    static void name##_body(void)

/* Runs threads to their ends. */
#define RUN(...)                                                                                                      \
    do {                                                                                                             \
        void *(*bodies[])(void *) = {__VA_ARGS__};                                                                   \
        enum { COUNT = sizeof bodies / sizeof bodies[0] };                                                           \
        pthread_t threads[COUNT];                                                                                    \
        for (int i = 0; i < COUNT; i++)                                                                              \
            pthread_create(&threads[i], NULL, bodies[i], NULL);                                                      \
        for (int i = 0; i < COUNT; i++)                                                                              \
            pthread_join(threads[i], NULL);                                                                          \
    } while (0)

#define MFENCE() __asm__ volatile("mfence" ::: "memory")
#define SFENCE() __asm__ volatile("sfence" ::: "memory")
#define EXCHANGE(location, value) __atomic_exchange_n(&(location), (value), __ATOMIC_SEQ_CST)

#endif
