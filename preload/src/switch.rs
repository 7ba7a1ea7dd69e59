//! Switching between stacks.
//!
//! A fiber that is switched out has its callee-saved registers and floating-point control words on its own stack, at
//! the saved stack pointer, in the order of [`SavedFrame`]. The scheduler process reads the same layout to walk the
//! stacks of all threads.

use core::arch::global_asm;

global_asm!(
    ".globl rscale_switch",
    ".hidden rscale_switch",
    ".type rscale_switch, @function",
    "rscale_switch:",
    ".cfi_startproc",
    "push rbp",
    "push rbx",
    "push r12",
    "push r13",
    "push r14",
    "push r15",
    "sub rsp, 8",
    "stmxcsr [rsp]",
    "fnstcw [rsp + 4]",
    "mov [rdi], rsp",
    "mov rsp, rsi",
    "ldmxcsr [rsp]",
    "fldcw [rsp + 4]",
    "add rsp, 8",
    "pop r15",
    "pop r14",
    "pop r13",
    "pop r12",
    "pop rbx",
    "pop rbp",
    "ret",
    ".cfi_endproc",
    ".size rscale_switch, . - rscale_switch",
);

// As the switch, but stays on the stack: saves the caller, calls a function, and restores the caller.
global_asm!(
    ".globl rscale_call_saved",
    ".hidden rscale_call_saved",
    ".type rscale_call_saved, @function",
    "rscale_call_saved:",
    ".cfi_startproc",
    "push rbp",
    "push rbx",
    "push r12",
    "push r13",
    "push r14",
    "push r15",
    "sub rsp, 8",
    ".cfi_def_cfa_offset 64",
    "stmxcsr [rsp]",
    "fnstcw [rsp + 4]",
    "mov [rdi], rsp",
    "mov rdi, rdx",
    "call rsi",
    "add rsp, 8",
    "pop r15",
    "pop r14",
    "pop r13",
    "pop r12",
    "pop rbx",
    "pop rbp",
    ".cfi_def_cfa_offset 8",
    "ret",
    ".cfi_endproc",
    ".size rscale_call_saved, . - rscale_call_saved",
);

unsafe extern "C" {
    fn rscale_call_saved(from: *mut u64, function: extern "C" fn(u64), argument: u64);
    /// Saves the caller at `*from` and goes on where `to` was saved.
    fn rscale_switch(from: *mut u64, to: u64);
}

/// What lies at the saved stack pointer of a fiber that is switched out.
#[repr(C)]
struct SavedFrame {
    control_words: u64,
    r15: u64,
    r14: u64,
    r13: u64,
    r12: u64,
    rbx: u64,
    rbp: u64,
    return_address: u64,
}

/// `mxcsr` and the x87 control word as a program finds them at its start.
const DEFAULT_CONTROL_WORDS: u64 = 0x1f80 | 0x037f << 32;

/// Leaves the running stack and goes on with another.
///
/// # Safety
/// `to` must come from [`prepare`] or from a switch that nobody has resumed yet; `from` must stay valid until then.
pub unsafe fn switch(from: *mut u64, to: u64) {
    // SAFETY: as the caller promises.
    unsafe { rscale_switch(from, to) };
}

/// Calls a function while the caller's registers lie at `*from`, as if it were switched out.
pub fn call_saved(from: *mut u64, function: extern "C" fn(u64), argument: u64) {
    // SAFETY: the stub follows the C calling convention; `from` points to a cell of the shim.
    unsafe { rscale_call_saved(from, function, argument) };
}

/// Lays out a fresh stack such that switching to the result calls `entry`, which must not return.
///
/// # Safety
/// The memory below `top` must be a writable stack that nobody uses.
pub unsafe fn prepare(top: u64, entry: extern "C" fn() -> !) -> u64 {
    let top = top & !15;
    // A call pushes its return address: at `entry` the stack pointer is 8 beyond a multiple of 16. The zero is the
    // return address at which stack walks end.
    let frame = (top - 8 - size_of::<SavedFrame>() as u64) as *mut SavedFrame;
    // SAFETY: the frame and the word above it lie below `top`, in memory that the caller owns.
    unsafe {
        frame.write(SavedFrame {
            control_words: DEFAULT_CONTROL_WORDS,
            r15: 0,
            r14: 0,
            r13: 0,
            r12: 0,
            rbx: 0,
            rbp: 0,
            return_address: entry as usize as u64,
        });
        frame.add(1).cast::<u64>().write(0);
    }
    frame as u64
}
