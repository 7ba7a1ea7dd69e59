//! How stubs get to the slow path: they save all registers before, in assembly.
//!
//! The frame is laid out such that a stack walk goes from the slow path straight to the original code: the unwind rules
//! below read what the slow path writes to its frame. They know all registers: a debugger shows variables in any of
//! them.

use super::{site, tearing};
use core::arch::global_asm;
use rscale_protocol::region::{GENERAL_SLOT, SLOTS};

/// Stands for a slot where the stub after a torn access leads to the slow path.
pub const AFTER: usize = SLOTS;

global_asm!(
    ".globl rscale_access_slow, rscale_access_save, rscale_access_general, rscale_access_after",
    ".hidden rscale_access_slow, rscale_access_save, rscale_access_general, rscale_access_after",
    // The slow path. On the stack: slot, rdx, return address; the address is where the stub has put it, in the red
    // zone.
    "rscale_access_slow:",
    ".cfi_startproc",
    "mov rcx, [rsp - 8]",
    "rscale_access_save:",
    "push rcx",
    "push rsi",
    "push rdi",
    "push r8",
    "push r9",
    "push r10",
    "push r11",
    "push rbx",
    "push rbp",
    "push r12",
    "push r13",
    "push r14",
    "push r15",
    "push 0",
    "push 0",
    "push 0",
    "push 0",
    "mov rbp, rsp",
    ".cfi_escape 0x10, 0, 2, 0x76, 0",           // rax: the word at rbp
    ".cfi_escape 0x10, 2, 2, 0x76, 8",           // rcx: the one behind it
    ".cfi_escape 0x0f, 3, 0x76, 16, 0x06",       // CFA
    ".cfi_escape 0x10, 16, 2, 0x76, 24",         // return address
    ".cfi_escape 0x10, 15, 2, 0x76, 32",         // r15 ...
    ".cfi_escape 0x10, 14, 2, 0x76, 40",
    ".cfi_escape 0x10, 13, 2, 0x76, 48",
    ".cfi_escape 0x10, 12, 2, 0x76, 56",
    ".cfi_escape 0x10, 6, 3, 0x76, 0xc0, 0",     // rbp, at 64: from here on offsets take two bytes
    ".cfi_escape 0x10, 3, 3, 0x76, 0xc8, 0",     // rbx
    ".cfi_escape 0x10, 11, 3, 0x76, 0xd0, 0",    // r11 ...
    ".cfi_escape 0x10, 10, 3, 0x76, 0xd8, 0",
    ".cfi_escape 0x10, 9, 3, 0x76, 0xe0, 0",
    ".cfi_escape 0x10, 8, 3, 0x76, 0xe8, 0",
    ".cfi_escape 0x10, 5, 3, 0x76, 0xf0, 0",     // rdi
    ".cfi_escape 0x10, 4, 3, 0x76, 0xf8, 0",     // rsi
    ".cfi_escape 0x10, 1, 3, 0x76, 0x90, 1",     // rdx, at 144
    "sub rsp, 256",
    "and rsp, -16",
    "cld",
    "movaps [rsp], xmm0",
    "movaps [rsp + 16], xmm1",
    "movaps [rsp + 32], xmm2",
    "movaps [rsp + 48], xmm3",
    "movaps [rsp + 64], xmm4",
    "movaps [rsp + 80], xmm5",
    "movaps [rsp + 96], xmm6",
    "movaps [rsp + 112], xmm7",
    "movaps [rsp + 128], xmm8",
    "movaps [rsp + 144], xmm9",
    "movaps [rsp + 160], xmm10",
    "movaps [rsp + 176], xmm11",
    "movaps [rsp + 192], xmm12",
    "movaps [rsp + 208], xmm13",
    "movaps [rsp + 224], xmm14",
    "movaps [rsp + 240], xmm15",
    "mov rdi, rbp",
    "call {slow_path}",
    "movaps xmm0, [rsp]",
    "movaps xmm1, [rsp + 16]",
    "movaps xmm2, [rsp + 32]",
    "movaps xmm3, [rsp + 48]",
    "movaps xmm4, [rsp + 64]",
    "movaps xmm5, [rsp + 80]",
    "movaps xmm6, [rsp + 96]",
    "movaps xmm7, [rsp + 112]",
    "movaps xmm8, [rsp + 128]",
    "movaps xmm9, [rsp + 144]",
    "movaps xmm10, [rsp + 160]",
    "movaps xmm11, [rsp + 176]",
    "movaps xmm12, [rsp + 192]",
    "movaps xmm13, [rsp + 208]",
    "movaps xmm14, [rsp + 224]",
    "movaps xmm15, [rsp + 240]",
    "lea rsp, [rbp + 32]",
    "pop r15",
    "pop r14",
    "pop r13",
    "pop r12",
    "pop rbp",
    "pop rbx",
    "pop r11",
    "pop r10",
    "pop r9",
    "pop r8",
    "pop rdi",
    "pop rsi",
    "add rsp, 16",
    "pop rdx",
    "cmp byte ptr [rip + {steps}], 0",
    "jne 1f",
    "ret",
    // The processor stops behind the return, and after each instruction from there on.
    "1: mov byte ptr [rip + {steps}], 0",
    "pushfq",
    "or qword ptr [rsp], {trap_flag}",
    "popfq",
    "ret",
    ".cfi_endproc",
    // Keeps everything, flags included; the hook has saved rcx.
    "rscale_access_general:",
    ".cfi_startproc",
    "push rax",
    "pushfq",
    "call 2f",
    "popfq",
    "pop rax",
    "ret",
    "2: push rdx",
    "push {general}",
    "jmp rscale_access_save",
    ".cfi_endproc",
    // After a torn access: on the stack is where to go on, and the red zone.
    "rscale_access_after:",
    ".cfi_startproc",
    "push rcx",
    "push rax",
    "pushfq",
    "call 2f",
    "popfq",
    "pop rax",
    "pop rcx",
    "ret 128",
    "2: push rdx",
    "push {after}",
    "jmp rscale_access_save",
    ".cfi_endproc",
    slow_path = sym site::slow_path,
    general = const GENERAL_SLOT,
    after = const AFTER,
    steps = sym tearing::STEPS,
    trap_flag = const tearing::TRAP_FLAG,
);

/// The address of the stub after a torn access.
pub fn after() -> u64 {
    unsafe extern "C" {
        fn rscale_access_after();
    }
    rscale_access_after as *const () as u64
}
