//! The sync-object model: what every operation needs, does and returns.
//!
//! One implementation for both processes. The shim asks it which threads are enabled and what a step returns to the
//! program; tests and the scheduler ask it the same questions without a program. It is plain data of fixed size: no
//! allocation, and all zeroes is the valid initial state, so that the shim can keep it in memory that a restore resets.
//!
//! Each family of objects is one file with two functions, `choices` and `perform`; [`Model`] dispatches.

mod barrier;
mod condition;
mod descriptor;
mod disturb;
pub mod errno;
mod futex;
mod mutex;
mod objects;
mod once;
#[cfg(test)]
mod properties;
mod rwlock;
mod semaphore;
mod spin;
#[cfg(test)]
mod testing;
mod thread;
mod threads;
mod time;

pub use barrier::Barrier;
pub use condition::Condition;
pub use futex::Futex;
pub use mutex::{Mutex, MutexKind};
pub use objects::{Object, ObjectState, Objects};
pub use once::Once;
pub use rwlock::RwLock;
pub use semaphore::Semaphore;
pub use spin::Spin;
pub use threads::{Cancellation, Life, Thread, Threads, Wait};

use crate::action::{Action, Choice};
use crate::dependence::Context;
use crate::ending::Misuse;
use crate::ops::{Family, Op};
use crate::thread_set::{ThreadId, ThreadSet};
use crate::variable::Variable;

/// The result of an operation that a cancellation ended: not an error number, the wrapper unwinds the thread.
pub const CANCELLED: i32 = i32::MIN;

/// In which ways a thread can take its next step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Choices {
    /// The operation can take place.
    pub proceed: bool,
    /// The operation is blocked and may give up.
    pub time_out: bool,
    /// The operation is blocked and may wake up for no reason, where spurious wake-ups are explored.
    pub spurious: bool,
}

impl Choices {
    /// Blocked, for the time being without alternative.
    pub const NONE: Choices = Choices { proceed: false, time_out: false, spurious: false };
    /// Can take place.
    pub const PROCEED: Choices = Choices { proceed: true, time_out: false, spurious: false };

    /// Can take place if `ready`; a timed operation may give up otherwise.
    #[must_use]
    pub fn when(ready: bool, action: &Action) -> Choices {
        Choices { proceed: ready, time_out: !ready && action.is_timed(), spurious: false }
    }

    /// Whether the step can be taken in this way.
    #[must_use]
    pub fn allows(self, choice: Choice) -> bool {
        match choice {
            Choice::Proceed => self.proceed,
            Choice::TimeOut => self.time_out,
            Choice::Spurious => self.spurious,
        }
    }
}

/// What a step did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// What the function returns: 0 or an error number, a value where the operation yields one, or [`CANCELLED`].
    pub result: i32,
    /// The operation is not over: this action is the thread's next one.
    pub next: Option<Action>,
    /// The program may not do this.
    pub misuse: Option<Misuse>,
}

impl Outcome {
    /// The operation is over and returns this.
    #[must_use]
    pub fn returns(result: i32) -> Outcome {
        Outcome { result, next: None, misuse: None }
    }

    /// The operation goes on with another action.
    #[must_use]
    pub fn continues(next: Action) -> Outcome {
        Outcome { result: 0, next: Some(next), misuse: None }
    }

    /// The operation is an error of the program; the library would return this.
    #[must_use]
    pub fn misuse(misuse: Misuse, result: i32) -> Outcome {
        Outcome { result, next: None, misuse: Some(misuse) }
    }

    /// The operation works on something that is not, or not any more, an object of its kind.
    fn wrong_object(found: ObjectState) -> Outcome {
        let misuse = match found {
            ObjectState::Unknown => Misuse::Uninitialised,
            ObjectState::Destroyed => Misuse::UseDestroyed,
            _ => Misuse::WrongKind,
        };
        Outcome::misuse(misuse, errno::EINVAL)
    }
}

/// All threads and synchronisation objects of one execution.
///
/// Laid out as written, here and in its parts: what every execution changes comes first and lies together, since
/// restoring costs time per page.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Model {
    /// The threads.
    pub threads: Threads,
    /// The objects.
    pub objects: Objects,
}

impl Model {
    /// No objects, and only the main thread.
    #[must_use]
    pub const fn new() -> Model {
        Model { threads: Threads::new(), objects: Objects::new() }
    }

    /// In which ways the thread can take this action now. If [`Model::candidates`] names threads, nobody else can.
    #[must_use]
    pub fn choices(&self, action: &Action) -> Choices {
        if !action.op.may_wait() || self.threads.acts_on_cancellation(action) {
            return Choices::PROCEED;
        }
        match action.op.family() {
            Family::Thread => thread::choices(self, action),
            Family::Mutex => mutex::choices(self, action),
            Family::Condition => condition::choices(self, action),
            Family::RwLock => rwlock::choices(self, action),
            Family::Spin => spin::choices(self, action),
            Family::Barrier => barrier::choices(self, action),
            Family::Semaphore => semaphore::choices(self, action),
            Family::Once => once::choices(self, action),
            Family::Futex => futex::choices(self, action),
            Family::Descriptor => descriptor::choices(self, action),
            Family::Process | Family::Memory => Choices::PROCEED,
        }
    }

    /// The thread has arrived at this action and may have to wait for it. Returns whether that is noted in the model.
    #[inline(always)]
    pub fn announce(&mut self, action: &Action) -> bool {
        match action.op {
            Op::ThreadJoin => thread::announce(self, action),
            Op::SemWait => semaphore::announce(self, action),
            _ => return false,
        }
        true
    }

    /// The threads one of which the last signal wakes: which one is decided by who takes the next step.
    #[must_use]
    #[inline(always)]
    pub fn candidates(&self) -> Option<ThreadSet> {
        if self.threads.signalled == Variable(0) { None } else { condition::candidates(self) }
    }

    /// What a thread is about to do, given what it was about to do when it arrived: steps of
    /// [others](Op::redirects_waiters) may have woken it or moved it to another word.
    #[must_use]
    #[inline(always)]
    pub fn current(&self, arrived: &Action) -> Action {
        match arrived.op {
            Op::CondWake => condition::current(self, arrived),
            Op::FutexResume => futex::current(self, arrived),
            _ => *arrived,
        }
    }

    /// What decides, beside the action and its result, what it touches.
    #[must_use]
    #[inline(always)]
    pub fn context(&self, action: &Action) -> Context {
        match action.op {
            Op::CondSignal | Op::CondBroadcast => {
                let has_waiters = self.threads.waiting_on(action.object).next().is_some();
                Context { has_waiters, ..Context::default() }
            }
            Op::RwUnlock => {
                let reads = matches!(self.state(action.object), ObjectState::RwLock(lock) if lock.writer().is_none());
                Context { reads, ..Context::default() }
            }
            _ => Context::default(),
        }
    }

    /// Takes the step. The caller has seen that [`Model::choices`] allows it.
    #[inline(always)]
    pub fn perform(&mut self, action: &Action, choice: Choice) -> Outcome {
        // All clocks show 0 in most executions: most programs neither sleep nor look at the time.
        if self.threads.has_time_passed() || action.is_timed() {
            time::before(self, action, choice);
        }
        let outcome =
            if self.threads.acts_on_cancellation(action) { self.cancel(action) } else { self.dispatch(action, choice) };
        if self.threads.has_time_passed() {
            time::after(self, action);
        }
        outcome
    }

    #[inline(always)]
    fn dispatch(&mut self, action: &Action, choice: Choice) -> Outcome {
        match action.op.family() {
            Family::Thread => thread::perform(self, action, choice),
            Family::Mutex => mutex::perform(self, action, choice),
            Family::Condition => condition::perform(self, action, choice),
            Family::RwLock => rwlock::perform(self, action, choice),
            Family::Spin => spin::perform(self, action),
            Family::Barrier => barrier::perform(self, action),
            Family::Semaphore => semaphore::perform(self, action, choice),
            Family::Once => once::perform(self, action),
            Family::Futex => futex::perform(self, action, choice),
            Family::Descriptor => descriptor::perform(self, action, choice),
            Family::Process | Family::Memory => Outcome::returns(0),
        }
    }

    /// The thread acts on a request to cancel it instead of performing the action.
    fn cancel(&mut self, action: &Action) -> Outcome {
        self.threads.get_mut(action.thread).cancellation.pending = false;
        match action.op.family() {
            Family::Condition => condition::cancel(self, action),
            Family::Futex => futex::cancel(self, action),
            Family::Thread => thread::cancel_join(self, action),
            _ => {
                self.threads.get_mut(action.thread).wait = Wait::default();
                Outcome::returns(CANCELLED)
            }
        }
    }

    /// The state of what lies at the address.
    fn state(&self, variable: Variable) -> ObjectState {
        self.objects.find(variable.0).map_or(ObjectState::Unknown, |object| object.state)
    }

    /// Puts a fresh object at the address. `in_use`: threads still hold or wait on the one that was there.
    fn initialise(&mut self, variable: Variable, fresh: ObjectState, in_use: bool) -> Outcome {
        if !self.objects.set(variable.0, fresh) {
            return Outcome::returns(errno::EAGAIN);
        }
        if in_use { Outcome::misuse(Misuse::InitInUse, 0) } else { Outcome::returns(0) }
    }

    /// All that a thread which does not hold the mutex can find out about it, as a number. None if no mutex is known
    /// there.
    #[must_use]
    pub fn mutex_state(&self, address: u64) -> Option<u64> {
        match self.objects.find(address)?.state {
            ObjectState::Mutex(mutex) => Some(mutex.seen_by_others()),
            _ => None,
        }
    }

    /// The thread that holds the object, or one of those that do, for wait-for cycles.
    #[must_use]
    pub fn holder(&self, address: u64) -> Option<ThreadId> {
        match self.objects.find(address)?.state {
            ObjectState::Mutex(mutex) => mutex.owner(),
            ObjectState::RwLock(lock) => lock.writer().or_else(|| lock.readers().first()),
            ObjectState::Spin(spin) => spin.owner(),
            ObjectState::Once(once) => once.runner(),
            _ => None,
        }
    }
}

impl Default for Model {
    fn default() -> Model {
        Model::new()
    }
}
