//! C11 threads: the pthread operations under other names, with results of their own.

use super::condition;
use super::mutex;
use super::{once, specific, thread, thread_info, wrap, wrap_in_loops};
use crate::access::Here;
use crate::{cancel, gate, world};
use core::ffi::c_int;
use rscale_protocol::{Action, Op};

const SUCCESS: c_int = 0;
const BUSY: c_int = 1;
const ERROR: c_int = 2;
const NO_MEMORY: c_int = 3;
const TIMED_OUT: c_int = 4;

/// Bit of the type given to `mtx_init`. The others make no difference, and glibc refuses none.
const RECURSIVE: c_int = 1;

/// The C11 result for an error number.
fn result_for(error: c_int) -> c_int {
    match error {
        0 => SUCCESS,
        libc::EBUSY => BUSY,
        libc::ENOMEM => NO_MEMORY,
        libc::ETIMEDOUT => TIMED_OUT,
        _ => ERROR,
    }
}

wrap_in_loops! {
    /// Locks.
    fn mtx_lock(mutex: mutex::Handle) -> c_int {
        result_for(mutex::lock(mutex))
    }

    /// Locks if the mutex is free.
    fn mtx_trylock(mutex: mutex::Handle) -> c_int {
        result_for(mutex::try_lock(mutex))
    }
}

wrap! {
    /// Creates a thread.
    fn thrd_create(handle: *mut u64, routine: u64, argument: u64) -> c_int {
        result_for(thread::create(handle, core::ptr::null(), routine, argument, true))
    }

    /// Waits for a thread's end.
    fn thrd_join(handle: u64, result: *mut c_int) -> c_int {
        let action = gate::action(Op::ThreadJoin, thread::variable_of(handle));
        let mut returned = 0;
        let error = thread::join(Action { flags: Action::CANCELLATION_POINT, ..action }, handle, &raw mut returned);
        if error == 0 && !result.is_null() {
            Here::caller().stores(result, returned as c_int);
        }
        result_for(error)
    }

    /// Gives up the right to join a thread.
    fn thrd_detach(handle: u64) -> c_int {
        result_for(thread_info::detach(handle))
    }

    /// Ends the running thread.
    fn thrd_exit(result: c_int) {
        cancel::unwind(i64::from(result) as u64)
    }

    /// The running thread.
    fn thrd_current() -> u64 {
        // SAFETY: has no effect but its result.
        unsafe { libc::pthread_self() }
    }

    /// Whether two identifiers name the same thread.
    fn thrd_equal(left: u64, right: u64) -> c_int {
        c_int::from(left == right)
    }

    /// Makes a mutex.
    fn mtx_init(mutex: mutex::Handle, kind: c_int) -> c_int {
        let kind = if kind & RECURSIVE != 0 { libc::PTHREAD_MUTEX_RECURSIVE } else { libc::PTHREAD_MUTEX_NORMAL };
        result_for(mutex::initialise(mutex, kind))
    }

    /// Ends the life of a mutex.
    fn mtx_destroy(mutex: mutex::Handle) {
        mutex::destroy(mutex);
    }

    /// Locks, or gives up at a time.
    fn mtx_timedlock(mutex: mutex::Handle, time: *const libc::timespec) -> c_int {
        result_for(mutex::lock_until(mutex, libc::CLOCK_REALTIME, time))
    }

    /// Unlocks.
    fn mtx_unlock(mutex: mutex::Handle) -> c_int {
        result_for(mutex::unlock(mutex))
    }

    /// Makes a condition variable.
    fn cnd_init(condition: condition::Handle) -> c_int {
        result_for(condition::initialise(condition, 0))
    }

    /// Ends the life of a condition variable.
    fn cnd_destroy(condition: condition::Handle) {
        condition::operate(Op::CondDestroy, condition);
    }

    /// Wakes a waiter.
    fn cnd_signal(condition: condition::Handle) -> c_int {
        result_for(condition::operate(Op::CondSignal, condition))
    }

    /// Wakes all waiters.
    fn cnd_broadcast(condition: condition::Handle) -> c_int {
        result_for(condition::operate(Op::CondBroadcast, condition))
    }

    /// Waits.
    fn cnd_wait(condition: condition::Handle, mutex: mutex::Handle) -> c_int {
        result_for(condition::wait(condition, mutex))
    }

    /// Waits, or gives up at a time.
    fn cnd_timedwait(condition: condition::Handle, mutex: mutex::Handle, time: *const libc::timespec) -> c_int {
        result_for(condition::wait_until(condition, mutex, time))
    }

    /// Makes a key.
    fn tss_create(key: *mut u32, destructor: u64) -> c_int {
        result_for(specific::create(key, destructor))
    }

    /// Gives up a key.
    fn tss_delete(key: u32) {
        world::get().keys.delete(key);
    }

    /// The value of the running thread.
    fn tss_get(key: u32) -> u64 {
        world::get().keys.value(key)
    }

    /// Sets the value of the running thread.
    fn tss_set(key: u32, value: u64) -> c_int {
        if world::get().keys.set_value(key, value) { SUCCESS } else { ERROR }
    }

    /// Calls a routine once.
    fn call_once(flag: once::Handle, routine: u64) {
        once::call(flag, routine);
    }
}
