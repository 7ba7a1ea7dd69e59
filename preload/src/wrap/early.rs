//! The simplest forms of the functions that compilers call on their own, for the time before libc's are known.
//!
//! The shim's heap serves the loader and constructors, and may copy while it does. To look up a function then would
//! come back to the heap.

use core::arch::naked_asm;

/// `memmove`, and `memcpy`. Up to 128 bytes are loaded before any is stored, in the order of sizes that the shim copies
/// most often; up to 1024 bytes are copied in pieces, the last of which is loaded first, since it may overlap what is
/// stored before it. For all of these a repeated instruction takes longer to begin than to copy.
#[unsafe(naked)]
pub unsafe extern "C" fn copy() {
    naked_asm!(
        "mov rax, rdi",
        "cmp rdx, 16",
        "jb 5f",
        "cmp rdx, 32",
        "ja 3f",
        "movups xmm0, [rsi]",
        "movups xmm1, [rsi + rdx - 16]",
        "movups [rdi], xmm0",
        "movups [rdi + rdx - 16], xmm1",
        "ret",
        "3: cmp rdx, 64",
        "ja 4f",
        "movups xmm0, [rsi]",
        "movups xmm1, [rsi + 16]",
        "movups xmm2, [rsi + rdx - 32]",
        "movups xmm3, [rsi + rdx - 16]",
        "movups [rdi], xmm0",
        "movups [rdi + 16], xmm1",
        "movups [rdi + rdx - 32], xmm2",
        "movups [rdi + rdx - 16], xmm3",
        "ret",
        "4: cmp rdx, 128",
        "ja 8f",
        "movups xmm0, [rsi]",
        "movups xmm1, [rsi + 16]",
        "movups xmm2, [rsi + 32]",
        "movups xmm3, [rsi + 48]",
        "movups xmm4, [rsi + rdx - 64]",
        "movups xmm5, [rsi + rdx - 48]",
        "movups xmm6, [rsi + rdx - 32]",
        "movups xmm7, [rsi + rdx - 16]",
        "movups [rdi], xmm0",
        "movups [rdi + 16], xmm1",
        "movups [rdi + 32], xmm2",
        "movups [rdi + 48], xmm3",
        "movups [rdi + rdx - 64], xmm4",
        "movups [rdi + rdx - 48], xmm5",
        "movups [rdi + rdx - 32], xmm6",
        "movups [rdi + rdx - 16], xmm7",
        "ret",
        "5: cmp rdx, 8",
        "jb 6f",
        "mov rcx, [rsi]",
        "mov r8, [rsi + rdx - 8]",
        "mov [rdi], rcx",
        "mov [rdi + rdx - 8], r8",
        "ret",
        "6: cmp rdx, 4",
        "jb 7f",
        "mov ecx, [rsi]",
        "mov r8d, [rsi + rdx - 4]",
        "mov [rdi], ecx",
        "mov [rdi + rdx - 4], r8d",
        "ret",
        "7: test rdx, rdx", // one to three bytes: the first, the one in the middle, the last
        "jz 9f",
        "mov rcx, rdx",
        "shr rcx, 1",
        "movzx r8d, byte ptr [rsi]",
        "movzx r9d, byte ptr [rsi + rcx]",
        "movzx r10d, byte ptr [rsi + rdx - 1]",
        "mov [rdi], r8b",
        "mov [rdi + rcx], r9b",
        "mov [rdi + rdx - 1], r10b",
        "9: ret",
        "8: mov rcx, rdx",
        "mov r8, rdi",
        "sub r8, rsi",
        "cmp r8, rdx", // the target begins inside the source: from the end
        "jb 2f",
        "cmp rdx, 1024",
        "jbe 22f",
        "rep movsb",
        "ret",
        "22: movups xmm4, [rsi + rdx - 64]",
        "movups xmm5, [rsi + rdx - 48]",
        "movups xmm6, [rsi + rdx - 32]",
        "movups xmm7, [rsi + rdx - 16]",
        "lea rcx, [rdi + rdx - 64]",
        "23: movups xmm0, [rsi]",
        "movups xmm1, [rsi + 16]",
        "movups xmm2, [rsi + 32]",
        "movups xmm3, [rsi + 48]",
        "movups [rdi], xmm0",
        "movups [rdi + 16], xmm1",
        "movups [rdi + 32], xmm2",
        "movups [rdi + 48], xmm3",
        "add rsi, 64",
        "add rdi, 64",
        "cmp rdi, rcx",
        "jb 23b",
        "movups [rcx], xmm4",
        "movups [rcx + 16], xmm5",
        "movups [rcx + 32], xmm6",
        "movups [rcx + 48], xmm7",
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
