//! Read-write locks.
//!
//! A reader is let in whenever there is no writer. That is what glibc does by default, and for locks that prefer
//! readers (`PTHREAD_RWLOCK_PREFER_READER_NP`, which is also what `PREFER_WRITER_NP` means there). A lock that prefers
//! writers (`PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP`) keeps readers out while a writer waits. To come to wait is
//! then a step of its own: a reader may be faster than a writer that is only about to.

use super::errno::{EAGAIN, EBUSY, EDEADLK, EINVAL, EPERM, ETIMEDOUT};
use super::{Choices, Model, ObjectState, Outcome, Wait};
use crate::action::{Action, Choice};
use crate::ending::Misuse;
use crate::ops::Op;
use crate::thread_set::{ThreadId, ThreadSet};
use crate::variable::Variable;

/// A thread that holds more than one read lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Repeated {
    /// Who.
    thread: ThreadId,
    /// How many beyond the first; 0 while this entry is not used.
    extra: u16,
}

/// The state of a read-write lock.
///
/// The number of read locks is exact, and with it who is enabled. So is the set of readers, as long as not more than
/// two threads at a time hold the lock repeatedly. After that the lock is `blurred`: readers stay in the set until the
/// last one has gone. No unlock is then called wrong that is right, but a wrong one may pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RwLock {
    writer: Option<ThreadId>,
    readers: ThreadSet,
    read_locks: u16,
    repeated: [Repeated; 2],
    blurred: bool,
    /// Readers wait behind waiting writers.
    prefers_writers: bool,
}

impl RwLock {
    /// [`Action::count`] of the initialisation of a lock that prefers writers: glibc's number for that kind.
    pub const PREFER_WRITERS: u32 = 2;

    /// A free lock.
    #[must_use]
    pub fn new(prefers_writers: bool) -> RwLock {
        RwLock { prefers_writers, ..RwLock::default() }
    }

    /// Who holds it for writing.
    #[must_use]
    pub fn writer(&self) -> Option<ThreadId> {
        self.writer
    }

    /// Who holds it for reading.
    #[must_use]
    pub fn readers(&self) -> ThreadSet {
        self.readers
    }

    fn is_free(&self) -> bool {
        self.writer.is_none() && self.read_locks == 0
    }

    /// Whether the operation would return, and not wait.
    fn answers(&self, op: Op, thread: ThreadId) -> bool {
        match op {
            Op::RwRead => self.writer.is_none_or(|writer| writer == thread),
            Op::RwWrite => self.is_free() || self.writer == Some(thread),
            _ => true,
        }
    }

    fn try_read(&mut self, thread: ThreadId) -> i32 {
        if self.writer.is_some() {
            return EBUSY;
        }
        let Some(read_locks) = self.read_locks.checked_add(1) else { return EAGAIN };
        self.read_locks = read_locks;
        if !self.readers.contains(thread) {
            self.readers.insert(thread);
        } else if let Some(entry) = self.repeated_by(thread).or_else(|| self.unused_entry()) {
            let entry = &mut self.repeated[entry];
            *entry = Repeated { thread, extra: entry.extra + 1 };
        } else {
            self.blurred = true;
        }
        0
    }

    fn try_write(&mut self, thread: ThreadId) -> i32 {
        if !self.is_free() {
            return EBUSY;
        }
        self.writer = Some(thread);
        0
    }

    fn unlock(&mut self, thread: ThreadId) -> Outcome {
        if self.writer == Some(thread) {
            self.writer = None;
        } else if self.readers.contains(thread) {
            self.unlock_read(thread);
        } else {
            return Outcome::misuse(Misuse::RwUnlockNotHeld, EPERM);
        }
        Outcome::returns(0)
    }

    fn unlock_read(&mut self, thread: ThreadId) {
        self.read_locks = self.read_locks.saturating_sub(1);
        if self.read_locks == 0 {
            *self = RwLock::new(self.prefers_writers);
        } else if let Some(entry) = self.repeated_by(thread) {
            self.repeated[entry].extra -= 1;
        } else if !self.blurred {
            self.readers.remove(thread);
        }
    }

    fn repeated_by(&self, thread: ThreadId) -> Option<usize> {
        self.repeated.iter().position(|entry| entry.extra > 0 && entry.thread == thread)
    }

    fn unused_entry(&self) -> Option<usize> {
        self.repeated.iter().position(|entry| entry.extra == 0)
    }
}

fn lock_at(model: &Model, variable: Variable) -> Option<RwLock> {
    match model.state(variable) {
        ObjectState::RwLock(lock) => Some(lock),
        _ => None,
    }
}

pub(super) fn choices(model: &Model, action: &Action) -> Choices {
    if action.flags & Action::INVALID_DEADLINE != 0 || !matches!(action.op, Op::RwRead | Op::RwWrite) {
        return Choices::PROCEED;
    }
    let Some(lock) = lock_at(model, action.object) else { return Choices::PROCEED };
    if action.op == Op::RwRead && lock.prefers_writers && is_writer_waiting(model, action.object) {
        return Choices::when(lock.writer == Some(action.thread), action);
    }
    let ready = lock.answers(action.op, action.thread);
    if !ready && must_come_to_wait(&lock, action) { Choices::PROCEED } else { Choices::when(ready, action) }
}

/// Whether a thread has come to wait for writing.
fn is_writer_waiting(model: &Model, lock: Variable) -> bool {
    model.threads.waiting_on(lock).next().is_some()
}

/// Whether the action's next step is to come to wait, for everybody to see.
fn must_come_to_wait(lock: &RwLock, action: &Action) -> bool {
    action.op == Op::RwWrite && lock.prefers_writers && action.flags & Action::WAITING == 0
}

pub(super) fn perform(model: &mut Model, action: &Action, choice: Choice) -> Outcome {
    let thread = action.thread;
    if action.op == Op::RwInit {
        let in_use = lock_at(model, action.object).is_some_and(|lock| !lock.is_free());
        let fresh = RwLock::new(action.count == RwLock::PREFER_WRITERS);
        return model.initialise(action.object, ObjectState::RwLock(fresh), in_use);
    }
    let writer_waits = is_writer_waiting(model, action.object);
    let Some(object) = model.objects.find_mut(action.object.0) else {
        return Outcome::wrong_object(ObjectState::Unknown);
    };
    let ObjectState::RwLock(lock) = &mut object.state else { return Outcome::wrong_object(object.state) };
    if choice == Choice::Proceed && !lock.answers(action.op, thread) && must_come_to_wait(lock, action) {
        model.threads.get_mut(thread).wait = Wait { on: action.object, ..Wait::default() };
        return Outcome::continues(action.with(Action::WAITING));
    }
    if action.flags & Action::WAITING != 0 {
        model.threads.get_mut(thread).wait = Wait::default();
    }
    match action.op {
        Op::RwRead | Op::RwWrite if choice == Choice::TimeOut => Outcome::returns(ETIMEDOUT),
        Op::RwRead | Op::RwWrite if action.flags & Action::INVALID_DEADLINE != 0 => Outcome::returns(EINVAL),
        Op::RwRead | Op::RwWrite if lock.writer == Some(thread) => Outcome::returns(EDEADLK),
        Op::RwTryRead if lock.prefers_writers && writer_waits => Outcome::returns(EBUSY),
        Op::RwRead | Op::RwTryRead => Outcome::returns(lock.try_read(thread)),
        Op::RwWrite | Op::RwTryWrite => Outcome::returns(lock.try_write(thread)),
        Op::RwUnlock => lock.unlock(thread),
        _ if !lock.is_free() => Outcome::misuse(Misuse::RwDestroyHeld, EBUSY),
        _ => {
            object.state = ObjectState::Destroyed;
            Outcome::returns(0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::*;

    const L: u64 = 0x1000;

    fn with_lock() -> Bench {
        let mut bench = Bench::with_threads(6);
        assert_eq!(bench.run(0, Op::RwInit, L), 0);
        bench
    }

    fn readers(bench: &Bench) -> Vec<u16> {
        lock_at(&bench.model, Variable(L)).unwrap().readers().iter().map(|thread| thread.0).collect()
    }

    #[test]
    fn a_lock_that_prefers_writers_keeps_readers_behind_those_that_wait() {
        let mut bench = Bench::with_threads(4);
        let init = Action { count: RwLock::PREFER_WRITERS, ..Bench::action(0, Op::RwInit, L) };
        assert_eq!(bench.model.perform(&init, Choice::Proceed).result, 0);
        assert_eq!(bench.run(1, Op::RwRead, L), 0);
        assert!(bench.enabled(1, Op::RwRead, L), "nobody waits yet");
        assert!(bench.enabled(2, Op::RwWrite, L), "it can come to wait");
        let waiting = bench.step(2, Op::RwWrite, L).next.expect("it waits");
        assert!(!bench.model.choices(&waiting).proceed);
        assert!(!bench.enabled(1, Op::RwRead, L), "reading again is a deadlock now");
        assert_eq!(bench.run(3, Op::RwTryRead, L), EBUSY);
        assert_eq!(bench.run(1, Op::RwUnlock, L), 0);
        assert_eq!(bench.model.perform(&waiting, Choice::Proceed).result, 0);
        assert_eq!(bench.run(2, Op::RwUnlock, L), 0);
        assert!(bench.enabled(1, Op::RwRead, L));
    }

    #[test]
    fn readers_share_and_keep_writers_out() {
        let mut bench = with_lock();
        assert_eq!(bench.run(1, Op::RwRead, L), 0);
        assert_eq!(bench.run(2, Op::RwRead, L), 0);
        assert_eq!(readers(&bench), [1, 2]);
        assert!(!bench.enabled(3, Op::RwWrite, L));
        assert_eq!(bench.run(3, Op::RwTryWrite, L), EBUSY);
        assert_eq!(bench.run(4, Op::RwTryRead, L), 0, "readers are preferred to waiting writers");
        for reader in [1, 2, 4] {
            assert!(!bench.enabled(3, Op::RwWrite, L));
            assert_eq!(bench.run(reader, Op::RwUnlock, L), 0);
        }
        assert_eq!(bench.run(3, Op::RwWrite, L), 0);
    }

    #[test]
    fn a_writer_is_alone() {
        let mut bench = with_lock();
        assert_eq!(bench.run(1, Op::RwWrite, L), 0);
        assert_eq!(bench.model.holder(L), Some(ThreadId(1)));
        assert!(!bench.enabled(2, Op::RwRead, L) && !bench.enabled(2, Op::RwWrite, L));
        assert_eq!(bench.run(2, Op::RwTryRead, L), EBUSY);
        assert_eq!(bench.run(2, Op::RwTryWrite, L), EBUSY);
        assert_eq!(bench.run(1, Op::RwUnlock, L), 0);
        assert_eq!(bench.run(2, Op::RwTryWrite, L), 0);
    }

    #[test]
    fn locking_again_what_one_writes_is_an_error_and_writing_what_one_reads_a_deadlock() {
        let mut bench = with_lock();
        bench.run(1, Op::RwWrite, L);
        assert_eq!(bench.run(1, Op::RwRead, L), EDEADLK);
        assert_eq!(bench.run(1, Op::RwWrite, L), EDEADLK);
        assert_eq!(bench.run(1, Op::RwTryRead, L), EBUSY);
        assert_eq!(bench.run(1, Op::RwUnlock, L), 0);
        bench.run(1, Op::RwRead, L);
        assert!(!bench.enabled(1, Op::RwWrite, L));
    }

    #[test]
    fn repeated_read_locks_are_counted_for_each_thread() {
        let mut bench = with_lock();
        for thread in [1, 2, 2, 2, 3, 3] {
            bench.run(thread, Op::RwRead, L);
        }
        bench.run(1, Op::RwUnlock, L);
        assert_eq!(readers(&bench), [2, 3]);
        assert_eq!(bench.step(1, Op::RwUnlock, L).misuse, Some(Misuse::RwUnlockNotHeld));
        for thread in [2, 3, 2, 3, 2] {
            assert!(!bench.enabled(4, Op::RwWrite, L));
            assert_eq!(bench.run(thread, Op::RwUnlock, L), 0);
        }
        assert!(bench.enabled(4, Op::RwWrite, L) && readers(&bench).is_empty());
    }

    #[test]
    fn many_repeated_readers_are_never_accused_wrongly() {
        let mut bench = with_lock();
        for thread in [1, 2, 3, 4, 1, 2, 3, 4] {
            bench.run(thread, Op::RwRead, L);
        }
        for thread in [4, 3, 2, 1, 1, 2, 3, 4] {
            assert!(!bench.enabled(5, Op::RwWrite, L));
            assert_eq!(bench.run(thread, Op::RwUnlock, L), 0);
        }
        assert!(bench.enabled(5, Op::RwWrite, L));
        assert_eq!(bench.step(1, Op::RwUnlock, L).misuse, Some(Misuse::RwUnlockNotHeld), "sharp again");
    }

    #[test]
    fn timed_operations_give_up_only_while_blocked_and_check_their_deadline_first() {
        let mut bench = with_lock();
        for op in [Op::RwRead, Op::RwWrite] {
            let timed = Action { deadline: 9, ..Bench::action(2, op, L) };
            let invalid = Action { flags: Action::INVALID_DEADLINE, ..timed };
            assert_eq!(bench.model.choices(&timed), Choices::PROCEED);
            assert_eq!(bench.model.perform(&invalid, Choice::Proceed).result, EINVAL, "even if it need not wait");
            bench.run(1, Op::RwWrite, L);
            assert_eq!(bench.model.choices(&timed), Choices { time_out: true, ..Choices::NONE });
            assert_eq!(bench.model.perform(&timed, Choice::TimeOut), Outcome::returns(ETIMEDOUT));
            assert_eq!(bench.model.choices(&invalid), Choices::PROCEED);
            bench.run(1, Op::RwUnlock, L);
        }
    }

    #[test]
    fn misuse_is_named() {
        let mut bench = with_lock();
        assert_eq!(bench.step(1, Op::RwUnlock, L).misuse, Some(Misuse::RwUnlockNotHeld));
        for op in [Op::RwRead, Op::RwWrite] {
            bench.run(1, op, L);
            assert_eq!(bench.step(2, Op::RwUnlock, L).misuse, Some(Misuse::RwUnlockNotHeld));
            assert_eq!(bench.step(2, Op::RwDestroy, L), Outcome::misuse(Misuse::RwDestroyHeld, EBUSY));
            assert_eq!(bench.step(2, Op::RwInit, L).misuse, Some(Misuse::InitInUse));
        }
        assert_eq!(bench.run(1, Op::RwDestroy, L), 0);
        assert_eq!(bench.step(1, Op::RwRead, L), Outcome::misuse(Misuse::UseDestroyed, EINVAL));
        assert_eq!(bench.step(1, Op::RwRead, L + 64).misuse, Some(Misuse::Uninitialised));
    }
}
