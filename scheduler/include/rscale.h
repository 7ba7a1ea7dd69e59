/* Functions with which a program talks to rscale.
 *
 * A program that uses them needs no library: outside rscale they do nothing. Compile it with
 *     cc -I "$(rscale include-dir)" ...
 */
#ifndef RSCALE_H
#define RSCALE_H

/* The address of a function of rscale's, or 0 outside of it. Taken from the global offset table whatever the compiler's
 * options: a linker decides on other weak references itself when the program is not position-independent. */
#ifdef __x86_64__
#define RSCALE_ADDRESS(name, address) \
    __asm__(".weak " name "\n\tmovq " name "@GOTPCREL(%%rip), %0" : "=r"(address))
#else
#define RSCALE_ADDRESS(name, address) ((address) = 0)
#endif

/* A function without result. Its own name in assembly keeps it apart from the one that it calls. */
#define RSCALE_FUNCTION(name, parameter, argument) \
    static inline void name parameter __asm__("rscale_inline." #name); \
    static inline void name parameter { \
        void(*function) parameter; \
        RSCALE_ADDRESS(#name, function); \
        if (function) \
            function argument; \
    }

/* No other thread runs between these two, unless the thread that does has to wait for one. */
RSCALE_FUNCTION(rscale_atomic_begin, (void), ())
RSCALE_FUNCTION(rscale_atomic_end, (void), ())

/* The same, as programs of SV-COMP call it. */
RSCALE_FUNCTION(__VERIFIER_atomic_begin, (void), ())
RSCALE_FUNCTION(__VERIFIER_atomic_end, (void), ())

/* Executions in which the condition does not hold are of no interest: they end here, and are no findings. */
RSCALE_FUNCTION(rscale_assume, (int condition), (condition))

/* An execution in which the condition does not hold is a finding. */
RSCALE_FUNCTION(rscale_assert, (int condition), (condition))

/* Lets other threads run. */
RSCALE_FUNCTION(rscale_yield, (void), ())

/* A number from 0 to limit - 1. All of them are tried, like the orders of the threads; outside rscale it is 0. */
static inline unsigned rscale_choose(unsigned limit) __asm__("rscale_inline.rscale_choose");
static inline unsigned rscale_choose(unsigned limit) {
    unsigned (*function)(unsigned);
    RSCALE_ADDRESS("rscale_choose", function);
    return function ? function(limit) : 0;
}

#endif
