//! The FS base: which thread-local storage the running code sees.

use crate::{control, sys};
use core::arch::asm;

const ARCH_SET_FS: u64 = 0x1002;
const ARCH_GET_FS: u64 = 0x1003;
const HWCAP2_FSGSBASE: u64 = 1 << 1;

/// Whether the kernel lets programs set the base themselves; otherwise every switch costs a system call.
pub fn instructions_available() -> bool {
    // SAFETY: reads the auxiliary vector.
    unsafe { libc::getauxval(libc::AT_HWCAP2) & HWCAP2_FSGSBASE != 0 }
}

/// The base of the running code.
pub fn get() -> u64 {
    let mut base: u64 = 0;
    if control::get().fsgsbase.get() {
        // SAFETY: the instruction is available and only reads.
        unsafe { asm!("rdfsbase {}", out(reg) base, options(nomem, nostack, preserves_flags)) };
    } else {
        // SAFETY: writes the base to the variable.
        unsafe { sys::call(libc::SYS_arch_prctl, [ARCH_GET_FS, &raw mut base as u64, 0, 0, 0, 0]) };
    }
    base
}

/// Makes the running code see other thread-local storage.
///
/// # Safety
/// `base` must be that of a live `struct pthread`.
pub unsafe fn set(base: u64) {
    if control::get().fsgsbase.get() {
        // SAFETY: the instruction is available; the caller answers for the base.
        unsafe { asm!("wrfsbase {}", in(reg) base, options(nostack, preserves_flags)) };
    } else {
        // SAFETY: the caller answers for the base.
        unsafe { sys::call(libc::SYS_arch_prctl, [ARCH_SET_FS, base, 0, 0, 0, 0]) };
    }
}
