//! System calls of the shim itself.
//!
//! All of them pass through one instruction, whose address the system-call filter knows: that is how the shim's own
//! calls are told from the program's, which are trapped.

use core::arch::global_asm;
use core::ffi::CStr;

global_asm!(
    ".globl rscale_syscall",
    ".hidden rscale_syscall",
    ".type rscale_syscall, @function",
    "rscale_syscall:",
    ".cfi_startproc",
    "mov rax, rdi",
    "mov rdi, rsi",
    "mov rsi, rdx",
    "mov rdx, rcx",
    "mov r10, r8",
    "mov r8, r9",
    "mov r9, [rsp + 8]",
    "syscall",
    ".globl rscale_syscall_return",
    ".hidden rscale_syscall_return",
    "rscale_syscall_return:",
    "ret",
    ".cfi_endproc",
    ".size rscale_syscall, . - rscale_syscall",
);

unsafe extern "C" {
    fn rscale_syscall(number: i64, a: u64, b: u64, c: u64, d: u64, e: u64, f: u64) -> i64;
    static rscale_syscall_return: u8;
}

/// The address behind the one system-call instruction of the shim.
pub fn call_site() -> u64 {
    &raw const rscale_syscall_return as u64
}

/// A system call: the result, or a negative error number.
///
/// # Safety
/// What the call does to memory, descriptors and mappings must be what the caller owns.
pub unsafe fn call(number: i64, arguments: [u64; 6]) -> i64 {
    let [a, b, c, d, e, f] = arguments;
    // SAFETY: the stub follows the C calling convention and clobbers only what that allows.
    unsafe { rscale_syscall(number, a, b, c, d, e, f) }
}

/// Changes the protection of pages.
///
/// # Safety
/// The range must be one whose protection the shim controls.
pub unsafe fn mprotect(address: u64, length: u64, protection: i32) -> bool {
    // SAFETY: as the caller promises.
    unsafe { call(libc::SYS_mprotect, [address, length, protection as u64, 0, 0, 0]) == 0 }
}

/// Asks for huge pages where memory is touched from now on. Nothing depends on it.
///
/// # Safety
/// The range must be memory of the shim that nobody protects in parts.
pub unsafe fn prefer_huge_pages(address: u64, length: u64) {
    // SAFETY: contents stay as they are.
    unsafe { call(libc::SYS_madvise, [address, length, libc::MADV_HUGEPAGE as u64, 0, 0, 0]) };
}

/// Maps fresh private memory, at the given address or, with 0, anywhere. None if the kernel refuses.
pub fn map(address: u64, length: u64, protection: i32) -> Option<u64> {
    let fixed = if address == 0 { 0 } else { libc::MAP_FIXED_NOREPLACE };
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | fixed;
    // SAFETY: a fresh mapping that replaces nothing.
    let mapped = unsafe { call(libc::SYS_mmap, [address, length, protection as u64, flags as u64, u64::MAX, 0]) };
    (mapped > 0 && (address == 0 || mapped as u64 == address)).then_some(mapped as u64)
}

/// Gives up a mapping.
///
/// # Safety
/// Nothing may refer to the range any more.
pub unsafe fn unmap(address: u64, length: u64) {
    // SAFETY: as the caller promises.
    unsafe { call(libc::SYS_munmap, [address, length, 0, 0, 0, 0]) };
}

/// Opens a file to read it.
pub fn open_to_read(path: &CStr) -> Option<i32> {
    let flags = (libc::O_RDONLY | libc::O_CLOEXEC) as u64;
    // SAFETY: the path is terminated; the kernel only reads it.
    let opened = unsafe { call(libc::SYS_openat, [libc::AT_FDCWD as u64, path.as_ptr() as u64, flags, 0, 0, 0]) };
    i32::try_from(opened).ok().filter(|&descriptor| descriptor >= 0)
}

/// Closes a file that was opened by [`open_to_read`].
pub fn close(descriptor: i32) {
    // SAFETY: a descriptor of the shim's own.
    unsafe { call(libc::SYS_close, [descriptor as u64, 0, 0, 0, 0, 0]) };
}

/// Sleeps while the word has the value.
pub fn futex_wait(word: &core::sync::atomic::AtomicU32, value: u32) {
    let address = word.as_ptr() as u64;
    // SAFETY: the word outlives the call; the kernel only reads it.
    unsafe { call(libc::SYS_futex, [address, libc::FUTEX_WAIT as u64, value.into(), 0, 0, 0]) };
}

/// Lets others run on this processor.
pub fn sched_yield() {
    // SAFETY: touches no memory.
    unsafe { call(libc::SYS_sched_yield, [0; 6]) };
}

/// Wakes everybody that sleeps on the word.
pub fn futex_wake(word: &core::sync::atomic::AtomicU32) {
    let address = word.as_ptr() as u64;
    // SAFETY: the kernel only uses the address.
    unsafe { call(libc::SYS_futex, [address, libc::FUTEX_WAKE as u64, i32::MAX as u64, 0, 0, 0]) };
}

/// Waits for what never comes, until the process is killed.
pub fn sleep_for_ever() -> ! {
    loop {
        // SAFETY: sleeps until a signal comes.
        unsafe { call(libc::SYS_pause, [0; 6]) };
    }
}

/// Ends the process at once.
pub fn exit_group(status: i32) -> ! {
    loop {
        // SAFETY: ends the process.
        unsafe { call(libc::SYS_exit_group, [status as u64, 0, 0, 0, 0, 0]) };
    }
}
