/* rscale-test
 * verdict: bug
 * kind: invariant
 * message: is_sorted (
 * options: --invariant is_sorted
 * scope: all
 *
 * The invariant is a static function that follows pointers through the heap: what it reads depends on what it has read.
 */
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static struct node *head;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

__attribute__((used)) static int is_sorted(void)
{
    for (struct node *node = head; node && node->next; node = node->next)
        if (node->value > node->next->value)
            return 0;
    return 1;
}

static void insert(int value)
{
    struct node *node = malloc(sizeof *node);
    struct node **place = &head;
    node->value = value;
    pthread_mutex_lock(&mutex);
    while (*place && (*place)->value < value)
        place = &(*place)->next;
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
    node->next = *place;
    *place = node;
    pthread_mutex_unlock(&mutex);
}

static void *work(void *value)
{
    insert(*(int *)value);
    return NULL;
}

int main(void)
{
    int values[2] = { 2, 1 };
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &values[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
