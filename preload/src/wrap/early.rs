//! The simplest forms of the functions that compilers call on their own, for the time before libc's are known.
//!
//! The shim's heap serves the loader and constructors, and may copy while it does. To look up a function then would come
//! back to the heap.

use core::arch::naked_asm;

/// `memmove`, and `memcpy`.
#[unsafe(naked)]
pub unsafe extern "C" fn copy() {
    naked_asm!(
        "mov rax, rdi",
        "mov rcx, rdx",
        "mov r8, rdi",
        "sub r8, rsi",
        "cmp r8, rdx", // the target begins inside the source: from the end
        "jb 2f",
        "rep movsb",
        "ret",
        "2: lea rdi, [rdi + rdx - 1]",
        "lea rsi, [rsi + rdx - 1]",
        "std",
        "rep movsb",
        "cld",
        "ret",
    )
}

/// `memset`.
#[unsafe(naked)]
pub unsafe extern "C" fn set() {
    naked_asm!("mov r8, rdi", "mov eax, esi", "mov rcx, rdx", "rep stosb", "mov rax, r8", "ret")
}

/// `memcmp`, and `bcmp`.
#[unsafe(naked)]
pub unsafe extern "C" fn compare() {
    naked_asm!(
        "xor ecx, ecx",
        "2: cmp rcx, rdx",
        "je 3f",
        "movzx eax, byte ptr [rdi + rcx]",
        "movzx r8d, byte ptr [rsi + rcx]",
        "inc rcx",
        "sub eax, r8d",
        "je 2b",
        "ret",
        "3: xor eax, eax",
        "ret",
    )
}

/// `strlen`.
#[unsafe(naked)]
pub unsafe extern "C" fn length() {
    naked_asm!("mov rax, -1", "2: inc rax", "cmp byte ptr [rdi + rax], 0", "jne 2b", "ret",)
}
