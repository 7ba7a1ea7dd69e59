//! Traps: a system call of the program arrives here.
//!
//! The handler runs on a stack of its own. Calls that can not block are served there. A call that may reach a
//! scheduling point must run on the fiber's stack, because the fiber may be switched out in the middle: for those, the
//! context is changed such that the handler returns into a trampoline, which calls [`super::serve_on_fiber`] as if the
//! system-call instruction had been a call, and keeps every register that a system call keeps.

use super::{Call, Served, caller};
use core::arch::global_asm;
use core::ffi::{c_int, c_void};

/// Bytes below the stack pointer that leaf functions use.
const RED_ZONE: u64 = 128;
/// `si_arch` of a 64-bit system call.
const X86_64: u32 = 0xc000_003e;
/// The number under which a 32-bit call is reported: its own means something else.
const FOREIGN: i64 = -1;
/// Words between the saved arguments and the return address in the frame of the trampoline.
const SAVED_BEHIND_ARGUMENTS: usize = 3;

global_asm!(
    ".globl rscale_on_fiber",
    ".hidden rscale_on_fiber",
    ".type rscale_on_fiber, @function",
    "rscale_on_fiber:",
    ".cfi_startproc",
    // The return address lies at the stack pointer, the red zone of the interrupted code above it.
    ".cfi_def_cfa rsp, 136",
    ".cfi_offset rip, -136",
    "pushfq",
    "push rbp",
    "mov rbp, rsp",
    ".cfi_def_cfa rbp, 152",
    ".cfi_offset rbp, -152",
    "push rbx",
    "push r9",
    "push r8",
    "push r10",
    "push rdx",
    "push rsi",
    "push rdi",
    "mov rbx, rsp",
    "sub rsp, 4096",
    "and rsp, -64",
    // The vector state, in the standard format, whose header must be zero.
    "mov r10, rax",
    "xor eax, eax",
    "lea rdi, [rsp + 512]",
    "mov ecx, 8",
    "cld",
    "rep stosq",
    "mov eax, 0xe7",
    "xor edx, edx",
    "xsave64 [rsp]",
    "mov rdi, r10",
    "mov rsi, rbx",
    "call {serve}",
    "mov r10, rax",
    "mov eax, 0xe7",
    "xor edx, edx",
    "xrstor64 [rsp]",
    "mov rax, r10",
    "mov rsp, rbx",
    "pop rdi",
    "pop rsi",
    "pop rdx",
    "pop r10",
    "pop r8",
    "pop r9",
    "pop rbx",
    "pop rbp",
    "popfq",
    "ret 128",
    ".cfi_endproc",
    ".size rscale_on_fiber, . - rscale_on_fiber",
    serve = sym serve_on_fiber,
);

unsafe extern "C" {
    static rscale_on_fiber: u8;
}

/// The handler of SIGSYS.
pub extern "C" fn on_trap(_signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes information, which ends with the architecture for this signal, and the context of the
    // interrupted code.
    let (architecture, context) = unsafe { (*info.cast::<u32>().add(7), &mut *context.cast::<libc::ucontext_t>()) };
    let registers = &mut context.uc_mcontext.gregs;
    if architecture != X86_64 {
        registers[libc::REG_RAX as usize] = FOREIGN;
    }
    let order = [libc::REG_RDI, libc::REG_RSI, libc::REG_RDX, libc::REG_R10, libc::REG_R8, libc::REG_R9];
    let call = Call {
        number: registers[libc::REG_RAX as usize],
        arguments: order.map(|register| registers[register as usize] as u64),
        pc: registers[libc::REG_RIP as usize] as u64,
    };
    match super::serve(&call) {
        Served::Returns(result) => registers[libc::REG_RAX as usize] = result,
        Served::OnFiber => {
            let stack = registers[libc::REG_RSP as usize] as u64 - RED_ZONE - 8;
            // SAFETY: the stack of the fiber, below everything that the interrupted code uses. If the page is still
            // protected, the write faults, and the fault handler makes it writable.
            unsafe { *(stack as *mut u64) = registers[libc::REG_RIP as usize] as u64 };
            registers[libc::REG_RSP as usize] = stack as i64;
            registers[libc::REG_RIP as usize] = &raw const rscale_on_fiber as i64;
        }
    }
}

extern "C" fn serve_on_fiber(number: i64, arguments: &[u64; 6]) -> i64 {
    let place = arguments.as_ptr().wrapping_add(arguments.len() + SAVED_BEHIND_ARGUMENTS);
    // SAFETY: the trampoline saved the arguments right below `rbx`, `rbp` and the flags, above which lies the return address.
    let instruction = unsafe { *place };
    let pc = caller::of(instruction, place as u64 + 8 + RED_ZONE);
    super::serve_on_fiber(&Call { number, arguments: *arguments, pc })
}
