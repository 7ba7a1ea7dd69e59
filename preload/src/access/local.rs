//! Local states: what the filter against local cycles (SCALE, Algorithm 5) wants to know of every step.
//!
//! The local state of a thread is its registers and its stack. It matters where a thread may wait in a loop: before it
//! reads, yields, or tries to get something. Instrumented code arrives there with all its registers; a wrapped function
//! notes those that belong to its caller ([`gate::caller_state`]), since the others mean nothing across a call.

use super::clocks::Own;
use super::{careful, region, spin};
use crate::checkpoint::Tape;
use crate::snapshot::PAGE;
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
    if asked == LocalStates::Attempts && !region::returns_to_watched(gate::caller()) {
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
        let local = || state(&registers, stack_pointer);
        action.flags |= spin::look(action.op, action.object.0, action.pc, local).flags();
    }
    let result = gate::pass(action);
    if !action.op.changed_nothing(result) {
        spin::note_progress();
    }
    result
}

/// A hash of registers and memory of the running thread: its stack from an address on, and its own variables.
pub fn state(registers: &[u64], from: u64) -> u64 {
    const THREAD_LOCAL: u64 = 512;
    let fiber = world::get().fiber();
    let (low, high) = fiber.stack.get();
    let own = fiber.fs.get();
    let top = if (low..=high).contains(&from) { high } else { end_of_other_stack(from) };
    // SAFETY: the used part of the thread's stack, and the thread-local variables, which lie before the thread's block.
    let [stack, variables] = unsafe { [words(from, top), words(own - THREAD_LOCAL, own)] };
    [registers, stack, variables].into_iter().fold(from, hashed)
}

/// Where what is used of a stack ends that the program has made itself: as much as is there, if it is not very much.
/// What lies far above does not change while a loop goes round.
fn end_of_other_stack(from: u64) -> u64 {
    const PAGES: u64 = 8;
    let first = from & !(PAGE - 1);
    let missing = (1..PAGES).map(|page| first + page * PAGE).find(|&page| !careful::is_readable(page, 1));
    missing.unwrap_or(first + PAGES * PAGE)
}

/// Memory as words.
///
/// # Safety
/// The range must be readable, and its start a multiple of 8; nobody may write to it as long as the words are used.
unsafe fn words<'a>(start: u64, end: u64) -> &'a [u64] {
    let count = end.saturating_sub(start) / size_of::<u64>() as u64;
    // SAFETY: as the caller promises.
    unsafe { core::slice::from_raw_parts(start as *const u64, count as usize) }
}

/// A hash of a hash and some words. Four at a time: a multiplication takes as long as the next three.
pub fn hashed(hash: u64, words: &[u64]) -> u64 {
    let (fours, rest) = words.as_chunks::<4>();
    let mix_each = |hashes: [u64; 4], four: &[u64; 4]| core::array::from_fn(|lane| mix(hashes[lane], four[lane]));
    let hashes = fours.iter().fold([hash; 4], mix_each);
    hashes.iter().chain(rest).fold(hash, |hash, &word| mix(hash, word))
}

/// A hash of a hash and another word.
pub fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
