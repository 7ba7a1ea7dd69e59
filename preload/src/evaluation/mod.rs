//! Evaluating functions of the program: invariants, and what the user asks in a replay.
//!
//! An evaluation must leave no trace: not in memory, heap, `errno`, locks, registers, output, time, nor in what is
//! known of memory accesses. So it takes place in a fork of the process, which says what the function returned and
//! ends. There the function runs on a stack of its own, as a thread of its own that nobody has seen, and may change
//! whatever it wants; what would be seen outside of the process, or would have to wait, is [refused](rules).
//!
//! A fork takes a hundred times as long as a step. But where every memory access of the program is seen, the result is
//! known as long as nothing that the function [read](reads) has changed, and then nothing is evaluated at all.

mod process;
pub mod reads;
pub mod rules;

use crate::access::clocks::Own;
use crate::{arena, finish, world};
use core::cell::Cell;
use core::sync::atomic::Ordering::Relaxed;
use rscale_protocol::arena::MAX_INVARIANTS;
use rscale_protocol::{Action, Ending, Op};

pub use process::evaluate;

/// Whether this process evaluates a function.
static UNDER_WAY: Own<bool> = Own(Cell::new(false));
/// The invariant of which it is being found out whether it has to be evaluated.
static LOOKED_AT: Own<Option<usize>> = Own(Cell::new(None));

/// Whether this process evaluates a function, and has no other purpose.
#[inline(always)]
pub fn is_under_way() -> bool {
    UNDER_WAY.0.get()
}

/// Prepares for evaluations, before the snapshot.
pub fn prepare() {
    reads::prepare();
}

/// An execution begins.
pub fn begin() {
    if are_there_invariants() {
        arena::get().result.reads.store(0, Relaxed);
    }
}

/// Not in a program that runs without rscale, either.
#[inline(always)]
fn are_there_invariants() -> bool {
    arena::attached().is_some_and(|arena| arena.setup.invariants.load(Relaxed) != 0)
}

/// The state after a step is complete: every invariant must hold.
#[inline(always)]
pub fn check_state() {
    if are_there_invariants() {
        check_all();
    }
}

/// The running thread has arrived at an access or at the end of the process. If it is alone, this is no step, but a
/// state all the same. Before the first thread is created, the program may still be preparing what its invariants are
/// about.
pub fn check_alone(action: &Action) {
    let world = world::get();
    let is_end = action.op == Op::ProcessExit;
    if are_there_invariants() && world.is_alone() && (is_end || world.steps.get() > 0) && !is_under_way() {
        world.fiber().set_next(*action);
        check_all();
    }
}

fn check_all() {
    let world = world::get();
    let arena = arena::get();
    let is_program = world.running.get() && !world.forked_child.get() && world.uninterruptible.get() == 0;
    // The states along the prefix have been looked at by the execution that found them.
    let is_new = world.followed.get() >= arena.request.prefix_length.load(Relaxed) as usize;
    if is_under_way() || !is_program || !is_new {
        return;
    }
    let count = (arena.setup.invariants.load(Relaxed) as usize).min(MAX_INVARIANTS);
    for (index, function) in arena.setup.invariant_functions.iter().enumerate().take(count) {
        let function = function.load(Relaxed);
        LOOKED_AT.0.set(Some(index));
        let is_known = reads::are_as_before(function);
        LOOKED_AT.0.set(None);
        if is_known {
            continue;
        }
        match evaluate(function) {
            None => finish::end(Ending::BadInvariant, index as u64),
            Some(0) => finish::end(Ending::Invariant, index as u64),
            Some(_) => reads::remember(function),
        }
    }
}

/// The invariant that would crash if it were evaluated: what it read before is not there any more.
pub fn crashing_invariant() -> Option<usize> {
    LOOKED_AT.0.take()
}

/// The action, marked if it changes something that an invariant reads.
#[inline(always)]
pub fn marked(action: &Action) -> Action {
    if are_there_invariants() && reads::is_changed_by(action) {
        return action.with(Action::OBSERVED);
    }
    *action
}
