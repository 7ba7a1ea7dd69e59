/* SCALE's thread pool (thesis, appendix A.3.1): N workers take jobs from a list; main enqueues one job, then asks all to
 * leave. A worker that finds the pool closing leaves at once, so the job may stay undone: that is how the original is.
 *
 *   cc -g -O1 -pthread -DN=2 threadpool.c
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef N
#define N 2
#endif

typedef void (*job_function)(void);

struct job {
    job_function run;
    struct job *next;
};

struct {
    struct job *head, *tail;
} jobs;
pthread_mutex_t lock;
pthread_cond_t wake_up;
int closing, idle;

/* With the lock held, and a job in the list. */
static job_function take_job(void) {
    struct job *first = jobs.head;
    job_function run = first->run;
    jobs.head = first->next;
    if (jobs.head == NULL)
        jobs.tail = NULL;
    free(first);
    return run;
}

static void add_job(job_function run) {
    pthread_mutex_lock(&lock);
    struct job *job = malloc(sizeof *job);
    assert(job != NULL);
    job->run = run;
    job->next = NULL;
    if (jobs.tail == NULL) {
        assert(jobs.head == NULL);
        jobs.head = job;
    } else {
        jobs.tail->next = job;
    }
    jobs.tail = job;
    if (idle > 0)
        pthread_cond_signal(&wake_up);
    pthread_mutex_unlock(&lock);
}

static void *worker(void *unused) {
    for (;;) {
        pthread_mutex_lock(&lock);
        while (jobs.head == NULL && !closing) {
            idle++;
            pthread_cond_wait(&wake_up, &lock);
            idle--;
        }
        if (closing)
            break;
        job_function run = take_job();
        pthread_mutex_unlock(&lock);
        run();
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

static void hello(void) {
    printf("Hello!\n");
}

int main(void) {
    pthread_t workers[N];
    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&wake_up, NULL);
    for (int i = 0; i < N; i++)
        pthread_create(&workers[i], NULL, worker, NULL);
    add_job(hello);
    pthread_mutex_lock(&lock);
    closing = 1;
    pthread_cond_broadcast(&wake_up);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < N; i++)
        pthread_join(workers[i], NULL);
    pthread_mutex_destroy(&lock);
    pthread_cond_destroy(&wake_up);
    return 0;
}
