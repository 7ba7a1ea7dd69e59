//! Spin locks. They have no static initialiser, so one that was never initialised is an error of the program.

use super::{object, wrap, wrap_in_loops};
use crate::access::local;
use crate::gate;
use core::ffi::c_int;
use rscale_protocol::Op;

type Handle = *mut libc::pthread_spinlock_t;

fn operate(op: Op, lock: Handle) -> c_int {
    object::check_memory(lock);
    gate::pass(gate::action_at(op, lock))
}

wrap_in_loops! {
    /// Locks if the lock is free.
    fn pthread_spin_trylock(lock: Handle) -> c_int {
        object::check_memory(lock);
        local::pass_in_loop(gate::action_at(Op::SpinTryLock, lock))
    }
}

wrap! {
    /// Makes a spin lock.
    fn pthread_spin_init(lock: Handle, _shared: c_int) -> c_int {
        operate(Op::SpinInit, lock)
    }

    /// Ends the life of a spin lock.
    fn pthread_spin_destroy(lock: Handle) -> c_int {
        operate(Op::SpinDestroy, lock)
    }

    /// Locks.
    fn pthread_spin_lock(lock: Handle) -> c_int {
        operate(Op::SpinLock, lock)
    }

    /// Unlocks.
    fn pthread_spin_unlock(lock: Handle) -> c_int {
        operate(Op::SpinUnlock, lock)
    }
}
