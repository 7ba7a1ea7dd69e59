//! `syscall`: futexes of programs that bring their own locks (Rust's `std::sync`, C++20's `atomic::wait`).
//!
//! Every other call is made from here as the program asks, by an instruction that is not the shim's own: the
//! system-call filter sees it like all calls of the program.

use super::{fail, wrap};
use crate::syscalls::futex;
use core::arch::asm;
use core::ffi::c_long;

/// The greatest error number that a system call returns, negated.
const LAST_ERROR: i64 = -4095;

/// Makes a system call of the program.
fn perform(number: i64, arguments: [u64; 6]) -> i64 {
    let [a, b, c, d, e, f] = arguments;
    let result;
    // SAFETY: the program's own call, with its own arguments; all that the kernel changes is declared.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number => result,
            in("rdi") a,
            in("rsi") b,
            in("rdx") c,
            in("r10") d,
            in("r8") e,
            in("r9") f,
            lateout("rcx") _,
            lateout("r11") _,
        );
    }
    result
}

wrap! {
    /// Makes a system call.
    fn syscall(number: c_long, a: u64, b: u64, c: u64, d: u64, e: u64, f: u64) -> c_long {
        let arguments = [a, b, c, d, e, f];
        let result = if number == libc::SYS_futex { futex::serve(arguments) } else { perform(number, arguments) };
        if (LAST_ERROR..0).contains(&result) { fail(-result as i32).into() } else { result }
    }
}
