//! The standard output, without the system calls that libc makes for it.
//!
//! Most test programs print a line or two at their end. libc asks the kernel about the file when it first prints, and
//! writes once when the process ends. Each of these calls is trapped, and what was written has to be undone: that takes
//! longer than the rest of a short execution. So the stream gets its buffer from here, the same that libc would have
//! made, and what is in it at the end goes to the scheduler process through the arena. As soon as anything is out of
//! the ordinary, libc does it.

use super::streams;
use crate::syscalls::{self, Call};
use crate::{arena, evaluation, world};
use core::cell::UnsafeCell;
use core::ffi::{c_int, c_void};

/// What libc's own buffer has, for a file that is kept in memory.
const SIZE: usize = 4096;
/// The descriptor behind the stream.
const DESCRIPTOR: c_int = 1;

unsafe extern "C" {
    fn __fbufsize(stream: *mut c_void) -> usize;
    fn __flbf(stream: *mut c_void) -> c_int;
    fn __fpending(stream: *mut c_void) -> usize;
    fn __fpurge(stream: *mut c_void);
    fn fwide(stream: *mut c_void, mode: c_int) -> c_int;
    fn flockfile(stream: *mut c_void);
    fn funlockfile(stream: *mut c_void);
}

/// Room for what is printed, in memory that is restored.
#[repr(C, align(16))]
pub struct Buffer(UnsafeCell<[u8; SIZE]>);

impl Buffer {
    pub const fn new() -> Buffer {
        Buffer(UnsafeCell::new([0; SIZE]))
    }
}

/// The beginning of libc's stream, as its header shows it to programs.
#[repr(C)]
struct Beginning {
    flags: c_int,
    reading: [*mut u8; 3],
    write_base: *mut u8,
    write_next: *mut u8,
}

/// A function of libc is about to print to the stream: gives it a buffer if it has none.
pub fn give_buffer(stream: *mut c_void) {
    if stream != streams::output() || !world::get().running.get() || evaluation::is_under_way() {
        return;
    }
    // SAFETY: libc's own stream, and its functions that tell about it without a system call.
    let has_none = unsafe { __fbufsize(stream) == 0 && libc::fileno(stream.cast()) == DESCRIPTOR };
    if has_none && syscalls::is_output_captured() {
        // SAFETY: as above. The buffer stays, and nothing else uses it.
        unsafe {
            let mode = if __flbf(stream) != 0 { libc::_IOLBF } else { libc::_IOFBF };
            libc::setvbuf(stream.cast(), world::get().library.output.0.get().cast(), mode, SIZE);
        }
    }
}

/// The process ends: hands over what has been printed and not been written yet, if nothing has been written.
pub fn hand_over() {
    let stream = streams::output();
    // SAFETY: libc's own stream. Whoever has locked it is waited for, as libc does before it writes.
    unsafe {
        if __fpending(stream) == 0 || libc::fileno(stream.cast()) != DESCRIPTOR || fwide(stream, 0) > 0 {
            return;
        }
        flockfile(stream);
        let Beginning { write_base, write_next, .. } = stream.cast::<Beginning>().read();
        let pending = __fpending(stream);
        let is_plain = write_next.addr().wrapping_sub(write_base.addr()) == pending;
        let arguments = [DESCRIPTOR as u64, write_base as u64, pending as u64, 0, 0, 0];
        let write = Call { number: libc::SYS_write, arguments, pc: 0 };
        if is_plain && syscalls::may_be_kept_in_memory(&write) {
            let bytes = core::slice::from_raw_parts(write_base, pending);
            if arena::get().store_output(bytes) {
                __fpurge(stream);
            }
        }
        funlockfile(stream);
    }
}
