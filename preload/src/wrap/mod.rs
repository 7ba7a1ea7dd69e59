//! The functions that the shim puts in the place of libc's, one file per family.
//!
//! To add one: write it with [`wrap!`] in the file of its family; functions that do nothing but access memory with
//! [`watch!`](watch), which leaves them to libc while nobody watches. The table in `rscale_protocol::symbols` says what
//! every thread-related symbol of glibc is to rscale; a test compares the two.

mod attributes;
pub mod barrier;
pub mod c11;
pub mod cancellation;
pub mod ceiling;
pub mod condition;
mod descriptors;
mod early;
pub mod fork;
mod format;
pub mod futex;
pub mod guards;
pub mod heap;
pub mod hidden;
pub mod interface;
pub mod memory;
pub mod mutex;
pub mod numbers;
pub mod object;
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
pub mod standard_output;
mod stream_state;
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
mod wide_print;

/// What wrapped functions keep of an execution: a part of the world. All zeroes is the state at its start.
pub struct State {
    /// Named semaphores.
    pub named_semaphores: semaphore::Names,
    /// Handlers of `fork`.
    pub fork_handlers: fork::Handlers,
    /// Routines of `pthread_once` that run.
    pub once: once::Running,
    /// Priority ceilings.
    pub ceilings: ceiling::Taken,
    /// What has been printed.
    pub output: standard_output::Buffer,
}

impl State {
    /// Nothing was called.
    pub const fn new() -> State {
        State {
            named_semaphores: semaphore::Names::new(),
            fork_handlers: fork::Handlers::new(),
            once: once::Running::new(),
            ceilings: ceiling::Taken::new(),
            output: standard_output::Buffer::new(),
        }
    }
}

/// Defines exported functions that note their caller first. `$go_on` is how the stub gets to the body and back.
macro_rules! export {
    ($go_on:expr => $($(#[$doc:meta])*
        fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block
    )*) => { $(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                ".cfi_startproc",
                "mov r11, [rsp]",
                "mov [rip + {caller}], r11",
                "mov [rip + {caller} + 8], rsp",
                $go_on,
                ".cfi_endproc",
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
pub(crate) use export;

/// Defines an exported function that notes its caller first.
///
/// The exported symbol is a stub without a frame: it stores the return address for reports and jumps to the body.
macro_rules! wrap {
    ($($functions:tt)*) => { $crate::wrap::export! { "jmp {body}" => $($functions)* } };
}
pub(crate) use wrap;

/// As [`wrap!`], for functions that programs call in loops while they wait. Notes the registers of the caller, for its
/// local state, and clears those that a function may change: what the shim leaves there differs from call to call, and
/// the loop would never come back to the same state.
macro_rules! wrap_in_loops {
    ($($functions:tt)*) => { $crate::wrap::export! {
        "mov [rip + {caller} + 16], rbx
         mov [rip + {caller} + 24], rbp
         mov [rip + {caller} + 32], r12
         mov [rip + {caller} + 40], r13
         mov [rip + {caller} + 48], r14
         mov [rip + {caller} + 56], r15
         sub rsp, 8
         .cfi_adjust_cfa_offset 8
         call {body}
         add rsp, 8
         .cfi_adjust_cfa_offset -8
         xor ecx, ecx
         xor edx, edx
         xor esi, esi
         xor edi, edi
         xor r8d, r8d
         xor r9d, r9d
         xor r10d, r10d
         xor r11d, r11d
         pxor xmm0, xmm0
         pxor xmm1, xmm1
         pxor xmm2, xmm2
         pxor xmm3, xmm3
         pxor xmm4, xmm4
         pxor xmm5, xmm5
         pxor xmm6, xmm6
         pxor xmm7, xmm7
         pxor xmm8, xmm8
         pxor xmm9, xmm9
         pxor xmm10, xmm10
         pxor xmm11, xmm11
         pxor xmm12, xmm12
         pxor xmm13, xmm13
         pxor xmm14, xmm14
         pxor xmm15, xmm15
         ret" => $($functions)*
    } };
}
pub(crate) use wrap_in_loops;

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
