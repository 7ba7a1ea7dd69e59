//! Threads that wait in a loop.
//!
//! A thread that comes back to the same instruction with the same registers and the same stack, and has changed nothing
//! else in the meantime, will do so for ever, unless a location that it has read is written. Letting it go round again
//! leads to no new state of anybody: it waits, like a thread at a locked mutex, until another thread writes one of
//! these locations. (This is the local cycle of SCALE's Algorithm 5, found where it happens.)
//!
//! What code without instrumentation changes is not seen, and what a thread reads is no step before it is known that
//! others write it. So where nobody else can take a step, such a thread is let loose for a number of rounds; only if
//! these change nothing either, and nobody writes anything from then on, it is a livelock.

mod round;

use super::clocks::{self, Own};
use super::copy_bytes;
use super::local;
use super::locations::Location;
use super::polling;
use crate::checkpoint::{Aligned, Tape};
use crate::{arena, world};
use core::cell::Cell;
use round::{Round, Update};
use rscale_protocol::{Action, Family, MAX_THREADS, Op, ThreadId, ThreadSet, Variable};

/// Rounds of a thread that is let loose.
const LOOSE_ROUNDS: u32 = 1000;

/// Whether the running thread has written memory other than its stack. The stubs set it.
pub static PROGRESS: Own<bool> = Own(Cell::new(false));
/// The stack of the running thread: its lowest address, and its bytes.
pub static STACK: [Own<u64>; 2] = [const { Own(Cell::new(0)) }; 2];
/// Threads that wait, those of them that have been let loose in vain, and all that have been let loose.
static WAITING: Own<ThreadSet> = Own(Cell::new(ThreadSet::EMPTY));
static EXHAUSTED: Own<ThreadSet> = Own(Cell::new(ThreadSet::EMPTY));
static HAS_BEEN_LOOSE: Own<ThreadSet> = Own(Cell::new(ThreadSet::EMPTY));
static ROUNDS: Aligned<[Own<Round>; MAX_THREADS]> = Aligned([const { Own(Cell::new(Round::NONE)) }; MAX_THREADS]);

/// Looks at what a thread has done, or changes it, where it lies: to copy it would take longer than the rest of a step.
/// The closure must not come back to here.
#[inline(always)]
fn with<R>(thread: ThreadId, act: impl FnOnce(&mut Round) -> R) -> R {
    // SAFETY: one kernel thread, and closures do not nest, so this is the only reference.
    act(unsafe { &mut *ROUNDS.0[thread.index()].0.as_ptr() })
}

/// An execution begins.
pub fn begin() {
    create(ThreadId::MAIN);
    PROGRESS.0.set(false);
    local::forget_all();
    WAITING.0.set(ThreadSet::EMPTY);
    EXHAUSTED.0.set(ThreadSet::EMPTY);
    HAS_BEEN_LOOSE.0.set(ThreadSet::EMPTY);
}

/// Saves what is known of all threads.
pub fn save(tape: &mut Tape) {
    STACK.iter().for_each(|word| tape.put(word.0.get()));
    tape.put(PROGRESS.0.get());
    [&WAITING, &EXHAUSTED, &HAS_BEEN_LOOSE].into_iter().for_each(|set| tape.put(set.0.get()));
    tape.save(&raw const ROUNDS as u64, rounds_bytes());
    polling::save(tape, threads());
    local::save(tape);
}

/// Brings back what was saved. There are as many threads as there were then: the world has been brought back.
pub fn bring_back(tape: &mut Tape) {
    STACK.iter().for_each(|word| word.0.set(tape.take()));
    PROGRESS.0.set(tape.take());
    [&WAITING, &EXHAUSTED, &HAS_BEEN_LOOSE].into_iter().for_each(|set| set.0.set(tape.take()));
    tape.bring_back(&raw const ROUNDS as u64, rounds_bytes());
    polling::bring_back(tape, threads());
    local::bring_back(tape);
}

/// How many threads this execution has.
fn threads() -> usize {
    world::get().look(|model| model.threads.count())
}

/// Bytes of what they have done.
fn rounds_bytes() -> u64 {
    (threads() * size_of::<Round>()) as u64
}

/// A thread comes into being.
pub fn create(thread: ThreadId) {
    ROUNDS.0[thread.index()].0.set(Round::NONE);
    polling::create(thread);
}

/// The thread goes on.
pub fn resume(thread: ThreadId) {
    let (low, high) = world::get().fibers[thread.index()].stack.get();
    STACK[0].0.set(low);
    STACK[1].0.set(high - low);
}

/// The running thread writes memory: progress, unless it is its own stack.
pub fn note_write(address: u64) {
    if address.wrapping_sub(STACK[0].0.get()) >= STACK[1].0.get() {
        PROGRESS.0.set(true);
    }
}

/// Whether the running thread has written memory other than its stack since its last step.
pub fn has_written() -> bool {
    PROGRESS.0.get()
}

/// The running thread has done something that can not be repeated: it looked at the time, or got what it tried to get.
pub fn note_progress() {
    PROGRESS.0.set(true);
}

/// The running thread arrives at an action.
pub fn arrive(op: Op) {
    if !super::is_on() {
        return;
    }
    let thread = world::get().current.get();
    if with(thread, |round| round.update.is_some()) {
        settle(thread);
    }
    let has_written = PROGRESS.0.replace(false);
    if has_written {
        local::note_write();
        wrote(thread);
    }
    // What an atomic update changes, and what an attempt does, is seen when the thread arrives at its next action.
    let may_change_nothing = op.changes_nothing() || op.is_attempt() || op == Op::AtomicUpdate;
    with(thread, |round| {
        round.progress |= has_written || !may_change_nothing;
        round.long_runs = 0;
    });
    if has_written || !(op.changes_nothing() || polling::is_loan(op)) {
        polling::note_progress(thread);
    }
}

/// The atomic update before this has taken place, and nobody else has run since: has it changed anything?
fn settle(thread: ThreadId) {
    let Some(update) = with(thread, |round| round.update.take()) else { return };
    if update.range.length > 8 || value(update.range) != update.old {
        with(thread, |round| round.progress = true);
        clocks::updated(thread, Variable(update.location));
        written(update.location, thread);
    } else {
        // A compare-and-exchange that failed, and the like, is no more than a read: it commutes with others.
        arena::get().log.make_vain(update.logged);
    }
}

fn value(range: Location) -> u64 {
    let mut bytes = [0; 8];
    copy_bytes(range.start, bytes.as_mut_ptr() as u64, range.length.min(8));
    u64::from_ne_bytes(bytes)
}

/// In which way a thread looks at something.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// As a step.
    Step,
    /// As a step that it has taken before, with the same result: it waits.
    Again,
    /// Without a scheduling point, because it is let loose.
    Loose,
}

impl Look {
    /// What the action says about it.
    pub fn flags(self) -> u8 {
        if self == Look::Again { Action::WAITING } else { 0 }
    }
}

/// The running thread is about to look at what lies at an address, and may update it, from the given local state.
#[inline(never)] // a round is large, and has no place on the stacks of threads that wait
pub fn look(op: Op, address: u64, pc: u64, local: impl Fn() -> u64) -> Look {
    let thread = world::get().current.get();
    arrive(op);
    if local::are_logged_at(op) {
        local::set(local::mix(local::mix(local(), pc), address));
    }
    let (waits, is_loose, is_in_vain) = with(thread, |round| {
        let waits = round.look(address, pc, &local);
        let is_loose = round.loose > 0;
        if is_loose && waits {
            round.loose -= 1;
        }
        (waits, is_loose, is_loose && round.loose == 0)
    });
    if is_in_vain {
        insert(&EXHAUSTED, thread);
    }
    let waits = waits && (!is_loose || is_in_vain);
    if waits {
        insert(&WAITING, thread);
    }
    match (is_loose && !is_in_vain, waits) {
        (true, _) => {
            local::forget();
            Look::Loose
        }
        (false, true) => Look::Again,
        (false, false) => Look::Step,
    }
}

/// The running thread reads a location in the middle of something larger: it does not come back to here, but what it
/// does in a loop may depend on it.
pub fn also_reads(location: Location) {
    with(world::get().current.get(), |round| round.watch(location.start));
}

/// The running thread is scheduled to update a location, and does so next: whether that changes anything is seen when
/// it arrives at its next action.
pub fn updates(range: Location, location: Location, is_step: bool) {
    let world = world::get();
    let logged = if is_step { world.logged.get().wrapping_sub(1) } else { usize::MAX };
    let update = Update { range, old: value(range), location: location.start, logged };
    with(world.current.get(), |round| round.update = Some(update));
}

fn insert(set: &Own<ThreadSet>, thread: ThreadId) {
    let mut threads = set.0.get();
    threads.insert(thread);
    set.0.set(threads);
}

fn remove(set: &Own<ThreadSet>, thread: ThreadId) {
    let mut threads = set.0.get();
    threads.remove(thread);
    set.0.set(threads);
}

/// The running thread has made very many accesses without a step: what is to be done?
pub enum Verdict {
    /// It works.
    Works,
    /// It may wait in a loop: every access is to be looked at.
    Suspicious,
    /// Others should run.
    LetOthersRun,
}

/// Looks at a thread that takes no steps. If it writes nothing, and comes back to the same state, it waits for others
/// to write something that no two threads have been seen to share.
pub fn long_run(pc: u64, local: impl FnOnce() -> u64) -> Verdict {
    const MOST_RUNS: u32 = 256;
    const MOST_LOOKS: u32 = 4096;
    let thread = world::get().current.get();
    let mut round = ROUNDS.0[thread.index()].0.get();
    round.long_runs += 1;
    let verdict = if PROGRESS.0.replace(false) {
        // Since the last step or the last look, that is: what it does from here on counts anew.
        wrote(thread);
        (round.watches_all, round.progress) = (false, true);
        if round.long_runs < MOST_RUNS { Verdict::Works } else { Verdict::LetOthersRun }
    } else if !round.watches_all {
        round = Round::of_long_run(pc, local(), round.loose);
        Verdict::Suspicious
    } else if round.pc == pc && round.came_back(local()) {
        round.loose = round.loose.saturating_sub(1);
        if round.loose == 0 { Verdict::LetOthersRun } else { Verdict::Suspicious }
    } else if round.long_runs < MOST_LOOKS {
        Verdict::Suspicious
    } else {
        round.watches_all = false;
        Verdict::LetOthersRun
    };
    if round.watches_all && matches!(verdict, Verdict::LetOthersRun) {
        insert(&WAITING, thread);
        if HAS_BEEN_LOOSE.0.get().contains(thread) {
            insert(&EXHAUSTED, thread);
        }
    }
    ROUNDS.0[thread.index()].0.set(round);
    verdict
}

/// The thread has written something. Whoever watches everything may go on. Others may have looked at it too, where it is
/// no step yet: they have not been let loose in vain, as far as this goes.
fn wrote(by: ThreadId) {
    wake(by, |round| round.watches_all);
    for thread in HAS_BEEN_LOOSE.0.get() {
        if thread != by {
            remove(&EXHAUSTED, thread);
            remove(&HAS_BEEN_LOOSE, thread);
        }
    }
}

/// A location has been written: whoever waits for that may go on.
pub fn written(location: u64, by: ThreadId) {
    wake(by, |round| round.watches_all || round.watches(location));
}

/// Lets those that wait go on if they wait for what the thread did.
fn wake(by: ThreadId, waits_for_it: impl Fn(&Round) -> bool) {
    for thread in WAITING.0.get() {
        if thread != by && with(thread, |round| waits_for_it(round)) {
            remove(&WAITING, thread);
            remove(&EXHAUSTED, thread);
            remove(&HAS_BEEN_LOOSE, thread);
            with(thread, |round| round.progress = true);
        }
    }
}

/// The running thread has taken a step at objects of the thread library. Locations see to it themselves: what an atomic
/// update changes is not known yet, and two threads that try in vain must not wake each other for ever.
#[inline(always)]
pub fn stepped(action: &Action, result: i32) {
    let is_loan = polling::is_loan(action.op);
    if is_loan {
        polling::lent(action, result);
    }
    if is_anyone_waiting() && action.op.family() != Family::Memory && !action.op.changed_nothing(result) {
        let is_seen = |round: &Round, object: u64| round.watches_all || round.watches(object);
        let wakes = |round: &Round| action.objects().any(|object| is_seen(round, object.0));
        // Who only looks has nothing to tell to others that do, or two of them would wake each other for ever.
        let only_looks = is_loan && action.flags & Action::ONLY_LOOKS != 0;
        wake(action.thread, |round| wakes(round) && !(only_looks && round.polls));
    }
}

/// Whether the thread was let loose, and nobody has written anything since.
pub fn is_loose(thread: ThreadId) -> bool {
    HAS_BEEN_LOOSE.0.get().contains(thread)
}

/// The running thread has looked at something under these locks in vain, and waits from now on; for good if it has been
/// let loose.
pub fn wait_to_poll(thread: ThreadId, mutexes: &[u64], is_for_good: bool) {
    with(thread, |round| *round = Round::of_polling(mutexes, round));
    insert(&WAITING, thread);
    if is_for_good {
        insert(&EXHAUSTED, thread);
    }
}

/// The threads that can take a step, without those that wait in a loop. If nobody else can, one of them is let loose.
pub fn without_waiting(enabled: [ThreadSet; 3]) -> [ThreadSet; 3] {
    let waiting = WAITING.0.get();
    if waiting.is_empty() {
        return enabled;
    }
    let [proceed, time_out, spurious] = enabled;
    let others = proceed.without(waiting);
    if !others.is_empty() || !time_out.is_empty() {
        return [others, time_out, spurious];
    }
    [proceed.without(EXHAUSTED.0.get()), time_out, spurious]
}

/// The thread is scheduled. If it waits in a loop, either nobody else could take a step, and it is let loose, or the
/// schedule wants it to go round again.
pub fn scheduled(thread: ThreadId, is_alone: bool) {
    if !WAITING.0.get().contains(thread) {
        return;
    }
    remove(&WAITING, thread);
    if is_alone {
        with(thread, |round| round.loose = LOOSE_ROUNDS);
        insert(&HAS_BEEN_LOOSE, thread);
    }
}

/// Whether some thread waits in a loop.
#[inline(always)]
pub fn is_anyone_waiting() -> bool {
    !WAITING.0.get().is_empty()
}

/// Whether the thread waits in a loop.
pub fn is_waiting(thread: ThreadId) -> bool {
    WAITING.0.get().contains(thread)
}

/// Whether threads wait in a loop where nobody can take a step.
pub fn is_livelock() -> bool {
    super::is_on() && !WAITING.0.get().is_empty()
}
