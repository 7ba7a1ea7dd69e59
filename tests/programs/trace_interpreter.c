/* rscale-test
 * verdict: bug
 * scope: all
 * kind: deadlock
 * arguments: "create:1,0,0,0 create:2,0,0,0 join:1,0,0,0 join:2,0,0,0 / lock:0,0,0,0 load:0,1,0,0 unless:0,0,2,0 wait:0,0,0,0 jump:-4,0,0,0 unlock:0,0,0,0 / increase:1,1,0,0 signal:0,0,0,0"
 * outcomes: 0:"0 0 0, 1 0 0, 0 0 0 = 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
 */

/* Runs a program of the trace oracle's little language with real threads; see tests/src/trace_oracle/program.rs.
 *
 * argv[1] is the program. Only the variables, the mutexes and the condition variables are shared while threads run;
 * the program is read by all and written by none.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../scheduler/include/rscale.h"

enum { THREADS = 4, STEPS = 96, VARIABLES = 20, REGISTERS = 3, OBJECTS = 3 };

enum op {
    LOAD, STORE, PUT, COPY, INCREASE, XCHG, CAS, LOCK, TRYLOCK, UNLOCK, WAIT, SIGNAL, BROADCAST, BEGIN, END,
    ADD, UNLESS, JUMP, CREATE, JOIN, OPS
};

static const char *const names[OPS] = {
    "load", "store", "put", "copy", "increase", "xchg", "cas", "lock", "trylock", "unlock", "wait", "signal",
    "broadcast", "begin", "end", "add", "unless", "jump", "create", "join"
};

struct step {
    enum op op;
    int a, b, c, d;
};

/* The program. */
static struct step steps[THREADS][STEPS];
static int lengths[THREADS];
static int threads;

/* What its threads share. */
static volatile int variables[VARIABLES];
static pthread_mutex_t mutexes[OBJECTS];
static pthread_cond_t conditions[OBJECTS];

/* What is left of them. */
static pthread_t handles[THREADS];
static int results[THREADS][REGISTERS];

static void require(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "trace_interpreter: %s\n", what);
        exit(2);
    }
}

static int compare_and_swap(volatile int *variable, int expected, int desired)
{
    __atomic_compare_exchange_n(variable, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
}

static bool try_lock(pthread_mutex_t *mutex)
{
    int error = pthread_mutex_trylock(mutex);
    require(error == 0 || error == EBUSY, "trylock");
    return error == 0;
}

static void *run(void *argument)
{
    int thread = (int)((int(*)[REGISTERS])argument - results);
    int reg[REGISTERS] = {0};
    for (int i = 0; i < lengths[thread]; i++) {
        struct step step = steps[thread][i];
        int a = step.a, b = step.b;
        switch (step.op) {
        case LOAD: reg[a] = variables[b]; break;
        case STORE: variables[a] = b; break;
        case PUT: variables[a] = reg[b]; break;
        case COPY: variables[a] = variables[b]; break;
        case INCREASE: variables[a] += b; break;
        case XCHG: reg[a] = __atomic_exchange_n(&variables[b], step.c, __ATOMIC_SEQ_CST); break;
        case CAS: reg[a] = compare_and_swap(&variables[b], step.c, step.d); break;
        case LOCK: require(pthread_mutex_lock(&mutexes[a]) == 0, "lock"); break;
        case TRYLOCK: reg[a] = try_lock(&mutexes[b]); break;
        case UNLOCK: require(pthread_mutex_unlock(&mutexes[a]) == 0, "unlock"); break;
        case WAIT: require(pthread_cond_wait(&conditions[a], &mutexes[a]) == 0, "wait"); break;
        case SIGNAL: require(pthread_cond_signal(&conditions[a]) == 0, "signal"); break;
        case BROADCAST: require(pthread_cond_broadcast(&conditions[a]) == 0, "broadcast"); break;
        case BEGIN: rscale_atomic_begin(); break;
        case END: rscale_atomic_end(); break;
        case ADD: reg[a] += b; break;
        case UNLESS: i += reg[a] == b ? 0 : step.c; break;
        case JUMP: i += a; break;
        case CREATE: require(pthread_create(&handles[a], NULL, run, results[a]) == 0, "create"); break;
        case JOIN: require(pthread_join(handles[a], NULL) == 0, "join"); break;
        default: require(false, "no such operation");
        }
    }
    memcpy(results[thread], reg, sizeof reg);
    return NULL;
}

static void parse_word(char *word)
{
    struct step step;
    char *colon = strchr(word, ':');
    require(colon != NULL, "a word is not of the form name:numbers");
    *colon = '\0';
    require(sscanf(colon + 1, "%d,%d,%d,%d", &step.a, &step.b, &step.c, &step.d) == 4, "an operation has four numbers");
    for (step.op = 0; step.op < OPS && strcmp(names[step.op], word) != 0;)
        step.op++;
    require(step.op < OPS, "no such operation");
    require(lengths[threads] < STEPS, "too many steps");
    steps[threads][lengths[threads]++] = step;
}

static void parse(char *program)
{
    for (char *word = strtok(program, " "); word != NULL; word = strtok(NULL, " ")) {
        if (strcmp(word, "/") == 0)
            require(++threads < THREADS, "too many threads");
        else
            parse_word(word);
    }
}

static void print(const volatile int *numbers, int count, const char *end)
{
    for (int i = 0; i < count; i++)
        printf("%s%d", i == 0 ? "" : " ", numbers[i]);
    printf("%s", end);
}

int main(int argc, char **argv)
{
    require(argc == 2, "usage: trace_interpreter PROGRAM");
    for (int i = 0; i < OBJECTS; i++) {
        pthread_mutex_init(&mutexes[i], NULL);
        pthread_cond_init(&conditions[i], NULL);
    }
    parse(argv[1]);
    run(results[0]);
    for (int thread = 0; thread <= threads; thread++)
        print(results[thread], REGISTERS, thread < threads ? ", " : " = ");
    print(variables, VARIABLES, "\n");
    return 0;
}
