//! The functions that the shim puts in the place of libc's, one file per family.
//!
//! To add one: write it with [`wrap!`] in the file of its family; functions that do nothing but access memory with
//! [`watch!`](watch), which leaves them to libc while nobody watches. The table in `rscale_protocol::symbols` says what every
//! thread-related symbol of glibc is to rscale; a test compares the two.

pub mod barrier;
pub mod c11;
pub mod cancellation;
pub mod condition;
mod early;
pub mod fork;
mod format;
pub mod futex;
pub mod heap;
pub mod interface;
pub mod memory;
pub mod mutex;
pub mod numbers;
mod object;
pub mod once;
pub mod print;
pub mod process;
pub mod real;
pub mod rwlock;
pub mod scan;
pub mod semaphore;
pub mod sleep;
pub mod sort;
pub mod specific;
pub mod spin;
pub mod streams;
pub mod string_copies;
pub mod strings;
pub mod thread;
pub mod thread_info;
pub mod time;
pub mod tokens;
mod variadic;
mod watch;
pub mod wide;

/// What wrapped functions keep of an execution: a part of the world. All zeroes is the state at its start.
pub struct State {
    /// Named semaphores.
    pub named_semaphores: semaphore::Names,
    /// Handlers of `fork`.
    pub fork_handlers: fork::Handlers,
    /// Routines of `pthread_once` that run.
    pub once: once::Running,
}

impl State {
    /// Nothing was called.
    pub const fn new() -> State {
        State {
            named_semaphores: semaphore::Names::new(),
            fork_handlers: fork::Handlers::new(),
            once: once::Running::new(),
        }
    }
}

/// Defines an exported function that notes its caller first.
///
/// The exported symbol is a stub without a frame: it stores the return address for reports and jumps to the body.
macro_rules! wrap {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block)*) => { $(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                "mov r11, [rsp]",
                "mov [rip + {caller}], r11",
                "jmp {body}",
                caller = sym $crate::gate::CALLER,
                body = sym $name::body,
            )
        }
        #[doc(hidden)]
        #[allow(non_snake_case)] // some of glibc's names have capitals
        mod $name {
            #[allow(unused_imports)]
            use super::*;
            pub(super) unsafe extern "C" fn body($($argument: $type),*) $(-> $result)? $body
        }
    )* };
}
pub(crate) use wrap;

/// Exports wrapped functions under other names that glibc has for them.
macro_rules! alias {
    ($($alias:ident = $name:ident;)*) => { $(
        #[doc = concat!("As `", stringify!($name), "`.")]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $alias() {
            core::arch::naked_asm!("jmp {target}", target = sym $name)
        }
    )* };
}
pub(crate) use alias;

/// Sets `errno` of the running thread and returns what functions with `errno` return.
pub fn fail(error: i32) -> i32 {
    // SAFETY: the address of the running thread's errno.
    unsafe { *libc::__errno_location() = error };
    -1
}

/// Turns the result of the model into that of a function with `errno`.
pub fn with_errno(result: i32) -> i32 {
    if result == 0 { 0 } else { fail(result) }
}
