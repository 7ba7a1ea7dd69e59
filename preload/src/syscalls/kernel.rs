//! The system calls that tracking and undoing need.

use crate::sys;

/// A call with fewer than six arguments.
///
/// # Safety
/// As for [`sys::call`].
unsafe fn call<const N: usize>(number: i64, given: [u64; N]) -> i64 {
    let mut arguments = [0; 6];
    arguments[..N].copy_from_slice(&given);
    // SAFETY: as the caller promises.
    unsafe { sys::call(number, arguments) }
}

/// What a descriptor refers to, or the error.
pub fn stat(descriptor: i32) -> Result<libc::stat, i64> {
    let mut stat = core::mem::MaybeUninit::<libc::stat>::uninit();
    // SAFETY: fills in the structure where it succeeds.
    match unsafe { call(libc::SYS_fstat, [descriptor as u64, stat.as_mut_ptr() as u64]) } {
        // SAFETY: filled in.
        0 => Ok(unsafe { stat.assume_init() }),
        error => Err(error),
    }
}

/// `fcntl` with a number as argument.
pub fn control(descriptor: i32, command: i32, argument: u64) -> i64 {
    // SAFETY: commands with a number neither read nor write memory.
    unsafe { call(libc::SYS_fcntl, [descriptor as u64, command as u64, argument]) }
}

/// The position in a file, after changing it.
pub fn seek(descriptor: i32, offset: i64, whence: i32) -> i64 {
    // SAFETY: touches no memory.
    unsafe { call(libc::SYS_lseek, [descriptor as u64, offset as u64, whence as u64]) }
}

/// Sets the length of a file.
pub fn truncate(descriptor: i32, length: i64) {
    // SAFETY: touches no memory.
    unsafe { call(libc::SYS_ftruncate, [descriptor as u64, length as u64]) };
}

/// Closes a descriptor.
pub fn close(descriptor: i32) -> i64 {
    // SAFETY: touches no memory.
    unsafe { call(libc::SYS_close, [descriptor as u64]) }
}

/// Closes a range of descriptors, the last one included.
pub fn close_range(first: u32, last: u32) -> i64 {
    // SAFETY: touches no memory.
    unsafe { call(libc::SYS_close_range, [first.into(), last.into(), 0]) }
}

/// Makes `to` a duplicate of `from`.
pub fn duplicate_onto(from: i32, to: i32, flags: i32) -> i64 {
    // SAFETY: touches no memory.
    unsafe { call(libc::SYS_dup3, [from as u64, to as u64, flags as u64]) }
}

/// Which of the descriptors are ready now; does not wait.
pub fn poll(descriptors: &mut [libc::pollfd]) -> i64 {
    // SAFETY: fills in the results in the slice.
    unsafe { call(libc::SYS_poll, [descriptors.as_mut_ptr() as u64, descriptors.len() as u64, 0]) }
}

/// Whether the descriptor is a terminal.
pub fn is_terminal(descriptor: i32) -> bool {
    let mut settings = [0u8; 64];
    // SAFETY: writes the 36 bytes of the kernel's structure.
    unsafe { call(libc::SYS_ioctl, [descriptor as u64, libc::TCGETS, settings.as_mut_ptr() as u64]) == 0 }
}

/// A descriptor of the current directory, at or above this number.
pub fn current_directory(lowest: i32) -> i64 {
    let flags = libc::O_PATH | libc::O_DIRECTORY | libc::O_CLOEXEC;
    // SAFETY: opens a directory; the path is terminated.
    let low = unsafe { call(libc::SYS_openat, [libc::AT_FDCWD as u64, c".".as_ptr() as u64, flags as u64]) };
    if low < 0 {
        return low;
    }
    let kept = control(low as i32, libc::F_DUPFD_CLOEXEC, lowest as u64);
    close(low as i32);
    kept
}

/// Goes to a directory.
pub fn change_directory(descriptor: i32) {
    // SAFETY: touches no memory.
    unsafe { call(libc::SYS_fchdir, [descriptor as u64]) };
}

/// Sets the file mode mask; gives the old one.
pub fn set_umask(mask: i64) -> i64 {
    // SAFETY: touches no memory.
    unsafe { call(libc::SYS_umask, [mask as u64]) }
}

/// What a signal does, as the kernel has it: handler, flags, restorer, mask.
pub fn signal_action(signal: i32) -> [u64; 4] {
    let mut action = [0u64; 4];
    // SAFETY: writes the kernel's structure of four words.
    unsafe { call(libc::SYS_rt_sigaction, [signal as u64, 0, action.as_mut_ptr() as u64, 8]) };
    action
}

/// Makes the kernel ignore a signal.
pub fn ignore_signal(signal: i32) {
    let action = [libc::SIG_IGN as u64, 0, 0, 0];
    // SAFETY: reads the kernel's structure of four words.
    unsafe { call(libc::SYS_rt_sigaction, [signal as u64, action.as_ptr() as u64, 0, 8]) };
}

/// Says of each page of a range whether it is in memory: bit 0 of its byte. False if some of it is not mapped.
pub fn pages_in_memory(start: u64, length: u64, pages: &mut [u8]) -> bool {
    debug_assert!(length <= pages.len() as u64 * crate::snapshot::PAGE);
    // SAFETY: writes a byte for each page.
    unsafe { call(libc::SYS_mincore, [start, length, pages.as_mut_ptr() as u64]) == 0 }
}

/// Blocks no signals in the kernel; gives the old mask.
pub fn unblock_signals() -> u64 {
    let (none, mut old) = (0u64, 0u64);
    let how = libc::SIG_SETMASK as u64;
    // SAFETY: reads one word and writes the other.
    unsafe { call(libc::SYS_rt_sigprocmask, [how, &raw const none as u64, &raw mut old as u64, 8]) };
    old
}

/// Makes the time-stamp counter fault when it is read.
pub fn trap_time_stamps() {
    // SAFETY: touches no memory.
    unsafe { call(libc::SYS_prctl, [libc::PR_SET_TSC as u64, libc::PR_TSC_SIGSEGV as u64]) };
}
