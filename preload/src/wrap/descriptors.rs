//! Reading, writing and positioning of descriptors, as the program calls them: who comes first shows in what was written,
//! and in what others read, so each call is a step. What libc reads and writes for a stream does not come here: there
//! the order of the functions that use the stream counts.

use super::real::real;
use super::wrap;
use crate::syscalls::{self, files::Kind};
use crate::{arena, evaluation, gate, world};
use core::ffi::{c_int, c_void};
use rscale_protocol::Op;

/// Makes the use of a descriptor a step, if it is not one already.
fn step(descriptor: c_int) {
    let is_running = arena::attached().is_some() && world::get().running.get();
    if !is_running || evaluation::is_under_way() || world::get().is_alone() {
        return;
    }
    // Pipes and the like are used in steps of their own, when they are ready.
    if matches!(Kind::of(descriptor), Ok(Kind::Captured | Kind::Anonymous | Kind::File | Kind::Device)) {
        gate::pass(gate::action(Op::DescriptorUse, syscalls::wait::variable(descriptor)));
    }
}

/// The same for a call that changes nothing: a step where somebody else may.
fn step_if_writable(descriptor: c_int) {
    if !syscalls::files::is_read_only(descriptor) {
        step(descriptor);
    }
}

macro_rules! steps {
    ($step:ident: $($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {
        wrap! { $(
            $(#[$doc])*
            fn $name(descriptor: c_int $(, $argument: $type)*) -> $result {
                $step(descriptor);
                let libc = real!($name: unsafe extern "C" fn(c_int $(, $type)*) -> $result);
                // SAFETY: the arguments of the program.
                unsafe { libc(descriptor $(, $argument)*) }
            }
        )* }
    };
}

steps! { step:
    /// Writes bytes.
    fn write(from: *const c_void, length: usize) -> isize;
    /// Writes bytes from several places.
    fn writev(from: *const libc::iovec, count: c_int) -> isize;
    /// Writes bytes at a position.
    fn pwrite(from: *const c_void, length: usize, offset: i64) -> isize;
    /// Writes bytes at a position.
    fn pwrite64(from: *const c_void, length: usize, offset: i64) -> isize;
    /// Reads bytes.
    fn read(to: *mut c_void, length: usize) -> isize;
    /// Reads bytes, if there is room.
    fn __read_chk(to: *mut c_void, length: usize, room: usize) -> isize;
    /// Reads bytes to several places.
    fn readv(to: *const libc::iovec, count: c_int) -> isize;
    /// Changes the position.
    fn lseek(offset: i64, whence: c_int) -> i64;
    /// Changes the position.
    fn lseek64(offset: i64, whence: c_int) -> i64;
    /// Changes the length.
    fn ftruncate(length: i64) -> c_int;
    /// Changes the length.
    fn ftruncate64(length: i64) -> c_int;
}

steps! { step_if_writable:
    /// Reads bytes at a position.
    fn pread(to: *mut c_void, length: usize, offset: i64) -> isize;
    /// Reads bytes at a position.
    fn pread64(to: *mut c_void, length: usize, offset: i64) -> isize;
}
