//! The threads of an execution: what the model knows of each.

use crate::action::Action;
use crate::ops::Op;
use crate::thread_set::{MAX_THREADS, ThreadId, ThreadSet};
use crate::variable::Variable;

/// Where a thread is in its life.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Life {
    /// Not created in this execution so far.
    #[default]
    Unborn,
    /// Created and not ended.
    Live,
    /// Ended, to be joined.
    Ended,
    /// Ended, and joined or detached: its identifier is invalid.
    Gone,
}

/// Whether and how a thread reacts to a request to cancel it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cancellation {
    /// A request has been made and not acted on.
    pub pending: bool,
    /// Requests are held (`PTHREAD_CANCEL_DISABLE`).
    pub disabled: bool,
    /// Requests are acted on at every scheduling point (`PTHREAD_CANCEL_ASYNCHRONOUS`).
    pub asynchronous: bool,
}

/// A wait on a condition variable or a futex.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Wait {
    /// What the thread waits on; variable 0 while it does not wait.
    pub on: Variable,
    /// Its place in the queue of a futex.
    pub since: u32,
    /// Whether a wait on a futex is over; one on a condition variable is where the thread does not wait on it any more.
    pub woken: bool,
    /// The mutex that the wait released, and how often it was held.
    pub mutex: Variable,
    /// See `mutex`.
    pub depth: u32,
    /// The bits that a wake-up must share (`FUTEX_WAIT_BITSET`).
    pub bits: u32,
}

/// One thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Thread {
    /// Where it is in its life.
    pub life: Life,
    /// Nobody will join it.
    pub detached: bool,
    /// Cancellation state.
    pub cancellation: Cancellation,
    /// The thread it is joining, plus one; 0 for none.
    pub(super) joining: u16,
    /// Its clock, in nanoseconds since the start of the program.
    pub now: u64,
    /// What it waits on.
    pub wait: Wait,
}

/// The threads of an execution.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Threads {
    /// How many were created, and how many of those were joined by the main thread.
    pub(super) created: u32,
    pub(super) joined_by_main: u32,
    /// The highest number of a thread that was created: the threads above it have not been born.
    pub(super) highest: u16,
    /// Whether some clock shows more than 0.
    time_has_passed: bool,
    /// Whether some thread has been asked to cancel itself.
    pub(super) cancellations: bool,
    /// The threads that are joining another one.
    joining: ThreadSet,
    /// The condition variable with several waiters that was signalled in the last step; variable 0 if none was.
    pub(super) signalled: Variable,
    threads: [Thread; MAX_THREADS],
}

impl Threads {
    /// Only the main thread, which is taken to be alive.
    #[must_use]
    pub const fn new() -> Threads {
        const UNBORN: Thread = Thread {
            life: Life::Unborn,
            detached: false,
            cancellation: Cancellation { pending: false, disabled: false, asynchronous: false },
            joining: 0,
            now: 0,
            wait: Wait { on: Variable(0), since: 0, woken: false, mutex: Variable(0), depth: 0, bits: 0 },
        };
        Threads {
            threads: [UNBORN; MAX_THREADS],
            created: 0,
            joined_by_main: 0,
            highest: 0,
            time_has_passed: false,
            cancellations: false,
            joining: ThreadSet::EMPTY,
            signalled: Variable(0),
        }
    }

    /// The thread.
    #[must_use]
    pub fn get(&self, thread: ThreadId) -> &Thread {
        &self.threads[thread.index() % MAX_THREADS]
    }

    /// The thread, to change it.
    pub fn get_mut(&mut self, thread: ThreadId) -> &mut Thread {
        &mut self.threads[thread.index() % MAX_THREADS]
    }

    /// One more than the highest number of a thread that was created.
    #[must_use]
    pub fn count(&self) -> usize {
        usize::from(self.highest) + 1
    }

    /// Whether some thread's clock shows more than 0.
    #[must_use]
    pub fn has_time_passed(&self) -> bool {
        self.time_has_passed
    }

    /// Whether some thread has been asked to cancel itself.
    #[must_use]
    pub fn has_cancellations(&self) -> bool {
        self.cancellations
    }

    /// The thread waits for the end of another one, or for that of none any more.
    pub(super) fn set_joining(&mut self, thread: ThreadId, target: Option<ThreadId>) {
        self.get_mut(thread).joining = target.map_or(0, |target| target.0 + 1);
        match target {
            Some(_) => self.joining.insert(thread),
            None => self.joining.remove(thread),
        }
    }

    /// Whether the thread is joining the other one.
    pub(super) fn is_joining(&self, thread: ThreadId, target: ThreadId) -> bool {
        self.get(thread).joining == target.0 + 1
    }

    /// Whether anyone but this thread is joining the target.
    pub(super) fn is_joined_by_another(&self, thread: ThreadId, target: ThreadId) -> bool {
        self.joining.iter().any(|other| other != thread && self.is_joining(other, target))
    }

    /// Sets the clock of a thread.
    pub fn set_now(&mut self, thread: ThreadId, now: u64) {
        self.get_mut(thread).now = now;
        self.time_has_passed |= now > 0;
    }

    /// Where the thread is in its life; the main thread is born with the execution.
    #[must_use]
    pub fn life(&self, thread: ThreadId) -> Life {
        match self.get(thread).life {
            Life::Unborn if thread == ThreadId::MAIN => Life::Live,
            life => life,
        }
    }

    /// All threads up to the highest one that was created.
    pub(super) fn born(&self) -> impl Iterator<Item = ThreadId> + use<> {
        (0..=self.highest).map(ThreadId)
    }

    /// The threads that have been created and have not ended.
    #[must_use]
    pub fn live(&self) -> ThreadSet {
        self.born().filter(|&thread| self.life(thread) == Life::Live).collect()
    }

    /// Whether every other thread has ended and been joined by the main thread (or none was ever created). What the
    /// main thread then does is ordered with everything, whatever the interleaving: it needs no scheduling points.
    #[must_use]
    pub fn main_is_alone(&self) -> bool {
        self.created == self.joined_by_main
    }

    /// Whether the thread, at this action, acts on a request to cancel it.
    #[must_use]
    #[inline]
    pub fn acts_on_cancellation(&self, action: &Action) -> bool {
        self.cancellations && self.acts_on_request(action)
    }

    /// Whether somebody has asked the thread to end, and it may do so.
    pub(super) fn is_to_be_cancelled(&self, thread: ThreadId) -> bool {
        let cancellation = self.get(thread).cancellation;
        cancellation.pending && !cancellation.disabled
    }

    fn acts_on_request(&self, action: &Action) -> bool {
        let cancellation = self.get(action.thread).cancellation;
        self.is_to_be_cancelled(action.thread)
            && (action.flags & Action::CANCELLATION_POINT != 0 || cancellation.asynchronous)
            && !matches!(action.op, Op::ThreadStart | Op::ThreadExit | Op::MutexAbandon)
            && !self.is_woken(action)
    }

    /// Whether the action is what a wake-up leads to: a signal is not lost to a request that comes later.
    fn is_woken(&self, action: &Action) -> bool {
        action.op == Op::CondRetake || action.op == Op::CondWake && action.object == self.signalled
    }

    /// The threads that wait on a variable.
    pub fn waiting_on(&self, variable: Variable) -> impl Iterator<Item = (ThreadId, &Wait)> {
        self.threads[..=usize::from(self.highest)]
            .iter()
            .enumerate()
            .filter(move |(_, thread)| thread.wait.on == variable && thread.life != Life::Gone)
            .map(|(index, thread)| (ThreadId(index as u16), &thread.wait))
    }
}

impl Default for Threads {
    fn default() -> Threads {
        Threads::new()
    }
}
