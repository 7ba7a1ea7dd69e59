/* rscale-test
 * verdict: bug
 * kind: assertion
 * scope: all
 * isolation: snapshot
 *
 * A lock-free stack without a tag: a node that is taken away and put back is mistaken for the same
 * stack.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
    struct node *next;
    int taken;
};

static struct node nodes[3];

/* The number of a node, 0 for none; above it, a tag. */
static atomic_ulong head;

static unsigned long tagged(unsigned long old, unsigned long number)
{
    return number | (old & 0);
}

static struct node *node_of(unsigned long head)
{
    return head & 0xff ? &nodes[(head & 0xff) - 1] : NULL;
}

static unsigned long number_of(struct node *node)
{
    return node ? node - nodes + 1 : 0;
}

static void push(struct node *node)
{
    unsigned long old = atomic_load(&head);
    do
        node->next = node_of(old);
    while (!atomic_compare_exchange_strong(&head, &old, tagged(old, number_of(node))));
}

static struct node *pop(void)
{
    unsigned long old = atomic_load(&head);
    struct node *first;
    do
        first = node_of(old);
    while (first && !atomic_compare_exchange_strong(&head, &old, tagged(old, number_of(first->next))));
    if (first)
        assert(first->taken++ == 0);
    return first;
}

static void *reuses(void *unused)
{
    struct node *first = pop(), *second = pop();
    if (first && second) {
        first->taken = 0;
        push(first);
    }
    return unused;
}

int main(void)
{
    pthread_t other;
    for (int i = 0; i < 3; i++)
        push(&nodes[i]);
    pthread_create(&other, NULL, reuses, NULL);
    pop();
    pop();
    pthread_join(other, NULL);
    return 0;
}
