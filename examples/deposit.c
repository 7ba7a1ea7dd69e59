#include <assert.h>
#include <pthread.h>

int balance = 100;

static void *deposit(void *unused) {
    balance += 50;
    return unused;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, deposit, NULL);
    deposit(NULL);
    pthread_join(other, NULL);
    assert(balance == 200);
}
