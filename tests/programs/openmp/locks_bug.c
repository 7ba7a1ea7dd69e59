/* rscale-test
 * verdict: bug
 * kind: deadlock
 * scope: all
 * isolation: snapshot
 * threads-engine: no
 * flags: -fopenmp
 * levels: -O1
 * options: --filters pb=1
 *
 * Locks of OpenMP, taken in opposite orders: they are atomic accesses and futexes in libgomp, whose code is watched like the
 * program's.
 */
#include <omp.h>

static omp_lock_t first, second;

static void both(omp_lock_t *one, omp_lock_t *other) {
    omp_set_lock(one);
    omp_set_lock(other);
    omp_unset_lock(other);
    omp_unset_lock(one);
}

int main(void) {
    omp_init_lock(&first);
    omp_init_lock(&second);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0)
            both(&first, &second);
        else
            both(&second, &first);
    }
    return 0;
}
