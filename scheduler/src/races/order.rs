//! Happens-before by synchronisation alone: who knows of what another thread has done.
//!
//! An operation on an object of the thread library learns what earlier ones have left there, and leaves what its thread
//! knows, as far as the object hands it on: an unlock to the next lock, a post to the waits behind it, a reader's
//! unlock only to writers. Where a library says nothing, such as about attempts that fail, what an operation has seen
//! counts as known: no schedule can take the two accesses around it for simultaneous.

use rscale_protocol::arena::Step;
use rscale_protocol::model::Barrier;
use rscale_protocol::{Action, Op, ThreadId, Variable};
use std::collections::{HashMap, HashSet};

/// The object that stands for the atomic sections of the program: they exclude each other.
const SECTIONS: Variable = Variable::MEMORY;

/// What is known of every thread: all that it did up to this count.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Clock(Vec<u32>);

impl Clock {
    fn of(&self, thread: ThreadId) -> u32 {
        self.0.get(thread.index()).copied().unwrap_or(0)
    }

    fn set(&mut self, thread: ThreadId, count: u32) {
        if self.0.len() <= thread.index() {
            self.0.resize(thread.index() + 1, 0);
        }
        self.0[thread.index()] = count;
    }

    /// Adds what another one knows.
    pub fn join(&mut self, other: &Clock) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(mine, &theirs)| *mine = (*mine).max(theirs));
    }
}

/// A moment in the life of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moment {
    /// Whose.
    pub thread: ThreadId,
    count: u32,
}

/// What operations have left at an object.
#[derive(Default)]
struct Left {
    /// For everybody.
    all: Clock,
    /// For those alone who exclude the ones that left it.
    exclusive: Clock,
    /// Threads that wait at a barrier.
    arrived: Vec<ThreadId>,
}

/// Who knows what, step by step.
#[derive(Default)]
pub struct Order {
    threads: HashMap<ThreadId, Clock>,
    left: HashMap<Variable, Left>,
    /// What signals and broadcasts knew, by their step.
    signals: HashMap<usize, Clock>,
    /// Who holds which lock for reading.
    readers: HashSet<(ThreadId, Variable)>,
}

impl Order {
    /// The moment that a thread is in.
    pub fn now(&mut self, thread: ThreadId) -> Moment {
        Moment { thread, count: self.clock(thread).of(thread) }
    }

    /// Whether what happened in a moment of another thread happened before what the thread does now.
    pub fn knows(&mut self, thread: ThreadId, moment: Moment) -> bool {
        self.clock(thread).of(moment.thread) >= moment.count
    }

    /// What the thread knows is handed on; what it does from here on is not.
    pub fn publish(&mut self, thread: ThreadId) -> Clock {
        let clock = self.clock(thread);
        let published = clock.clone();
        clock.set(thread, published.of(thread) + 1);
        published
    }

    /// The thread learns what somebody has handed on.
    pub fn learn(&mut self, thread: ThreadId, published: &Clock) {
        self.clock(thread).join(published);
    }

    /// A step that is no access to memory, by its index.
    pub fn step(&mut self, index: usize, step: &Step) {
        let Action { op, thread, object, second, count, flags, .. } = step.action;
        match op {
            Op::ThreadCreate => self.create(thread, object),
            Op::MutexLock | Op::MutexTryLock | Op::SpinLock | Op::SpinTryLock | Op::SemWait | Op::SemTryWait => {
                self.acquire(thread, object);
            }
            Op::SemGetValue | Op::OnceEnter | Op::ThreadJoin | Op::ThreadTryJoin | Op::CondWake | Op::FutexResume => {
                self.acquire(thread, object);
            }
            Op::RwWrite | Op::RwTryWrite => self.acquire(thread, object),
            Op::RwRead | Op::RwTryRead => self.acquire_shared(thread, object, step.result == 0),
            Op::CondRetake => self.retake(thread, object, count),
            Op::RwUnlock if self.readers.remove(&(thread, object)) => {
                let published = self.publish(thread);
                self.at(object).exclusive.join(&published);
            }
            Op::CondWait => _ = self.release(thread, second),
            Op::CondSignal | Op::CondBroadcast => {
                let published = self.release(thread, object);
                self.signals.insert(index, published);
            }
            Op::FutexRequeue => {
                self.release(thread, object);
                self.release(thread, second);
            }
            Op::BarrierArrive => self.arrive(thread, object, step.result),
            Op::FutexWait | Op::DescriptorWait | Op::DescriptorUse => {
                self.acquire(thread, object);
                self.release(thread, object);
            }
            Op::ThreadCancel | Op::ThreadKill => self.interrupt(thread, object),
            Op::AtomicBegin if flags & Action::ANNOTATED != 0 => self.acquire(thread, SECTIONS),
            Op::AtomicEnd if flags & Action::ANNOTATED != 0 => _ = self.release(thread, SECTIONS),
            Op::AtomicBegin | Op::AtomicEnd | Op::BarrierLeave | Op::ThreadStart | Op::TestCancel => {}
            Op::Yield | Op::Sleep | Op::Preempt | Op::Choose | Op::SignalWait | Op::Fork | Op::ProcessExit => {}
            _ => _ = self.release(thread, object),
        }
    }

    fn clock(&mut self, thread: ThreadId) -> &mut Clock {
        self.threads.entry(thread).or_insert_with(|| {
            let mut clock = Clock::default();
            clock.set(thread, 1);
            clock
        })
    }

    fn at(&mut self, object: Variable) -> &mut Left {
        self.left.entry(object).or_default()
    }

    fn acquire(&mut self, thread: ThreadId, object: Variable) {
        let Left { all, exclusive, .. } = self.left.entry(object).or_default();
        let mut left = all.clone();
        left.join(exclusive);
        self.learn(thread, &left);
    }

    fn acquire_shared(&mut self, thread: ThreadId, object: Variable, is_taken: bool) {
        let left = self.at(object).all.clone();
        self.learn(thread, &left);
        if is_taken {
            self.readers.insert((thread, object));
        }
    }

    fn release(&mut self, thread: ThreadId, object: Variable) -> Clock {
        let published = self.publish(thread);
        self.at(object).all.join(&published);
        published
    }

    /// A thread begins with what its creator knows. One before it may have had its number.
    fn create(&mut self, thread: ThreadId, created: Variable) {
        let Some(created) = created.as_thread() else { return };
        let count = self.clock(created).of(created) + 1;
        let mut clock = self.publish(thread);
        clock.set(created, count);
        self.threads.insert(created, clock);
    }

    /// A waiter takes its mutex back; `woken` counts the steps up to the one that woke it.
    fn retake(&mut self, thread: ThreadId, mutex: Variable, woken: u32) {
        let signal = (woken as usize).checked_sub(1).and_then(|index| self.signals.get(&index).cloned());
        if let Some(signal) = signal {
            self.learn(thread, &signal);
        }
        self.acquire(thread, mutex);
    }

    /// The last one to arrive tells everybody who waits, and nobody who comes later.
    fn arrive(&mut self, thread: ThreadId, barrier: Variable, result: i32) {
        self.release(thread, barrier);
        self.at(barrier).arrived.push(thread);
        if result == Barrier::SERIAL_THREAD
            && let Some(Left { all, arrived, .. }) = self.left.remove(&barrier)
        {
            arrived.iter().for_each(|&waiter| self.learn(waiter, &all));
        }
    }

    /// What the interrupted thread does next may be a handler.
    fn interrupt(&mut self, thread: ThreadId, target: Variable) {
        let published = self.publish(thread);
        if let Some(target) = target.as_thread() {
            self.learn(target, &published);
        }
    }
}
