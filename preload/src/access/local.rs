//! Local states: what the filter against local cycles (SCALE, Algorithm 5) wants to know of every step.
//!
//! The local state of a thread is its registers and its stack. It matters where a thread may wait in a loop: before it
//! reads, yields, or tries to get something. Instrumented code arrives there with all its registers; a wrapped function
//! notes those that belong to its caller ([`gate::caller_state`]), since the others mean nothing across a call.

use super::clocks::Own;
use super::{region, spin};
use crate::checkpoint::Tape;
use crate::{arena, evaluation, gate, world};
use core::cell::Cell;
use core::sync::atomic::Ordering::Relaxed;
use rscale_protocol::arena::{LocalState, LocalStates};
use rscale_protocol::{Action, Op};

/// The local state in which the running thread arrives at its next action, if it is known.
static HASH: Own<Option<u64>> = Own(Cell::new(None));
/// Whether it has written more than its stack since it was there last.
static HAS_WRITTEN: Own<bool> = Own(Cell::new(false));

/// What is asked for.
fn asked() -> LocalStates {
    LocalStates::from_code(arena::get().setup.logs_local_states.load(Relaxed))
}

/// Whether local states are asked for where a thread is about to do this.
pub fn are_logged_at(op: Op) -> bool {
    match asked() {
        LocalStates::None => false,
        LocalStates::Attempts => op == Op::MutexTryLock,
        LocalStates::All => true,
    }
}

/// The running thread arrives at an action in the state with this hash.
pub fn set(hash: u64) {
    HASH.0.set(Some(hash));
}

/// There is no step here after all.
pub fn forget() {
    HASH.0.set(None);
}

/// Nothing is known of the running thread.
pub fn forget_all() {
    HASH.0.set(None);
    HAS_WRITTEN.0.set(false);
}

/// Saves what is known.
pub fn save(tape: &mut Tape) {
    tape.put((HASH.0.get(), HAS_WRITTEN.0.get()));
}

/// Brings back what was known.
pub fn bring_back(tape: &mut Tape) {
    let (hash, has_written) = tape.take();
    HASH.0.set(hash);
    HAS_WRITTEN.0.set(has_written);
}

/// The running thread has written memory that is not its stack.
pub fn note_write() {
    HAS_WRITTEN.0.set(true);
}

/// The running thread has arrived: completes the log of its last step.
pub fn log() {
    let asked = asked();
    if asked == LocalStates::None {
        return;
    }
    // What code that is not watched has written is not known.
    if asked == LocalStates::Attempts && !region::is_known_code(gate::caller(), 1) {
        HAS_WRITTEN.0.set(true);
    }
    let state = LocalState::new(HASH.0.take(), HAS_WRITTEN.0.take());
    if let Some(last) = world::get().logged.get().checked_sub(1) {
        arena::get().log.store_local_state(last, state);
    }
}

/// A step is written to the log: where it leads to is not known before its thread arrives there.
pub fn begin_step(index: usize) {
    if asked() != LocalStates::None {
        arena::get().log.store_local_state(index, LocalState::UNKNOWN);
    }
}

/// Passes the gate with an action that changes nothing, or nothing unless it succeeds: a thread may do so in a loop
/// until another thread helps it.
pub fn pass_in_loop(mut action: Action) -> i32 {
    if super::is_on() && !evaluation::is_under_way() && !world::get().is_alone() {
        let (stack_pointer, registers) = gate::caller_state();
        let local = || spin::local_state(&registers, stack_pointer);
        action.flags |= spin::look(action.op, action.object.0, action.pc, local).flags();
    }
    let result = gate::pass(action);
    if !action.op.changed_nothing(result) {
        spin::note_progress();
    }
    result
}
