//! Mutexes: normal, recursive, error-checking, adaptive, each of them possibly robust.

use super::errno::{EAGAIN, EBUSY, EDEADLK, EINVAL, ENOTRECOVERABLE, EOWNERDEAD, EPERM, ETIMEDOUT};
use super::{CANCELLED, Choices, Model, ObjectState, Outcome};
use crate::action::{Action, Choice};
use crate::ending::Misuse;
use crate::ops::Op;
use crate::thread_set::ThreadId;
use crate::variable::Variable;

/// What happens when a mutex is locked twice, or unlocked by the wrong thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MutexKind {
    /// Locking twice blocks for ever.
    #[default]
    Normal,
    /// Locking twice counts.
    Recursive,
    /// Locking twice is an error.
    ErrorCheck,
}

/// The state of a mutex.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Mutex {
    /// What kind it is.
    pub kind: MutexKind,
    /// Whether the death of its owner is noticed.
    pub robust: bool,
    /// The owner died and nobody has declared the state consistent yet.
    pub inconsistent: bool,
    /// Unlocked while inconsistent: of no use any more.
    pub unrecoverable: bool,
    /// Owner plus one; 0 while it is free.
    owner: u16,
    /// How often the owner has locked it.
    pub depth: u32,
    /// When the owner took it, if it is robust: an owner that ends abandons the last one first, as the kernel has it.
    taken: u32,
}

impl Mutex {
    /// A free mutex.
    #[must_use]
    pub fn new(kind: MutexKind, robust: bool) -> Mutex {
        Mutex { kind, robust, ..Mutex::default() }
    }

    /// Who holds it.
    #[must_use]
    pub fn owner(&self) -> Option<ThreadId> {
        self.owner.checked_sub(1).map(ThreadId)
    }

    /// Whether the thread holds it.
    #[must_use]
    pub fn is_held_by(&self, thread: ThreadId) -> bool {
        self.owner == thread.0 + 1
    }

    /// What decides how it answers a thread that does not hold it, as a number.
    pub(super) fn seen_by_others(&self) -> u64 {
        let flags = [self.robust, self.inconsistent, self.unrecoverable, !self.is_free()];
        flags.iter().fold(self.kind as u64, |all, &flag| all << 1 | u64::from(flag))
    }

    fn is_free(&self) -> bool {
        self.owner == 0
    }

    /// Takes a free mutex.
    fn take(&mut self, thread: ThreadId, moment: u32) -> i32 {
        self.owner = thread.0 + 1;
        self.depth = 1;
        self.taken = if self.robust { moment } else { 0 };
        if self.inconsistent { EOWNERDEAD } else { 0 }
    }

    fn release(&mut self) {
        self.owner = 0;
        self.depth = 0;
        if self.inconsistent {
            self.unrecoverable = true;
        }
    }

    /// Whether a lock operation of the thread would return, and not wait.
    fn answers(&self, thread: ThreadId) -> bool {
        self.is_free() || self.unrecoverable || self.is_held_by(thread) && self.kind != MutexKind::Normal
    }

    /// Locks, where [`Mutex::answers`] holds.
    fn lock(&mut self, thread: ThreadId, moment: u32) -> i32 {
        if self.unrecoverable {
            ENOTRECOVERABLE
        } else if self.is_free() {
            self.take(thread, moment)
        } else if self.kind == MutexKind::Recursive {
            self.relock()
        } else {
            EDEADLK
        }
    }

    fn relock(&mut self) -> i32 {
        match self.depth.checked_add(1) {
            Some(depth) => {
                self.depth = depth;
                0
            }
            None => EAGAIN,
        }
    }

    fn try_lock(&mut self, thread: ThreadId, moment: u32) -> i32 {
        if self.unrecoverable {
            ENOTRECOVERABLE
        } else if self.is_free() {
            self.take(thread, moment)
        } else if self.is_held_by(thread) && self.kind == MutexKind::Recursive {
            self.relock()
        } else if self.is_held_by(thread) && self.kind == MutexKind::ErrorCheck && self.robust {
            EDEADLK
        } else {
            EBUSY
        }
    }

    fn unlock(&mut self, thread: ThreadId) -> Outcome {
        if self.is_held_by(thread) {
            self.depth -= 1;
            if self.depth == 0 {
                self.release();
            }
            return Outcome::returns(0);
        }
        if self.kind != MutexKind::Normal || self.robust {
            return Outcome::returns(EPERM);
        }
        let misuse = if self.is_free() { Misuse::UnlockFree } else { Misuse::UnlockForeign };
        Outcome::misuse(misuse, 0)
    }

    /// The owner ends: whoever locks it next is told.
    fn abandon(&mut self, thread: ThreadId) -> i32 {
        if !self.robust || !self.is_held_by(thread) {
            return EPERM;
        }
        self.inconsistent = true;
        self.owner = 0;
        self.depth = 0;
        0
    }

    fn make_consistent(&mut self, thread: ThreadId) -> i32 {
        if !self.robust || !self.inconsistent || !self.is_held_by(thread) {
            return EINVAL;
        }
        self.inconsistent = false;
        0
    }
}

impl Model {
    /// The mutex at this address.
    #[must_use]
    pub fn mutex(&self, variable: Variable) -> Option<&Mutex> {
        match &self.objects.find(variable.0)?.state {
            ObjectState::Mutex(mutex) => Some(mutex),
            _ => None,
        }
    }

    /// The mutex at this address, to change it.
    pub fn mutex_mut(&mut self, variable: Variable) -> Option<&mut Mutex> {
        match &mut self.objects.find_mut(variable.0)?.state {
            ObjectState::Mutex(mutex) => Some(mutex),
            _ => None,
        }
    }

    /// Whether the thread, coming back from a condition wait, can take the mutex again.
    pub(super) fn can_retake(&self, variable: Variable, thread: ThreadId) -> bool {
        self.mutex(variable).is_none_or(|mutex| mutex.answers(thread))
    }

    /// Releases the mutex for a condition wait, however often it is held; gives the depth back, or None if it is not
    /// held.
    pub(super) fn release_for_wait(&mut self, variable: Variable, thread: ThreadId) -> Option<u32> {
        let mutex = self.mutex_mut(variable)?;
        if !mutex.is_held_by(thread) {
            return None;
        }
        let depth = mutex.depth;
        mutex.release();
        Some(depth)
    }

    /// Takes the mutex back after a condition wait, to the depth it had.
    pub(super) fn retake_after_wait(&mut self, variable: Variable, thread: ThreadId, depth: u32) -> i32 {
        let moment = self.objects.next_moment();
        let Some(mutex) = self.mutex_mut(variable) else { return EINVAL };
        let result = mutex.lock(thread, moment);
        if mutex.is_held_by(thread) {
            mutex.depth = depth.max(1);
        }
        result
    }

    /// The robust mutex that the thread abandons next if it ends now.
    #[must_use]
    pub fn next_abandoned(&self, thread: ThreadId) -> Option<Variable> {
        if !self.objects.has_robust() {
            return None;
        }
        let held = self.objects.iter().filter_map(|object| match object.state {
            ObjectState::Mutex(mutex) if mutex.robust && mutex.is_held_by(thread) => {
                Some((mutex.taken, Variable(object.address)))
            }
            _ => None,
        });
        held.max_by_key(|&(taken, _)| taken).map(|(_, variable)| variable)
    }
}

pub(super) fn choices(model: &Model, action: &Action) -> Choices {
    if action.op != Op::MutexLock {
        return Choices::PROCEED;
    }
    let ready = model.mutex(action.object).is_none_or(|mutex| mutex.answers(action.thread));
    if action.flags & Action::INVALID_DEADLINE != 0 { Choices::PROCEED } else { Choices::when(ready, action) }
}

pub(super) fn perform(model: &mut Model, action: &Action, choice: Choice) -> Outcome {
    let thread = action.thread;
    if action.op == Op::MutexInit {
        let fresh = Mutex::from_init_flags(action.count);
        let before = model.objects.replace(action.object.0, ObjectState::Mutex(fresh));
        let held = matches!(before, Some(ObjectState::Mutex(mutex)) if !mutex.is_free());
        return if held { Outcome::misuse(Misuse::InitHeld, 0) } else { Outcome::returns(0) };
    }
    let moment = model.objects.next_moment();
    let Some(object) = model.objects.find_mut(action.object.0) else {
        return Outcome::misuse(Misuse::Uninitialised, EINVAL);
    };
    let mutex = match &mut object.state {
        ObjectState::Mutex(mutex) => mutex,
        ObjectState::Destroyed => return Outcome::misuse(Misuse::UseDestroyed, EINVAL),
        _ => return Outcome::misuse(Misuse::WrongKind, EINVAL),
    };
    match action.op {
        Op::MutexLock if choice == Choice::TimeOut => Outcome::returns(ETIMEDOUT),
        Op::MutexLock if !mutex.answers(thread) => Outcome::returns(EINVAL), // an invalid deadline, seen on waiting
        Op::MutexLock => Outcome::returns(mutex.lock(thread, moment)),
        Op::MutexTryLock => Outcome::returns(mutex.try_lock(thread, moment)),
        Op::MutexUnlock => mutex.unlock(thread),
        Op::MutexConsistent => Outcome::returns(mutex.make_consistent(thread)),
        Op::MutexAbandon => Outcome::returns(mutex.abandon(thread)),
        Op::MutexDestroy if mutex.is_free() => {
            object.state = ObjectState::Destroyed;
            Outcome::returns(0)
        }
        Op::MutexDestroy => Outcome::misuse(Misuse::DestroyHeld, EBUSY),
        _ => Outcome::returns(CANCELLED),
    }
}

impl Mutex {
    /// Bit of [`Action::count`] in a mutex initialisation: robust. The bits below are the kind.
    pub const ROBUST: u32 = 4;

    /// The number that an initialisation carries.
    #[must_use]
    pub fn init_flags(kind: MutexKind, robust: bool) -> u32 {
        kind as u32 | if robust { Self::ROBUST } else { 0 }
    }

    fn from_init_flags(flags: u32) -> Mutex {
        let kind = match flags & 3 {
            1 => MutexKind::Recursive,
            2 => MutexKind::ErrorCheck,
            _ => MutexKind::Normal,
        };
        Mutex::new(kind, flags & Self::ROBUST != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::*;

    const M: u64 = 0x1000;

    fn with_mutex(kind: MutexKind, robust: bool) -> Bench {
        let mut bench = Bench::with_threads(3);
        bench.model.objects.set(M, ObjectState::Mutex(Mutex::new(kind, robust)));
        bench
    }

    #[test]
    fn a_held_mutex_disables_others_until_it_is_released() {
        let mut bench = with_mutex(MutexKind::Normal, false);
        assert_eq!(bench.run(1, Op::MutexLock, M), 0);
        assert!(!bench.enabled(2, Op::MutexLock, M));
        assert!(!bench.enabled(1, Op::MutexLock, M), "locking a normal mutex twice blocks for ever");
        assert_eq!(bench.run(2, Op::MutexTryLock, M), EBUSY);
        assert_eq!(bench.run(1, Op::MutexUnlock, M), 0);
        assert!(bench.enabled(2, Op::MutexLock, M));
    }

    #[test]
    fn recursive_mutexes_count_and_check_their_owner() {
        let mut bench = with_mutex(MutexKind::Recursive, false);
        for op in [Op::MutexLock, Op::MutexLock, Op::MutexTryLock] {
            assert_eq!(bench.run(1, op, M), 0);
        }
        assert_eq!(bench.run(2, Op::MutexUnlock, M), EPERM);
        for _ in 0..3 {
            assert!(!bench.enabled(2, Op::MutexLock, M));
            assert_eq!(bench.run(1, Op::MutexUnlock, M), 0);
        }
        assert!(bench.enabled(2, Op::MutexLock, M));
        assert_eq!(bench.run(1, Op::MutexUnlock, M), EPERM);
    }

    #[test]
    fn error_checking_mutexes_return_errors() {
        let mut bench = with_mutex(MutexKind::ErrorCheck, false);
        assert_eq!(bench.run(1, Op::MutexUnlock, M), EPERM);
        assert_eq!(bench.run(1, Op::MutexLock, M), 0);
        assert_eq!(bench.run(1, Op::MutexLock, M), EDEADLK);
        assert_eq!(bench.run(1, Op::MutexTryLock, M), EBUSY);
        assert_eq!(bench.run(2, Op::MutexUnlock, M), EPERM);
    }

    #[test]
    fn misuse_of_a_normal_mutex_is_named() {
        let mut bench = with_mutex(MutexKind::Normal, false);
        assert_eq!(bench.step(1, Op::MutexUnlock, M).misuse, Some(Misuse::UnlockFree));
        bench.run(1, Op::MutexLock, M);
        assert_eq!(bench.step(2, Op::MutexUnlock, M).misuse, Some(Misuse::UnlockForeign));
        assert_eq!(bench.step(2, Op::MutexDestroy, M), Outcome::misuse(Misuse::DestroyHeld, EBUSY));
        assert_eq!(bench.step(2, Op::MutexInit, M).misuse, Some(Misuse::InitHeld));
        assert_eq!(bench.run(2, Op::MutexDestroy, M), 0);
        assert_eq!(bench.step(2, Op::MutexLock, M), Outcome::misuse(Misuse::UseDestroyed, EINVAL));
        assert_eq!(bench.step(2, Op::MutexLock, M + 64).misuse, Some(Misuse::Uninitialised));
    }

    #[test]
    fn a_timed_lock_gives_up_only_while_it_is_blocked() {
        let mut bench = with_mutex(MutexKind::Normal, false);
        let timed = Action { deadline: 500, ..Action::new(ThreadId(2), Op::MutexLock, Variable(M)) };
        assert_eq!(bench.model.choices(&timed), Choices::PROCEED);
        bench.run(1, Op::MutexLock, M);
        assert!(bench.model.choices(&timed).time_out && !bench.model.choices(&timed).proceed);
        assert_eq!(bench.model.perform(&timed, Choice::TimeOut).result, ETIMEDOUT);
        assert_eq!(bench.model.threads.get(ThreadId(2)).now, 500, "time has passed");
        let invalid = Action { flags: Action::INVALID_DEADLINE, ..timed };
        assert_eq!(bench.model.perform(&invalid, Choice::Proceed).result, EINVAL);
    }

    #[test]
    fn a_robust_mutex_survives_its_owner() {
        let mut bench = with_mutex(MutexKind::Normal, true);
        bench.run(1, Op::MutexLock, M);
        assert_eq!(bench.model.next_abandoned(ThreadId(2)), None);
        assert_eq!(bench.model.next_abandoned(ThreadId(1)), Some(Variable(M)));
        assert_eq!(bench.run(1, Op::MutexAbandon, M), 0);
        assert_eq!(bench.run(2, Op::MutexLock, M), EOWNERDEAD);
        assert_eq!(bench.run(2, Op::MutexConsistent, M), 0);
        assert_eq!(bench.run(2, Op::MutexUnlock, M), 0);
        assert_eq!(bench.run(2, Op::MutexLock, M), 0);
        assert_eq!(bench.run(2, Op::MutexAbandon, M), 0);
        assert_eq!(bench.run(1, Op::MutexTryLock, M), EOWNERDEAD);
        assert_eq!(bench.run(1, Op::MutexUnlock, M), 0);
        assert_eq!(bench.run(2, Op::MutexLock, M), ENOTRECOVERABLE, "unlocked without being made consistent");
        assert_eq!(bench.run(2, Op::MutexConsistent, M), EINVAL);
    }

    #[test]
    fn the_last_one_taken_is_abandoned_first() {
        let mut bench = with_mutex(MutexKind::Recursive, true);
        let (first, second) = (M, M + 64);
        bench.model.objects.set(second, ObjectState::Mutex(Mutex::new(MutexKind::Normal, true)));
        bench.run(1, Op::MutexLock, second);
        bench.run(1, Op::MutexLock, first);
        bench.run(1, Op::MutexLock, first);
        for mutex in [first, second] {
            assert_eq!(bench.model.next_abandoned(ThreadId(1)), Some(Variable(mutex)));
            assert_eq!(bench.run(1, Op::MutexAbandon, mutex), 0);
            assert_eq!(bench.run(1, Op::MutexAbandon, mutex), EPERM);
        }
        assert_eq!(bench.model.next_abandoned(ThreadId(1)), None);
    }
}
