//! Threads that look at something under a lock, again and again.
//!
//! A thread that locks a mutex, reads, unlocks it, and comes back to the same place with the same registers and the
//! same stack, has changed nothing for anybody. It will go on like that for ever, unless somebody writes what it reads:
//! it waits before it locks again, like a thread that goes round in a loop of [reads](super::spin).
//!
//! What it reads under a lock is ordered by the lock, and no step. So it goes on when somebody else has had one of the
//! mutexes of its loop, or has written a location that it read there: but not because of others that poll, or two of
//! these would wake each other for ever.
//!
//! Only mutexes are looked at, and only loops in which nothing else happens: whoever tries to get something sees who
//! holds it.

use super::clocks::Own;
use super::{is_on, local, spin};
use crate::checkpoint::{Aligned, Tape};
use crate::{arena, evaluation, gate, world};
use core::cell::Cell;
use core::sync::atomic::Ordering::Relaxed;
use rscale_protocol::{Action, MAX_THREADS, Op, ThreadId};

/// Locks without coming back to the first one, after which another one is taken for the first; then twice as many.
const SHORTEST_ROUND: u32 = 4;
/// Mutexes that a loop may lock.
const MOST_MUTEXES: usize = 4;
/// Rounds of a thread that is let loose, because nobody else can take a step: each of them takes steps.
const LOOSE_ROUNDS: u32 = 16;

static POLLS: Aligned<[Own<Poll>; MAX_THREADS]> = Aligned([const { Own(Cell::new(Poll::NONE)) }; MAX_THREADS]);

/// What a thread has done since it locked a mutex at one place.
#[derive(Clone, Copy)]
pub struct Poll {
    /// The place, and the thread's local state there, if it is known.
    pc: u64,
    local: Option<u64>,
    /// How often it has locked one elsewhere since, and how often that may be.
    passed: u32,
    most_passed: u32,
    /// The mutexes that it has locked since, and how often it still holds each.
    mutexes: [u64; MOST_MUTEXES],
    held: [u32; MOST_MUTEXES],
    count: usize,
    /// Whether it has done nothing else since.
    is_vain: bool,
    /// Whether it came back here in the same state.
    has_waited: bool,
    /// Rounds since it was let loose.
    loose: u32,
}

impl Poll {
    const NONE: Poll = Poll {
        pc: 0,
        local: None,
        passed: 0,
        most_passed: SHORTEST_ROUND,
        mutexes: [0; MOST_MUTEXES],
        held: [0; MOST_MUTEXES],
        count: 0,
        is_vain: false,
        has_waited: false,
        loose: 0,
    };

    /// The mutexes of the last round.
    pub fn mutexes(&self) -> &[u64] {
        &self.mutexes[..self.count]
    }

    /// From here on, with this local state.
    fn begin(&mut self, pc: u64, local: Option<u64>) {
        *self = Poll { pc, local, is_vain: true, ..Poll::NONE };
    }

    /// Comes to a place in the middle of a round, or to the first one with something done since.
    fn pass(&mut self, pc: u64) {
        self.passed += 1;
        if self.pc == pc || !self.is_vain {
            self.begin(pc, None);
        } else if self.passed > self.most_passed {
            let most_passed = self.most_passed.saturating_mul(2);
            self.begin(pc, None);
            self.most_passed = most_passed;
        }
    }

    fn place(&self, mutex: u64) -> Option<usize> {
        self.mutexes().iter().position(|&known| known == mutex)
    }

    fn take(&mut self, mutex: u64) {
        if let Some(place) = self.place(mutex) {
            self.held[place] += 1;
        } else if self.count == MOST_MUTEXES {
            self.is_vain = false;
        } else {
            (self.mutexes[self.count], self.held[self.count]) = (mutex, 1);
            self.count += 1;
        }
    }

    /// What it had before this round is no loan, whoever gets it next.
    fn give_back(&mut self, mutex: u64) {
        match self.place(mutex) {
            Some(place) if self.held[place] > 0 => self.held[place] -= 1,
            _ => self.is_vain = false,
        }
    }

    /// Whether it has given back what it took.
    fn is_settled(&self) -> bool {
        self.held[..self.count].iter().all(|&held| held == 0)
    }

    /// Whether it has taken the mutex in this round, and still has it.
    fn holds(&self, mutex: u64) -> bool {
        self.place(mutex).is_some_and(|place| self.held[place] > 0)
    }
}

/// A thread comes into being.
pub fn create(thread: ThreadId) {
    POLLS.0[thread.index()].0.set(Poll::NONE);
}

/// Saves what is known of the first threads.
pub fn save(tape: &mut Tape, threads: usize) {
    tape.save(&raw const POLLS as u64, (threads * size_of::<Poll>()) as u64);
}

/// Brings back what was saved.
pub fn bring_back(tape: &mut Tape, threads: usize) {
    tape.bring_back(&raw const POLLS as u64, (threads * size_of::<Poll>()) as u64);
}

/// Looks at what a thread has done, or changes it, where it lies. The closure must not come back to here.
#[inline(always)]
fn with<R>(thread: ThreadId, act: impl FnOnce(&mut Poll) -> R) -> R {
    // SAFETY: one kernel thread, and closures do not nest, so this is the only reference.
    act(unsafe { &mut *POLLS.0[thread.index()].0.as_ptr() })
}

/// The thread has done something that is not undone at the end of a round.
pub fn note_progress(thread: ThreadId) {
    with(thread, |poll| poll.is_vain = false);
}

/// Whether the operation is undone at the end of a round.
pub fn is_loan(op: Op) -> bool {
    matches!(op, Op::MutexLock | Op::MutexUnlock)
}

/// The running thread has locked or unlocked a mutex.
pub fn lent(action: &Action, result: i32) {
    with(action.thread, |poll| match action.op {
        _ if !poll.is_vain => {}
        Op::MutexLock if result == 0 => poll.take(action.object.0),
        Op::MutexUnlock if result == 0 => poll.give_back(action.object.0),
        _ => poll.is_vain = false,
    });
}

/// The running thread is about to lock a mutex: what the action says about it. If the thread has gone round in vain, it
/// waits.
#[inline(always)]
pub fn before_lock() -> u8 {
    if !is_on() || world::get().is_alone() {
        return 0;
    }
    let waiting = if come_to_lock() { Action::WAITING } else { 0 };
    waiting | looking(|_| true)
}

/// The running thread is about to unlock a mutex: what the action says about it.
#[inline(always)]
pub fn before_unlock(mutex: u64) -> u8 {
    if is_on() { looking(|poll| poll.holds(mutex)) } else { 0 }
}

/// Whether the running thread polls, and nothing else: what it has written since its last step counts, too.
#[inline(always)]
fn looking(is_loan: impl Fn(&Poll) -> bool) -> u8 {
    let looks = |poll: &mut Poll| poll.has_waited && poll.is_vain && !spin::has_written() && is_loan(poll);
    let only_looks = with(world::get().current.get(), looks);
    if only_looks { Action::ONLY_LOOKS } else { 0 }
}

/// Whether it waits.
#[inline(never)]
fn come_to_lock() -> bool {
    if evaluation::is_under_way() || arena::get().setup.schedules_waiting.load(Relaxed) != 0 {
        return false;
    }
    let thread = world::get().current.get();
    if spin::has_written() {
        note_progress(thread);
    }
    let pc = gate::caller();
    let comes_back = with(thread, |poll| {
        let comes_back = poll.pc == pc && poll.is_vain && poll.is_settled();
        if !comes_back {
            poll.pass(pc);
        }
        comes_back
    });
    comes_back && waits_for_others(thread, pc)
}

/// The running thread has come back to the first place of its round, with nothing done since. Whether it waits.
#[inline(never)]
fn waits_for_others(thread: ThreadId, pc: u64) -> bool {
    let (stack_pointer, registers) = gate::caller_state();
    let local = Some(local::state(&registers, stack_pointer));
    let poll = POLLS.0[thread.index()].0.get();
    if poll.local != local {
        with(thread, |poll| poll.begin(pc, local));
        return false;
    }
    let is_loose = spin::is_loose(thread);
    with(thread, |poll| {
        (poll.has_waited, poll.passed) = (true, 0);
        poll.loose = if is_loose { poll.loose + 1 } else { 0 };
    });
    let waits = !is_loose || poll.loose == LOOSE_ROUNDS;
    if waits {
        spin::wait_to_poll(thread, poll.mutexes(), is_loose);
    }
    waits
}
