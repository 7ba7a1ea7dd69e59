//! Read-write locks.

use super::{alias, mutex, object, wrap, wrap_in_loops};
use crate::access::local;
use crate::gate;
use core::ffi::c_int;
use rscale_protocol::model::{ObjectState, RwLock};
use rscale_protocol::{Action, Op};

type Handle = *mut libc::pthread_rwlock_t;

/// glibc's `__flags` lies at this offset of a `pthread_rwlock_t`: whom the lock prefers.
const PREFERENCE_OFFSET: usize = 48;

fn preference(lock: Handle) -> u32 {
    // SAFETY: the program passes a lock; a wrong pointer faults here as it would in libc.
    unsafe { *object::word(lock, PREFERENCE_OFFSET) as u32 }
}

fn adopt(lock: Handle) {
    object::adopt(lock, || ObjectState::RwLock(RwLock::new(preference(lock) == RwLock::PREFER_WRITERS)));
}

/// An operation on the lock; it says whom the lock prefers, since that decides who may have to wait.
fn action(op: Op, lock: Handle) -> Action {
    adopt(lock);
    Action { count: preference(lock), ..gate::action_at(op, lock) }
}

fn operate(op: Op, lock: Handle) -> c_int {
    gate::pass(action(op, lock))
}

fn operate_until(op: Op, lock: Handle, clock: c_int, time: *const libc::timespec) -> c_int {
    if !mutex::is_clock(clock) {
        return libc::EINVAL;
    }
    gate::pass(mutex::timed(action(op, lock), clock, time))
}

fn attempt(op: Op, lock: Handle) -> c_int {
    adopt(lock);
    local::pass_in_loop(gate::action_at(op, lock))
}

wrap_in_loops! {
    /// Locks for reading if that is possible at once.
    fn pthread_rwlock_tryrdlock(lock: Handle) -> c_int {
        attempt(Op::RwTryRead, lock)
    }

    /// Locks for writing if that is possible at once.
    fn pthread_rwlock_trywrlock(lock: Handle) -> c_int {
        attempt(Op::RwTryWrite, lock)
    }
}

wrap! {
    /// Makes a read-write lock.
    fn pthread_rwlock_init(lock: Handle, attributes: *const i32) -> c_int {
        // SAFETY: the program passes attributes or null. Their first word is the preference.
        let preference = if attributes.is_null() { 0 } else { unsafe { *attributes } };
        object::clear(lock);
        // SAFETY: the program passes memory for a lock.
        unsafe { *object::word(lock, PREFERENCE_OFFSET) = preference };
        gate::pass(Action { count: preference as u32, ..gate::action_at(Op::RwInit, lock) })
    }

    /// Ends the life of a read-write lock.
    fn pthread_rwlock_destroy(lock: Handle) -> c_int {
        operate(Op::RwDestroy, lock)
    }

    /// Locks for reading.
    fn pthread_rwlock_rdlock(lock: Handle) -> c_int {
        operate(Op::RwRead, lock)
    }

    /// Locks for writing.
    fn pthread_rwlock_wrlock(lock: Handle) -> c_int {
        operate(Op::RwWrite, lock)
    }

    /// Locks for reading, or gives up at a time.
    fn pthread_rwlock_timedrdlock(lock: Handle, time: *const libc::timespec) -> c_int {
        operate_until(Op::RwRead, lock, libc::CLOCK_REALTIME, time)
    }

    /// Locks for writing, or gives up at a time.
    fn pthread_rwlock_timedwrlock(lock: Handle, time: *const libc::timespec) -> c_int {
        operate_until(Op::RwWrite, lock, libc::CLOCK_REALTIME, time)
    }

    /// Locks for reading, or gives up at a time of the given clock.
    fn pthread_rwlock_clockrdlock(lock: Handle, clock: c_int, time: *const libc::timespec) -> c_int {
        operate_until(Op::RwRead, lock, clock, time)
    }

    /// Locks for writing, or gives up at a time of the given clock.
    fn pthread_rwlock_clockwrlock(lock: Handle, clock: c_int, time: *const libc::timespec) -> c_int {
        operate_until(Op::RwWrite, lock, clock, time)
    }

    /// Unlocks.
    fn pthread_rwlock_unlock(lock: Handle) -> c_int {
        operate(Op::RwUnlock, lock)
    }
}

alias! {
    __pthread_rwlock_init = pthread_rwlock_init;
    __pthread_rwlock_destroy = pthread_rwlock_destroy;
    __pthread_rwlock_rdlock = pthread_rwlock_rdlock;
    __pthread_rwlock_wrlock = pthread_rwlock_wrlock;
    __pthread_rwlock_tryrdlock = pthread_rwlock_tryrdlock;
    __pthread_rwlock_trywrlock = pthread_rwlock_trywrlock;
    __pthread_rwlock_unlock = pthread_rwlock_unlock;
}
