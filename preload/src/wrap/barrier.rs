//! Barriers.

use super::{object, wrap};
use crate::gate;
use core::ffi::{c_int, c_uint, c_void};
use rscale_protocol::{Action, Op};

type Handle = *mut libc::pthread_barrier_t;

/// Glibc takes counts below this (`BARRIER_IN_THRESHOLD`).
const MAX_COUNT: c_uint = c_uint::MAX / 2;

fn operate(op: Op, barrier: Handle) -> c_int {
    object::check_memory(barrier);
    gate::pass(gate::action_at(op, barrier))
}

wrap! {
    /// Makes a barrier that opens for this many threads.
    fn pthread_barrier_init(barrier: Handle, _attributes: *const c_void, count: c_uint) -> c_int {
        if count >= MAX_COUNT {
            return libc::EINVAL;
        }
        object::check_memory(barrier);
        gate::pass(Action { count, ..gate::action_at(Op::BarrierInit, barrier) })
    }

    /// Ends the life of a barrier.
    fn pthread_barrier_destroy(barrier: Handle) -> c_int {
        operate(Op::BarrierDestroy, barrier)
    }

    /// Waits until all have arrived; the last one gets `PTHREAD_BARRIER_SERIAL_THREAD`.
    fn pthread_barrier_wait(barrier: Handle) -> c_int {
        operate(Op::BarrierArrive, barrier)
    }
}
