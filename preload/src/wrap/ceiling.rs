//! Mutexes with a priority ceiling (`PTHREAD_PRIO_PROTECT`): who may lock them, as glibc decides it.
//!
//! Who locks such a mutex gets its ceiling as priority, in the policy that it has; so only threads of a real-time
//! policy can. glibc counts the ceilings that a thread has taken, and asks the kernel only where the highest of them
//! changes: an attempt that the kernel refused is counted all the same.

use super::mutex::{self, Handle};
use super::object::word;
use super::wrap;
use crate::access::Here;
use crate::syscalls::scheduling::{Urgency, check};
use crate::world;
use core::cell::Cell;
use core::ffi::c_int;
use rscale_protocol::{MAX_THREADS, Op};

/// Where glibc keeps the ceiling: in the upper bits of the first word of the mutex.
const LOCK_OFFSET: usize = 0;
const SHIFT: i32 = 19;
/// Priorities of real time.
const LOWEST: i32 = 1;
const HIGHEST: i32 = 99;
/// Ceilings that a thread can take at a time.
const LEVELS: usize = HIGHEST as usize + 1;

/// The ceilings that threads have taken: a part of the world. All zeroes is the state at its start.
pub struct Taken([[Cell<u16>; LEVELS]; MAX_THREADS]);

impl Taken {
    /// None.
    pub const fn new() -> Taken {
        Taken([const { [const { Cell::new(0) }; LEVELS] }; MAX_THREADS])
    }
}

fn taken() -> &'static [Cell<u16>; LEVELS] {
    let world = world::get();
    &world.library.ceilings.0[world.current.get().index()]
}

fn highest() -> i32 {
    taken().iter().rposition(|count| count.get() != 0).unwrap_or(0) as i32
}

/// The ceiling in a mutex.
fn of(mutex: Handle) -> i32 {
    // SAFETY: the program passes a mutex; a wrong pointer faults here as it would in libc.
    unsafe { *word(mutex, LOCK_OFFSET) >> SHIFT }
}

/// Puts a ceiling into a mutex; that of an attribute that has none is the lowest.
pub fn set(mutex: Handle, ceiling: i32) {
    // SAFETY: as in `of`.
    unsafe { *word(mutex, LOCK_OFFSET) = ceiling.max(LOWEST) << SHIFT };
}

/// Takes a ceiling, and gives one back.
fn change(back: Option<i32>, ceiling: Option<i32>) -> c_int {
    let before = highest();
    let count = |level: i32| &taken()[level as usize];
    if let Some(ceiling) = ceiling {
        let Some(more) = count(ceiling).get().checked_add(1) else { return libc::EAGAIN };
        count(ceiling).set(more);
    }
    if let Some(back) = back {
        count(back).set(count(back).get().saturating_sub(1));
    }
    let (world, after) = (world::get(), highest());
    let own = world.scheduling.urgency(world.current.get());
    if before == after || own.priority >= before.max(after) {
        return 0;
    }
    let raised = Urgency { priority: own.priority.max(after), ..own };
    check(own, raised).err().unwrap_or(0)
}

/// Locks a mutex with a ceiling: `act` does, where the ceiling allows it.
pub fn lock(mutex: Handle, act: impl FnOnce() -> c_int) -> c_int {
    if mutex::is_held_by_caller(mutex) {
        return act();
    }
    let (world, ceiling) = (world::get(), of(mutex));
    if world.scheduling.urgency(world.current.get()).priority > ceiling {
        return libc::EINVAL;
    }
    match change(None, Some(ceiling)) {
        0 => {
            let result = act();
            if !matches!(result, 0 | libc::EOWNERDEAD) {
                change(Some(ceiling), None);
            }
            result
        }
        error => error,
    }
}

/// Unlocks a mutex with a ceiling: `act` does.
pub fn unlock(mutex: Handle, act: impl FnOnce() -> c_int) -> c_int {
    let (held, ceiling) = (mutex::is_held_by_caller(mutex), of(mutex));
    let result = act();
    if held && result == 0 && !mutex::is_held_by_caller(mutex) {
        change(Some(ceiling), None);
    }
    result
}

/// Locks the mutex for the change, without regard to its ceiling, unless the caller holds it.
fn replace(mutex: Handle, ceiling: i32) -> Result<i32, c_int> {
    let old = of(mutex);
    let held = mutex::is_held_by_caller(mutex);
    if held && mutex::checks_errors(mutex) {
        return Err(libc::EDEADLK);
    }
    if held && mutex::is_recursive(mutex) {
        return match change(Some(old), Some(ceiling)) {
            0 => {
                set(mutex, ceiling);
                Ok(old)
            }
            error => Err(error),
        };
    }
    mutex::operate(Op::MutexLock, mutex);
    let old = of(mutex);
    set(mutex, ceiling);
    mutex::unlock(mutex);
    Ok(old)
}

wrap! {
    /// The ceiling of a mutex.
    fn pthread_mutex_getprioceiling(mutex: Handle, ceiling: *mut c_int) -> c_int {
        if !mutex::has_ceiling(mutex) {
            return libc::EINVAL;
        }
        Here::caller().stores(ceiling, of(mutex));
        0
    }

    /// Gives a mutex another ceiling.
    fn pthread_mutex_setprioceiling(mutex: Handle, ceiling: c_int, old: *mut c_int) -> c_int {
        if !mutex::has_ceiling(mutex) || !(LOWEST..=HIGHEST).contains(&ceiling) {
            return libc::EINVAL;
        }
        match replace(mutex, ceiling) {
            Ok(before) => {
                if !old.is_null() {
                    Here::caller().stores(old, before);
                }
                0
            }
            Err(error) => error,
        }
    }
}
