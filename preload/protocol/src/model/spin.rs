//! Spin locks. They do not spin here: a thread that would is not enabled.

use super::errno::{EBUSY, EPERM};
use super::{Choices, Model, ObjectState, Outcome};
use crate::action::Action;
use crate::ending::Misuse;
use crate::ops::Op;
use crate::thread_set::ThreadId;
use crate::variable::Variable;

/// The state of a spin lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Spin {
    owner: Option<ThreadId>,
}

impl Spin {
    /// Who holds it.
    #[must_use]
    pub fn owner(&self) -> Option<ThreadId> {
        self.owner
    }

    fn try_lock(&mut self, thread: ThreadId) -> i32 {
        if self.owner.is_some() {
            return EBUSY;
        }
        self.owner = Some(thread);
        0
    }

    fn unlock(&mut self, thread: ThreadId) -> Outcome {
        if self.owner != Some(thread) {
            return Outcome::misuse(Misuse::SpinUnlockNotHeld, EPERM);
        }
        self.owner = None;
        Outcome::returns(0)
    }
}

fn is_held(model: &Model, variable: Variable) -> bool {
    matches!(model.state(variable), ObjectState::Spin(spin) if spin.owner.is_some())
}

pub(super) fn choices(model: &Model, action: &Action) -> Choices {
    // A thread that locks its own spin lock again spins for ever, too.
    if action.op == Op::SpinLock && is_held(model, action.object) { Choices::NONE } else { Choices::PROCEED }
}

pub(super) fn perform(model: &mut Model, action: &Action) -> Outcome {
    if action.op == Op::SpinInit {
        let in_use = is_held(model, action.object);
        return model.initialise(action.object, ObjectState::Spin(Spin::default()), in_use);
    }
    let Some(object) = model.objects.find_mut(action.object.0) else {
        return Outcome::wrong_object(ObjectState::Unknown);
    };
    let ObjectState::Spin(spin) = &mut object.state else { return Outcome::wrong_object(object.state) };
    match action.op {
        Op::SpinUnlock => spin.unlock(action.thread),
        Op::SpinDestroy if spin.owner.is_some() => Outcome::misuse(Misuse::SpinDestroyHeld, EBUSY),
        Op::SpinDestroy => {
            object.state = ObjectState::Destroyed;
            Outcome::returns(0)
        }
        _ => Outcome::returns(spin.try_lock(action.thread)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::errno::EINVAL;
    use super::super::testing::Bench;
    use super::*;

    const S: u64 = 0x1000;

    fn with_spin_lock() -> Bench {
        let mut bench = Bench::with_threads(3);
        assert_eq!(bench.run(0, Op::SpinInit, S), 0);
        bench
    }

    #[test]
    fn a_held_lock_disables_everybody_until_it_is_released() {
        let mut bench = with_spin_lock();
        assert_eq!(bench.run(1, Op::SpinLock, S), 0);
        assert_eq!(bench.model.holder(S), Some(ThreadId(1)));
        assert!(!bench.enabled(2, Op::SpinLock, S));
        assert!(!bench.enabled(1, Op::SpinLock, S), "the owner would spin for ever");
        assert_eq!(bench.run(2, Op::SpinTryLock, S), EBUSY);
        assert_eq!(bench.run(1, Op::SpinUnlock, S), 0);
        assert_eq!(bench.run(2, Op::SpinTryLock, S), 0);
        assert_eq!(bench.model.holder(S), Some(ThreadId(2)));
    }

    #[test]
    fn misuse_is_named() {
        let mut bench = with_spin_lock();
        assert_eq!(bench.step(1, Op::SpinUnlock, S).misuse, Some(Misuse::SpinUnlockNotHeld), "free");
        bench.run(1, Op::SpinLock, S);
        assert_eq!(bench.step(2, Op::SpinUnlock, S).misuse, Some(Misuse::SpinUnlockNotHeld), "another's");
        assert_eq!(bench.step(2, Op::SpinDestroy, S), Outcome::misuse(Misuse::SpinDestroyHeld, EBUSY));
        assert_eq!(bench.step(2, Op::SpinInit, S).misuse, Some(Misuse::InitInUse));
        assert_eq!(bench.run(2, Op::SpinDestroy, S), 0);
        assert_eq!(bench.step(2, Op::SpinLock, S), Outcome::misuse(Misuse::UseDestroyed, EINVAL));
        assert!(bench.enabled(2, Op::SpinLock, S + 64), "a wrong step can be taken, to be reported");
        assert_eq!(bench.step(2, Op::SpinLock, S + 64), Outcome::misuse(Misuse::Uninitialised, EINVAL));
        bench.run(0, Op::MutexInit, S);
        assert_eq!(bench.step(2, Op::SpinLock, S), Outcome::misuse(Misuse::WrongKind, EINVAL));
    }
}
