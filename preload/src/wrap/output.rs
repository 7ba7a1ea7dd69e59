//! `write` and `writev`, as the program calls them: their order at one descriptor shows in what was written, so each
//! call is a step. What libc writes for a stream does not come here: there the order of the functions that use the
//! stream counts.

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

wrap! {
    /// Writes bytes.
    fn write(descriptor: c_int, from: *const c_void, length: usize) -> isize {
        step(descriptor);
        let libc = real!(write: unsafe extern "C" fn(c_int, *const c_void, usize) -> isize);
        // SAFETY: the arguments of the program.
        unsafe { libc(descriptor, from, length) }
    }

    /// Writes bytes from several places.
    fn writev(descriptor: c_int, from: *const libc::iovec, count: c_int) -> isize {
        step(descriptor);
        let libc = real!(writev: unsafe extern "C" fn(c_int, *const libc::iovec, c_int) -> isize);
        // SAFETY: the arguments of the program.
        unsafe { libc(descriptor, from, count) }
    }
}
