/* rscale-test
 * verdict: bug
 * kind: memory
 * message: use after free
 * location: pointer_after_free_bug.c:37
 *
 * Follows a pointer that it read from a freed node.
 */
#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *head;

static void *frees(void *unused) {
    pthread_mutex_lock(&lock);
    struct node *old = head;
    pthread_mutex_unlock(&lock);
    free(old);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct node *second = calloc(1, sizeof *second);
    head = calloc(1, sizeof *head);
    head->next = second;
    pthread_create(&thread, NULL, frees, NULL);
    pthread_mutex_lock(&lock);
    struct node *volatile first = head;
    pthread_mutex_unlock(&lock);
    first->next->value = 1; /* here */
    pthread_join(thread, NULL);
    return 0;
}
