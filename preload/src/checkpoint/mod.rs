//! Checkpoints: states in the middle of an execution from which later ones go on.
//!
//! A search goes through its tree in depth: most executions have most of their steps in common with the one before. So
//! on the way the state is saved a few times, each time half of the way to where the last execution ended, and an
//! execution goes on from the last checkpoint that lies on its schedule. What it has to repeat is then in proportion to
//! what is new, not to its length. The scheduler process need not know: it gives whole schedules, and finds a whole
//! log.
//!
//! A checkpoint is all that changes during an execution: the pages that are restored, and the part of the shim's state
//! that lies outside of them ([`access`]). What the kernel holds can not be saved: there is no checkpoint behind
//! anything that [`syscalls::undo`] would have to undo.

mod changes;
mod lines;
mod tape;

pub use tape::{Aligned, Tape};

use crate::{access, arena, fiber, kernel_threads, snapshot, sys, syscalls, world};
use core::cell::Cell;
use core::sync::atomic::Ordering::Relaxed;
use rscale_protocol::ThreadSet;
use rscale_protocol::arena::{Isolation, LOG_CAPACITY, Policy, Token};

/// Checkpoints at a time.
const MOST: usize = 16;
/// Bytes of one checkpoint at most: to save more takes longer than to repeat the steps.
const ROOM: u64 = 2 << 20;
/// What a guess counts, in executions until another one is dared, and how much of it is remembered.
const STAKE: i32 = 4;
const MOST_LUCK: i32 = 32;
/// How many right guesses outweigh as many wrong ones, where to go back to, at most.
const MOST_TRUST: i32 = 16;
/// Stands for no step.
const NEVER: u64 = u64::MAX;

/// One saved state.
struct Checkpoint {
    /// Steps before it.
    depth: Cell<u64>,
    /// Where it lies on the tape.
    start: Cell<u64>,
    end: Cell<u64>,
    /// Whether an execution has gone on from it, or one is going to.
    is_of_use: Cell<bool>,
}

/// The checkpoints, outside of themselves.
struct State {
    /// Where the tape begins; 0 if there are no checkpoints.
    memory: Cell<u64>,
    /// From the first to the last.
    saved: [Checkpoint; MOST],
    count: Cell<usize>,
    /// The one that the memory was restored to last, plus one; 0 for the snapshot.
    restored: Cell<usize>,
    /// How well guesses did: how far to go back to checkpoints that were taken without knowing what for.
    luck: Cell<i32>,
    /// Whether what is restored ahead is rather where the scheduler said that it comes back to, than the last one.
    trust: Cell<i32>,
    /// The checkpoint where it said so, plus one; 0 for the snapshot.
    promised: Cell<usize>,
    /// The step before which the next one is taken.
    due: Cell<u64>,
    /// Whether the fiber that runs was left for the sake of one.
    is_wanted: Cell<bool>,
    /// The steps that the last execution took.
    taken: [Cell<u16>; LOG_CAPACITY],
    /// How many there were.
    length: Cell<u64>,
    /// For which communication variables the checkpoints are good.
    version: Cell<u32>,
}

// SAFETY: only the kernel thread that runs program and shim touches it.
unsafe impl Sync for State {}

static STATE: State = State {
    memory: Cell::new(0),
    saved: [const { Checkpoint { depth: Cell::new(0), start: Cell::new(0), end: Cell::new(0), is_of_use: Cell::new(false) } };
        MOST],
    count: Cell::new(0),
    restored: Cell::new(0),
    luck: Cell::new(0),
    trust: Cell::new(0),
    promised: Cell::new(0),
    due: Cell::new(NEVER),
    is_wanted: Cell::new(false),
    taken: [const { Cell::new(0) }; LOG_CAPACITY],
    length: Cell::new(0),
    version: Cell::new(0),
};

/// Reserves room, where executions go back to earlier states at all. Without room there are no checkpoints.
pub fn prepare() {
    let setup = &arena::get().setup;
    let is_restored = setup.isolation.load(Relaxed) == Isolation::Snapshot as u32;
    // What an evaluation has seen is not saved.
    if is_restored && !kernel_threads::are_used() && setup.evaluates.load(Relaxed) == 0 {
        let length = MOST as u64 * ROOM;
        if let Some(memory) = sys::map(0, length, libc::PROT_READ | libc::PROT_WRITE) {
            lines::prepare();
            snapshot::exclude(memory, memory + length);
            STATE.memory.set(memory);
            access::track();
        }
    }
}

/// Whether there may be checkpoints.
pub fn are_used() -> bool {
    STATE.memory.get() != 0
}

/// The snapshot was taken anew.
pub fn forget_all() {
    STATE.count.set(0);
    STATE.restored.set(0);
}

/// Notes a step that is about to be taken.
#[inline(always)]
pub fn note(step: u64, token: Token) {
    if let Some(place) = STATE.taken.get(step as usize) {
        place.set(token.to_code());
    }
}

/// A decision is due: takes a checkpoint if it is time for one.
#[inline(always)]
pub fn pass() {
    if world::get().steps.get() == STATE.due.get() {
        take_here();
    }
}

/// Chooses the checkpoint from which the requested execution can go on, and gives up those that are not on its way. 0
/// is the snapshot.
pub fn select() -> usize {
    let request = &arena::get().request;
    let version = request.locations_version.load(Relaxed);
    // Whoever goes on from a checkpoint does not log the steps before it anew: they have to be in the log still.
    let is_logged = STATE.length.get() <= LOG_CAPACITY as u64;
    let is_possible =
        request.goes_on.load(Relaxed) != 0 && is_logged && version == STATE.version.get() && access::can_go_back();
    STATE.version.set(version);
    let agreed = if is_possible { agreed_steps() } else { 0 };
    let is_on_the_way = |&count: &usize| count == 0 || STATE.saved[count - 1].depth.get() <= agreed;
    let count = (0..=STATE.count.get()).rev().find(is_on_the_way).unwrap_or(0);
    learn(count);
    learn_trust(count);
    STATE.count.set(count);
    count
}

/// The execution goes on from one of the checkpoints: were those that were only guessed to be of use worth it?
fn learn(chosen: usize) {
    let mut luck = STATE.luck.get();
    for checkpoint in &STATE.saved[chosen..STATE.count.get()] {
        luck -= if checkpoint.is_of_use.get() { 0 } else { STAKE };
    }
    if let Some(index) = chosen.checked_sub(1)
        && !STATE.saved[index].is_of_use.replace(true)
    {
        luck += STAKE;
    }
    // Bad luck is forgotten with time.
    STATE.luck.set((luck + i32::from(luck < 0)).clamp(-MOST_LUCK, MOST_LUCK));
}

/// Would it have been better to restore what the scheduler promised to come back to, or the last checkpoint?
fn learn_trust(chosen: usize) {
    let right = i32::from(chosen == STATE.promised.get()) - i32::from(chosen == STATE.count.get());
    STATE.trust.set((STATE.trust.get() + right).clamp(-MOST_TRUST, MOST_TRUST));
}

/// The last checkpoint before the state that the scheduler says it comes back to; the last one if it says nothing.
fn promised() -> usize {
    let back_to = returns().next().unwrap_or(NEVER);
    let is_before = |&count: &usize| count == 0 || STATE.saved[count - 1].depth.get() <= back_to;
    (0..=STATE.count.get()).rev().find(is_before).unwrap_or(0)
}

/// The steps that the requested schedule has in common with the last execution, up to the last checkpoint.
fn agreed_steps() -> u64 {
    let Some(last) = STATE.count.get().checked_sub(1) else { return 0 };
    let arena = arena::get();
    let most = STATE.saved[last].depth.get().min(arena.request.prefix_length.load(Relaxed).into()) as usize;
    let is_taken = |&index: &usize| arena.prefix[index].load(Relaxed) == STATE.taken[index].get();
    (0..most).find(|index| !is_taken(index)).unwrap_or(most) as u64
}

/// Brings everything back to a checkpoint, or to the snapshot.
pub fn restore(chosen: usize) {
    match chosen.checked_sub(1) {
        None => snapshot::restore(),
        Some(index) => {
            let checkpoint = &STATE.saved[index];
            // SAFETY: a part of the shim's own memory that was filled by `save`.
            let mut tape = unsafe { Tape::new(checkpoint.start.get(), checkpoint.end.get()) };
            snapshot::bring_back(&mut tape);
            access::bring_back(&mut tape);
        }
    }
    STATE.restored.set(chosen);
}

/// Restores what the next execution is most likely to go on from.
pub fn restore_ahead() {
    STATE.promised.set(promised());
    let likely = if STATE.trust.get() > 0 { STATE.promised.get() } else { STATE.count.get() };
    restore(if access::can_go_back() { likely } else { 0 });
}

/// What was restored last.
pub fn restored() -> usize {
    STATE.restored.get()
}

/// An execution begins at a checkpoint: from here on it follows its own schedule.
pub fn begin(chosen: usize) {
    let world = world::get();
    let depth = chosen.checked_sub(1).map_or(0, |index| STATE.saved[index].depth.get());
    arena::get().result.kept.store(depth as u32, Relaxed);
    if depth > 0 {
        arena::get().result.races.store(0, Relaxed);
        arena::get().mailbox.heartbeat.store(depth, Relaxed);
        world.followed.set(depth as usize);
        world.new_steps.set(0);
        world.sleeping.set(ThreadSet::EMPTY);
        world.policy.set(Policy::default());
    }
    plan(depth);
}

/// An execution has ended.
pub fn end() {
    STATE.length.set(world::get().steps.get());
}

/// Where later executions are going to go on, as far as the scheduler says so, from the last state on.
fn returns() -> impl Iterator<Item = u64> {
    let steps = arena::get().request.comes_back_to.iter().map(|word| u64::from(word.load(Relaxed)));
    steps.take_while(|&step| step != 0)
}

/// Decides where the next checkpoint is taken: where a later execution is going to go on, or, on the off chance, half
/// of the way to where the last one ended.
fn plan(depth: u64) {
    STATE.due.set(NEVER);
    let request = &arena::get().request;
    if !are_used() || request.goes_on.load(Relaxed) == 0 || STATE.count.get() == MOST {
        return;
    }
    let guessed = if STATE.luck.get() >= 0 { depth + STATE.length.get().saturating_sub(depth) / 2 } else { 0 };
    let is_worth_it = |&due: &u64| due >= depth + least_way() && due < LOG_CAPACITY as u64;
    if let Some(due) = returns().chain([guessed]).filter(is_worth_it).min() {
        STATE.due.set(due);
    }
}

/// Steps that take as long as to save a checkpoint: a page takes about as long as a third of a step.
fn least_way() -> u64 {
    const PAGES_PER_STEP: u64 = 3;
    4 + snapshot::hot_pages() as u64 / PAGES_PER_STEP
}

/// Leaves the running fiber for the shim's own context, which takes the checkpoint and comes back.
#[cold]
fn take_here() {
    STATE.due.set(NEVER);
    if is_possible_here() {
        STATE.is_wanted.set(true);
        fiber::leave(world::get().fiber().stack_pointer.as_ptr());
    }
}

/// Whether all that there is to save can be saved.
fn is_possible_here() -> bool {
    let world = world::get();
    let here = 0u8;
    world.fiber().owns_stack_address(&raw const here as u64)
        && !world.forked_child.get()
        && syscalls::is_untouched()
        && arena::get().result.races.load(Relaxed) == 0
}

/// Takes the checkpoint for which a fiber was left. False if it was left for another reason.
pub fn take_if_wanted() -> bool {
    let is_wanted = STATE.is_wanted.replace(false);
    if is_wanted {
        save();
    }
    is_wanted
}

fn save() {
    let count = STATE.count.get();
    let start = match count.checked_sub(1) {
        None => STATE.memory.get(),
        Some(last) => STATE.saved[last].end.get(),
    };
    // SAFETY: the rest of the shim's own memory for this.
    let mut tape = unsafe { Tape::new(start, STATE.memory.get() + MOST as u64 * ROOM) };
    snapshot::save(&mut tape);
    access::save(&mut tape);
    let Some(end) = tape.position() else { return };
    let depth = world::get().steps.get();
    let checkpoint = &STATE.saved[count];
    checkpoint.depth.set(depth);
    checkpoint.start.set(start);
    checkpoint.end.set(end);
    checkpoint.is_of_use.set(returns().any(|step| step == depth));
    STATE.count.set(count + 1);
    plan(depth);
}
