//! Mutexes.

use super::object::{self, word};
use super::{alias, ceiling, wrap, wrap_in_loops};
use crate::access::{local, polling};
use crate::{clock, gate, image, world};
use core::ffi::c_int;
use rscale_protocol::model::{Mutex, MutexKind, ObjectState};
use rscale_protocol::{Action, Op};

pub type Handle = *mut libc::pthread_mutex_t;

/// glibc's `__kind` at this offset of a `pthread_mutex_t`: the type in the low bits, robustness and protocol above.
const KIND_OFFSET: usize = 16;
const KIND_MASK: i32 = 3;
const RECURSIVE: i32 = 1;
const ERROR_CHECK: i32 = 2;
const ROBUST_BIT: i32 = 16;
const INHERIT_BIT: i32 = 32;
const PROTECT_BIT: i32 = 64;
/// glibc's `__owner`: the shim keeps it, so that debuggers and programs that look see the owner.
const OWNER_OFFSET: usize = 8;

fn kind_word(mutex: Handle) -> i32 {
    // SAFETY: the program passes a mutex; a wrong pointer faults here as it would in libc.
    unsafe { *word(mutex, KIND_OFFSET) }
}

/// Whether locking it has to do with the priority of the thread. A destroyed one has all bits set.
pub fn has_ceiling(mutex: Handle) -> bool {
    kind_word(mutex) & (PROTECT_BIT | INHERIT_BIT) == PROTECT_BIT
}

/// Whether locking it twice is an error.
pub fn checks_errors(mutex: Handle) -> bool {
    kind_word(mutex) & KIND_MASK == ERROR_CHECK
}

/// Whether locking it twice counts.
pub fn is_recursive(mutex: Handle) -> bool {
    kind_word(mutex) & KIND_MASK == RECURSIVE
}

/// Whether the running thread holds the mutex.
pub fn is_held_by_caller(mutex: Handle) -> bool {
    adopt(mutex);
    let world = world::get();
    world.look(|model| model.holder(mutex as u64)) == Some(world.current.get())
}

fn kind_in_memory(mutex: Handle) -> (MutexKind, bool) {
    let kind = kind_word(mutex);
    let model_kind = match kind & KIND_MASK {
        RECURSIVE => MutexKind::Recursive,
        ERROR_CHECK => MutexKind::ErrorCheck,
        _ => MutexKind::Normal,
    };
    (model_kind, kind & ROBUST_BIT != 0)
}

/// Makes the model know the mutex.
pub fn adopt(mutex: Handle) {
    object::adopt(mutex, || {
        let (kind, robust) = kind_in_memory(mutex);
        ObjectState::Mutex(Mutex::new(kind, robust))
    });
}

/// Writes to the mutex what the model says of it.
pub fn mirror(mutex: Handle) {
    let owner = world::get().look(|model| model.holder(mutex as u64)).map_or(0, |thread| i32::from(thread.0) + 1);
    // SAFETY: as in `kind_in_memory`.
    unsafe { *word(mutex, OWNER_OFFSET) = owner };
}

/// Writes to the mutex that nobody holds it, as a condition wait leaves it.
pub fn clear_owner(mutex: Handle) {
    // SAFETY: as in `kind_in_memory`.
    unsafe { *word(mutex, OWNER_OFFSET) = 0 };
}

/// Performs an operation on the mutex in the way that is given, and writes to the mutex what has become of it.
#[inline(always)]
fn act(op: Op, mutex: Handle, pass: impl FnOnce(Action) -> c_int) -> c_int {
    adopt(mutex);
    let result = pass(gate::action_at(op, mutex));
    mirror(mutex);
    result
}

/// Performs an operation on the mutex.
#[inline(always)]
pub fn operate(op: Op, mutex: Handle) -> c_int {
    act(op, mutex, gate::pass)
}

/// Locks, from a function that notes the registers of its caller.
#[inline(always)]
pub fn lock(mutex: Handle) -> c_int {
    act(Op::MutexLock, mutex, |action| gate::pass(action.with(polling::before_lock())))
}

/// Gives the mutex back.
#[inline(always)]
pub fn unlock(mutex: Handle) -> c_int {
    let lasting = if image::is_data(mutex as u64) { Action::LASTING } else { 0 };
    act(Op::MutexUnlock, mutex, |action| gate::pass(action.with(lasting | polling::before_unlock(mutex as u64))))
}

/// Does something to a mutex that locks it, if its ceiling allows it.
#[inline(always)]
fn lock_as_allowed(mutex: Handle, act: impl FnOnce() -> c_int) -> c_int {
    if has_ceiling(mutex) { ceiling::lock(mutex, act) } else { act() }
}

/// Locks if the mutex is free.
pub fn try_lock(mutex: Handle) -> c_int {
    // glibc tells its owner, where the mutex has a protocol.
    if kind_word(mutex) & (PROTECT_BIT | INHERIT_BIT) != 0 && checks_errors(mutex) && is_held_by_caller(mutex) {
        return libc::EDEADLK;
    }
    lock_as_allowed(mutex, || act(Op::MutexTryLock, mutex, local::pass_in_loop))
}

/// Locks, or gives up when the clock shows the time.
pub fn lock_until(mutex: Handle, clock: c_int, time: *const libc::timespec) -> c_int {
    lock_as_allowed(mutex, || act(Op::MutexLock, mutex, |action| gate::pass(timed(action, clock, time))))
}

/// Gives an action the deadline that a timed function was called with.
pub fn timed(action: Action, clock: c_int, time: *const libc::timespec) -> Action {
    // SAFETY: the program passes a time; a wrong pointer faults here as it would in libc.
    match clock::deadline(clock, unsafe { &*time }) {
        Some(deadline) => Action { deadline, ..action },
        None => action.with(Action::INVALID_DEADLINE),
    }
}

/// Whether a clock can be waited on with the `clock` functions of the thread library.
pub fn is_clock(clock: c_int) -> bool {
    matches!(clock, libc::CLOCK_REALTIME | libc::CLOCK_MONOTONIC)
}

/// Initialises a mutex of this kind, with glibc's layout.
pub fn initialise(mutex: Handle, kind: i32) -> c_int {
    object::clear(mutex);
    // SAFETY: as in `kind_in_memory`.
    unsafe { *word(mutex, KIND_OFFSET) = kind };
    let (model_kind, robust) = kind_in_memory(mutex);
    let init = gate::action_at(Op::MutexInit, mutex);
    gate::pass(Action { count: Mutex::init_flags(model_kind, robust), ..init })
}

/// Ends the life of a mutex, and leaves the kind that glibc leaves.
pub fn destroy(mutex: Handle) -> c_int {
    adopt(mutex);
    let result = gate::pass(gate::action_at(Op::MutexDestroy, mutex));
    if result == 0 {
        // SAFETY: as in `kind_in_memory`.
        unsafe { *word(mutex, KIND_OFFSET) = -1 };
    }
    result
}

wrap! {
    /// Initialises a mutex.
    fn pthread_mutex_init(mutex: Handle, attributes: *const i32) -> c_int {
        const ATTRIBUTE_ROBUST: i32 = 1 << 30;
        const PROTOCOL_SHIFT: i32 = 28;
        const CEILING_SHIFT: i32 = 12;
        // SAFETY: the program passes attributes or null. glibc keeps all of them in one word.
        let attributes = if attributes.is_null() { 0 } else { unsafe { *attributes } };
        let robust = if attributes & ATTRIBUTE_ROBUST != 0 { ROBUST_BIT } else { 0 };
        let protocol = match attributes >> PROTOCOL_SHIFT & 3 {
            libc::PTHREAD_PRIO_INHERIT => INHERIT_BIT,
            libc::PTHREAD_PRIO_PROTECT if robust != 0 => return libc::ENOTSUP,
            libc::PTHREAD_PRIO_PROTECT => PROTECT_BIT,
            _ => 0,
        };
        let result = initialise(mutex, attributes & KIND_MASK | robust | protocol);
        if protocol == PROTECT_BIT {
            ceiling::set(mutex, attributes >> CEILING_SHIFT & 0xfff);
        }
        result
    }

    /// Ends the life of a mutex.
    fn pthread_mutex_destroy(mutex: Handle) -> c_int {
        destroy(mutex)
    }

    /// Locks, or gives up at a time.
    fn pthread_mutex_timedlock(mutex: Handle, time: *const libc::timespec) -> c_int {
        lock_until(mutex, libc::CLOCK_REALTIME, time)
    }

    /// Locks, or gives up at a time of the given clock.
    fn pthread_mutex_clocklock(mutex: Handle, clock: c_int, time: *const libc::timespec) -> c_int {
        if is_clock(clock) { lock_until(mutex, clock, time) } else { libc::EINVAL }
    }

    /// Unlocks.
    fn pthread_mutex_unlock(mutex: Handle) -> c_int {
        if has_ceiling(mutex) { ceiling::unlock(mutex, || unlock(mutex)) } else { unlock(mutex) }
    }

    /// Declares the state behind a robust mutex repaired.
    fn pthread_mutex_consistent(mutex: Handle) -> c_int {
        operate(Op::MutexConsistent, mutex)
    }
}

wrap_in_loops! {
    /// Locks.
    fn pthread_mutex_lock(mutex: Handle) -> c_int {
        lock_as_allowed(mutex, || lock(mutex))
    }

    /// Locks if the mutex is free.
    fn pthread_mutex_trylock(mutex: Handle) -> c_int {
        try_lock(mutex)
    }
}

alias! {
    pthread_mutex_consistent_np = pthread_mutex_consistent;
    __pthread_mutex_init = pthread_mutex_init;
    __pthread_mutex_destroy = pthread_mutex_destroy;
    __pthread_mutex_lock = pthread_mutex_lock;
    __pthread_mutex_trylock = pthread_mutex_trylock;
    __pthread_mutex_unlock = pthread_mutex_unlock;
}
