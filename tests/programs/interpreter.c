/* rscale-test
 * verdict: bug
 * scope: sync
 * kind: deadlock
 * arguments: ";create:1 create:2 join:1 join:2 / lock:a lock:b unlock:b unlock:a / lock:b lock:a unlock:a unlock:b" joined
 * runs: none=811
 * outcomes: 0:"|00|11\n" 0:"|11|00\n"
 */

/* Runs a program of the oracle's little language with real threads; see tests/src/oracle/program.rs.
 *
 * argv[1] is the program. argv[2] says what is printed at the end of the main thread: "total", all texts in the
 * order in which they grew, or "joined", the texts of the main thread and of the threads that it has joined.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8, STEPS = 64, LETTERS = 128, TEXT = 256 };

enum op {
    LOCK, TRYLOCK, UNLOCK, WAIT, TRYWAIT, POST, CWAIT, SIGNAL, BROADCAST, BARRIER,
    RD, WR, TRYRD, TRYWR, RWUNLOCK, CREATE, JOIN, PRINT, OPS
};

static const char *const names[OPS] = {
    "lock", "trylock", "unlock", "wait", "trywait", "post", "cwait", "signal", "broadcast", "barrier",
    "rd", "wr", "tryrd", "trywr", "rwunlock", "create", "join", "print"
};

struct step {
    enum op op;
    char object;
};

struct text {
    char characters[TEXT];
    int length;
};

/* The program. */
static struct step steps[THREADS][STEPS];
static int lengths[THREADS];
static int threads;

/* Its objects, by letter. */
static pthread_mutex_t mutexes[LETTERS];
static pthread_cond_t conditions[LETTERS];
static pthread_rwlock_t rwlocks[LETTERS];
static pthread_barrier_t barriers[LETTERS];
static sem_t semaphores[LETTERS];
static int turns[LETTERS];

/* What it says. */
static struct text everything, texts[THREADS];
static bool joined[THREADS];
static pthread_t handles[THREADS];

/* What the running thread holds. */
struct held {
    bool owns[LETTERS];
    int reads[LETTERS];
};

static void require(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "interpreter: %s\n", what);
        exit(2);
    }
}

static void append(struct text *text, char character)
{
    require(text->length < TEXT - 1, "text too long");
    text->characters[text->length++] = character;
}

static void say(int thread, char character)
{
    append(&texts[thread], character);
    append(&everything, character);
}

static void say_turn(int thread, int lock)
{
    say(thread, '0' + turns[lock] % 10);
}

static int mutex_of(int condition)
{
    return condition == 'c' ? 'a' : 'b';
}

static void *run(void *argument);

static void on_mutex(int thread, struct step step, struct held *held)
{
    int letter = step.object;
    if (step.op == LOCK) {
        require(pthread_mutex_lock(&mutexes[letter]) == 0, "lock");
        held->owns[letter] = true;
        say_turn(thread, letter);
        turns[letter]++;
    } else if (step.op == TRYLOCK) {
        int error = pthread_mutex_trylock(&mutexes[letter]);
        require(error == 0 || error == EBUSY, "trylock");
        held->owns[letter] |= error == 0;
        say(thread, error == 0 ? '+' : '-');
    } else if (held->owns[letter]) {
        held->owns[letter] = false;
        require(pthread_mutex_unlock(&mutexes[letter]) == 0, "unlock");
    }
}

static void on_condition(int thread, struct step step, struct held *held)
{
    int letter = step.object, mutex = mutex_of(letter);
    if (step.op == SIGNAL) {
        require(pthread_cond_signal(&conditions[letter]) == 0, "signal");
    } else if (step.op == BROADCAST) {
        require(pthread_cond_broadcast(&conditions[letter]) == 0, "broadcast");
    } else if (held->owns[mutex]) {
        require(pthread_cond_wait(&conditions[letter], &mutexes[mutex]) == 0, "cwait");
        say_turn(thread, mutex);
        turns[mutex]++;
    }
}

static void on_semaphore(int thread, struct step step)
{
    sem_t *semaphore = &semaphores[(int)step.object];
    if (step.op == WAIT) {
        require(sem_wait(semaphore) == 0, "wait");
    } else if (step.op == POST) {
        require(sem_post(semaphore) == 0, "post");
    } else {
        bool taken = sem_trywait(semaphore) == 0;
        require(taken || errno == EAGAIN, "trywait");
        say(thread, taken ? '+' : '-');
    }
}

static void on_rwlock(int thread, struct step step, struct held *held)
{
    int letter = step.object;
    pthread_rwlock_t *lock = &rwlocks[letter];
    if (step.op == RD || step.op == WR) {
        int error = step.op == RD ? pthread_rwlock_rdlock(lock) : pthread_rwlock_wrlock(lock);
        require(error == 0 || (error == EDEADLK && held->owns[letter]), "rd or wr");
        if (error != 0) {
            say(thread, 'D');
            return;
        }
        say_turn(thread, letter);
        held->reads[letter] += step.op == RD;
        held->owns[letter] = step.op == WR;
        turns[letter] += step.op == WR;
    } else if (step.op == RWUNLOCK) {
        if (!held->owns[letter] && held->reads[letter] == 0)
            return;
        held->reads[letter] -= !held->owns[letter];
        held->owns[letter] = false;
        require(pthread_rwlock_unlock(lock) == 0, "rwunlock");
    } else {
        int error = step.op == TRYRD ? pthread_rwlock_tryrdlock(lock) : pthread_rwlock_trywrlock(lock);
        require(error == 0 || error == EBUSY, "tryrd or trywr");
        held->reads[letter] += error == 0 && step.op == TRYRD;
        held->owns[letter] |= error == 0 && step.op == TRYWR;
        say(thread, error == 0 ? '+' : '-');
    }
}

static void perform(int thread, struct step step, struct held *held)
{
    int other = step.object - '0', result;
    switch (step.op) {
    case LOCK: case TRYLOCK: case UNLOCK:
        on_mutex(thread, step, held);
        break;
    case CWAIT: case SIGNAL: case BROADCAST:
        on_condition(thread, step, held);
        break;
    case WAIT: case TRYWAIT: case POST:
        on_semaphore(thread, step);
        break;
    case BARRIER:
        result = pthread_barrier_wait(&barriers[(int)step.object]);
        require(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD, "barrier");
        say(thread, result == 0 ? '.' : '!');
        break;
    case CREATE:
        require(pthread_create(&handles[other], NULL, run, &texts[other]) == 0, "create");
        break;
    case JOIN:
        require(pthread_join(handles[other], NULL) == 0, "join");
        joined[other] = true;
        break;
    case PRINT:
        say(thread, step.object);
        break;
    default:
        on_rwlock(thread, step, held);
    }
}

static void *run(void *argument)
{
    int thread = (int)((struct text *)argument - texts);
    struct held held;
    memset(&held, 0, sizeof held);
    for (int i = 0; i < lengths[thread]; i++)
        perform(thread, steps[thread][i], &held);
    return NULL;
}

/* s=1: a semaphore or a barrier. */
static void declare(int letter, int value)
{
    if (letter == 's' || letter == 't')
        require(sem_init(&semaphores[letter], 0, value) == 0, "sem_init");
    else
        require(pthread_barrier_init(&barriers[letter], NULL, value) == 0, "barrier_init");
}

static void parse_word(const char *word)
{
    const char *colon = strchr(word, ':');
    require(colon != NULL && colon[1] != '\0' && colon[2] == '\0', "a word is not of the form op:x");
    for (int op = 0; op < OPS; op++) {
        if (strncmp(names[op], word, colon - word) == 0 && names[op][colon - word] == '\0') {
            require(lengths[threads] < STEPS, "too many steps");
            steps[threads][lengths[threads]++] = (struct step){op, colon[1]};
            return;
        }
    }
    require(false, "no such operation");
}

static void parse(char *program)
{
    char *body = strchr(program, ';');
    require(body != NULL, "no ; before the threads");
    *body++ = '\0';
    for (char *word = strtok(program, " "); word != NULL; word = strtok(NULL, " ")) {
        require(strlen(word) == 3 && word[1] == '=', "a value is not of the form s=1");
        declare(word[0], word[2] - '0');
    }
    for (char *word = strtok(body, " "); word != NULL; word = strtok(NULL, " ")) {
        if (strcmp(word, "/") == 0)
            require(++threads < THREADS, "too many threads");
        else
            parse_word(word);
    }
}

int main(int argc, char **argv)
{
    require(argc == 3, "usage: interpreter PROGRAM total|joined");
    for (int i = 0; i < LETTERS; i++) {
        pthread_mutex_init(&mutexes[i], NULL);
        pthread_cond_init(&conditions[i], NULL);
        pthread_rwlock_init(&rwlocks[i], NULL);
    }
    parse(argv[1]);
    run(&texts[0]);
    if (strcmp(argv[2], "total") == 0) {
        puts(everything.characters);
        return 0;
    }
    static struct text line;
    for (int i = 0; i <= threads; i++) {
        if (i > 0)
            append(&line, '|');
        for (int at = 0; (i == 0 || joined[i]) && at < texts[i].length; at++)
            append(&line, texts[i].characters[at]);
    }
    puts(line.characters);
    return 0;
}
