/* Functions with which a program talks to rscale.
 *
 * A program that uses them needs no library: outside rscale they do nothing. Compile it with
 *     cc -I "$(rscale include-dir)" ...
 */
#ifndef RSCALE_H
#define RSCALE_H

/* void rscale_atomic_begin(void);
 * void rscale_atomic_end(void);
 *
 * No other thread runs between these two, unless the thread that does has to wait for one. */
#define rscale_atomic_begin() RSCALE_CALL("rscale_atomic_begin", (void), ())
#define rscale_atomic_end() RSCALE_CALL("rscale_atomic_end", (void), ())

/* void rscale_assume(int condition);
 *
 * Executions in which the condition does not hold are of no interest: they end here, and are no findings. */
#define rscale_assume(condition) RSCALE_CALL("rscale_assume", (int), ((condition) != 0))

/* void rscale_assert(int condition);
 *
 * An execution in which the condition does not hold is a finding. */
#define rscale_assert(condition) RSCALE_CALL("rscale_assert", (int), ((condition) != 0))

/* void rscale_yield(void);
 *
 * Lets other threads run. */
#define rscale_yield() RSCALE_CALL("rscale_yield", (void), ())

/* unsigned rscale_choose(unsigned limit);
 *
 * A number from 0 to limit - 1. All of them are tried, like the orders of the threads; outside rscale it is 0. */
#define rscale_choose(limit) \
    __extension__({ \
        unsigned (*rscale_function)(unsigned); \
        RSCALE_ADDRESS("rscale_choose", rscale_function); \
        rscale_function ? rscale_function(limit) : 0u; \
    })

/* Macros, so that reports name the line of the program. */
#define RSCALE_CALL(name, parameter, argument) \
    __extension__({ \
        void(*rscale_function) parameter; \
        RSCALE_ADDRESS(name, rscale_function); \
        if (rscale_function) \
            rscale_function argument; \
    })

/* The address of a function of rscale's, or 0 outside of it. Taken from the global offset table whatever the compiler's
 * options: a linker decides on other weak references itself when the program is not position-independent. */
#ifdef __x86_64__
#define RSCALE_ADDRESS(name, address) \
    __asm__(".weak " name "\n\tmovq " name "@GOTPCREL(%%rip), %0" : "=r"(address))
#else
#define RSCALE_ADDRESS(name, address) ((address) = 0)
#endif

#endif
