//! The guards of local statics in C++: the library of the language makes sure that one thread initialises them.
//!
//! The program looks at the first byte of a guard by itself, and calls these functions only while it is not set. That
//! the library sets it would not be seen. It matters where data races are looked for: who finds it set comes after
//! whoever set it. And the library sets it with a locked instruction, so that the stores of the thread before that
//! become visible first.

use super::watch::watch;
use crate::access::{Here, clocks};
use crate::{buffer, gate};
use core::ffi::c_int;

type Guard = *mut u8;

/// The byte of a guard that says that all is done.
const FLAG: usize = 1;

watch! {
    /// Waits until nobody initialises the variable; returns whether the caller has to.
    fn __cxa_guard_acquire(guard: Guard) -> c_int {
        let here = Here::caller();
        buffer::pass_fence(true, gate::caller());
        // SAFETY: the arguments of the program.
        let has_to = unsafe { libc()(guard) };
        if has_to == 0 && clocks::seeks_races() {
            here.reads(guard, FLAG);
        }
        has_to
    }

    /// The variable is initialised.
    fn __cxa_guard_release(guard: Guard) {
        let here = Here::caller();
        buffer::pass_fence(true, gate::caller());
        if clocks::seeks_races() {
            here.writes(guard, FLAG);
        }
        // SAFETY: the arguments of the program.
        unsafe { libc()(guard) }
    }

    /// The initialisation has failed: another thread may try.
    fn __cxa_guard_abort(guard: Guard) {
        buffer::pass_fence(true, gate::caller());
        // SAFETY: the arguments of the program.
        unsafe { libc()(guard) }
    }
}
