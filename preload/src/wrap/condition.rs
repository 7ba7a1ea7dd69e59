//! Condition variables.
//!
//! A wait releases the mutex in one step, and takes it back in another. In between is a third one if a signal chooses
//! this thread among several, or if it stops to wait without having been woken. A cancelled waiter, too, has taken its
//! mutex back when its cleanup handlers run.

use super::{mutex, object, wrap};
use crate::{cancel, gate};
use core::ffi::c_int;
use rscale_protocol::model::{CANCELLED, Condition, ObjectState};
use rscale_protocol::{Action, Op, Variable};

pub type Handle = *mut libc::pthread_cond_t;

/// glibc's `__wrefs` lies at this offset of a `pthread_cond_t`.
const FLAGS_OFFSET: usize = 36;
/// The bit of `__wrefs`, and of a `pthread_condattr_t`, for `CLOCK_MONOTONIC`.
const MONOTONIC: i32 = 2;

fn adopt(condition: Handle) {
    object::adopt(condition, || ObjectState::Condition(Condition));
}

/// The clock that the condition variable was initialised with.
fn clock_of(condition: Handle) -> c_int {
    // SAFETY: the program passes a condition variable.
    let flags = unsafe { *object::word(condition, FLAGS_OFFSET) };
    if flags & MONOTONIC != 0 { libc::CLOCK_MONOTONIC } else { libc::CLOCK_REALTIME }
}

/// Makes a condition variable whose timed waits use the clock in these attributes.
pub fn initialise(condition: Handle, attributes: i32) -> c_int {
    object::clear(condition);
    // SAFETY: as in `clock_of`.
    unsafe { *object::word(condition, FLAGS_OFFSET) = attributes & MONOTONIC };
    gate::pass(gate::action_at(Op::CondInit, condition))
}

/// Signals, broadcasts or destroys.
pub fn operate(op: Op, condition: Handle) -> c_int {
    adopt(condition);
    gate::pass(gate::action_at(op, condition))
}

fn wait_action(condition: Handle, mutex: mutex::Handle) -> Action {
    adopt(condition);
    mutex::adopt(mutex);
    let wait = gate::action_at(Op::CondWait, condition);
    Action { second: Variable(mutex as u64), flags: Action::CANCELLATION_POINT, ..wait }
}

/// Waits; others may lock the mutex meanwhile and must not find this thread's mark of ownership there.
fn perform(wait: Action, mutex: mutex::Handle) -> c_int {
    let release = |action: &mut Action| {
        if action.op == Op::CondWait {
            mutex::clear_owner(mutex);
        }
    };
    let result = gate::pass_or_cancel(wait, release);
    mutex::mirror(mutex);
    if result == CANCELLED {
        cancel::act();
    }
    result
}

/// Waits for ever.
pub fn wait(condition: Handle, mutex: mutex::Handle) -> c_int {
    perform(wait_action(condition, mutex), mutex)
}

/// Waits until the condition variable's own clock shows the time.
pub fn wait_until(condition: Handle, mutex: mutex::Handle, time: *const libc::timespec) -> c_int {
    let clock = clock_of(condition);
    perform(mutex::timed(wait_action(condition, mutex), clock, time), mutex)
}

wrap! {
    /// Makes a condition variable.
    fn pthread_cond_init(condition: Handle, attributes: *const i32) -> c_int {
        // SAFETY: the program passes attributes or null. glibc keeps them in one word.
        let attributes = if attributes.is_null() { 0 } else { unsafe { *attributes } };
        initialise(condition, attributes)
    }

    /// Ends the life of a condition variable.
    fn pthread_cond_destroy(condition: Handle) -> c_int {
        operate(Op::CondDestroy, condition)
    }

    /// Wakes a waiter.
    fn pthread_cond_signal(condition: Handle) -> c_int {
        operate(Op::CondSignal, condition)
    }

    /// Wakes all waiters.
    fn pthread_cond_broadcast(condition: Handle) -> c_int {
        operate(Op::CondBroadcast, condition)
    }

    /// Waits.
    fn pthread_cond_wait(condition: Handle, mutex: mutex::Handle) -> c_int {
        wait(condition, mutex)
    }

    /// Waits, or gives up at a time.
    fn pthread_cond_timedwait(condition: Handle, mutex: mutex::Handle, time: *const libc::timespec) -> c_int {
        wait_until(condition, mutex, time)
    }

    /// Waits, or gives up at a time of the given clock.
    fn pthread_cond_clockwait(
        condition: Handle, mutex: mutex::Handle, clock: c_int, time: *const libc::timespec,
    ) -> c_int {
        if !mutex::is_clock(clock) {
            return libc::EINVAL;
        }
        perform(mutex::timed(wait_action(condition, mutex), clock, time), mutex)
    }
}
