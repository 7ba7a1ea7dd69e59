//! What the processes agree on while a debugger looks at the program.
//!
//! The shim follows the schedule by itself and stops where it is told to. So a debugger can let the program run like
//! any other, and nobody has to give a command while it holds all threads.

use core::sync::atomic::{AtomicU32, AtomicU64};

/// Where to stop.
#[repr(C, align(64))]
pub struct Debugging {
    /// Whether a debugger is going to look at the program.
    pub is_on: AtomicU32,
    /// Whether it does. Until then the program stays where it stopped first; a futex.
    pub is_attached: AtomicU32,
    /// Stop after so many steps of the execution, and at its end.
    pub stop_after: AtomicU64,
    /// The store, as a variable, that ends the execution when it is made, so that it can be seen where that is: it
    /// becomes visible in a step, but it is made between steps. 0 for none.
    pub last_store: AtomicU64,
}
