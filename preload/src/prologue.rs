//! The prologue: what the main thread does before anything is to be decided.
//!
//! It is the same in every execution, and can be long: tables are filled, objects prepared, files parsed. So the first
//! execution takes the snapshot a second time, where its first decision is due, and the others go on from there. That
//! is left out where the prologue has changed what the kernel holds for the process: only what comes after a snapshot
//! can be undone.

use crate::{access, arena, checkpoint, control, kernel_threads, snapshot, switch, syscalls, world};
use core::sync::atomic::Ordering::Relaxed;
use rscale_protocol::ThreadId;
use rscale_protocol::arena::Isolation;

/// A decision is due. If it is the first one, executions begin here from now on.
#[inline(always)]
pub fn end() {
    if world::get().steps.get() == 0 {
        begin_here();
    }
}

fn begin_here() {
    if !control::get().prologue_ended.replace(true) {
        move_snapshot();
    }
    // What was noted on the way here is forgotten, so that it does not matter whether there was one.
    access::begin();
    access::freed::keep();
}

#[cold]
fn move_snapshot() {
    let is_restored = arena::get().setup.isolation.load(Relaxed) == Isolation::Snapshot as u32;
    let is_main = world::get().current.get() == ThreadId::MAIN;
    if is_restored && is_main && !kernel_threads::are_used() && syscalls::is_untouched() {
        // The registers have to lie in the memory that is restored.
        switch::call_saved(world::get().fiber().stack_pointer.as_ptr(), take_snapshot, 0);
    }
}

extern "C" fn take_snapshot(_: u64) {
    crate::heap::mark_end_of_prologue();
    checkpoint::forget_all();
    if snapshot::take_again() {
        control::get().is_behind_prologue.set(true);
    } else {
        crate::finish::internal(b"could not write-protect the memory of the program");
    }
}

/// Whether executions begin behind the prologue: the main thread is there, about to decide.
pub fn is_over() -> bool {
    control::get().is_behind_prologue.get()
}
