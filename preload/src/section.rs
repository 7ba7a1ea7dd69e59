//! Sections in which no other thread runs.
//!
//! The program may ask for them (`rscale_atomic_begin`), and what a library function does at once is one: it passes the
//! scheduling points of all that it is going to access, and nobody may come between the first of them and the access
//! itself.

use crate::{gate, world};
use rscale_protocol::{Action, Op, ThreadId, Variable};

/// The running thread enters a section; `flags` say whether the program asks for it.
pub fn begin(pc: u64, flags: u8) {
    gate::pass(action(Op::AtomicBegin, pc, flags));
    world::get().has_atomic_sections.set(true);
    let nesting = &world::get().fiber().atomic;
    nesting.set(nesting.get() + 1);
}

/// The running thread leaves it.
pub fn end(pc: u64, flags: u8) {
    gate::pass(action(Op::AtomicEnd, pc, flags));
    let nesting = &world::get().fiber().atomic;
    nesting.set(nesting.get().saturating_sub(1));
}

fn action(op: Op, pc: u64, flags: u8) -> Action {
    let thread: ThreadId = world::get().current.get();
    Action { pc, flags, ..Action::new(thread, op, Variable(0)) }
}
