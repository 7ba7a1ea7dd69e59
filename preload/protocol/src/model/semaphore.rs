//! Semaphores. Results are error numbers, which the wrappers turn into -1 and `errno`.

use super::errno::{EAGAIN, EBUSY, EINVAL, EOVERFLOW, ETIMEDOUT};
use super::{Choices, Model, ObjectState, Outcome, Wait};
use crate::action::{Action, Choice};
use crate::ending::Misuse;
use crate::ops::Op;
use crate::variable::Variable;

/// The state of a semaphore.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Semaphore {
    /// How many waits can pass. Never above [`Semaphore::MAX`].
    value: u32,
}

impl Semaphore {
    /// The greatest value (`SEM_VALUE_MAX`).
    pub const MAX: u32 = i32::MAX as u32;

    /// A semaphore with this value, or the greatest one.
    #[must_use]
    pub fn new(value: u32) -> Semaphore {
        Semaphore { value: value.min(Self::MAX) }
    }

    /// How many waits can pass.
    #[must_use]
    pub fn value(&self) -> u32 {
        self.value
    }

    /// Lowers the value; gives the error back if that can not be done now.
    fn take(&mut self, otherwise: i32) -> i32 {
        match self.value.checked_sub(1) {
            Some(value) => {
                self.value = value;
                0
            }
            None => otherwise,
        }
    }

    fn post(&mut self) -> i32 {
        if self.value >= Self::MAX {
            return EOVERFLOW;
        }
        self.value += 1;
        0
    }
}

/// Whether there is a semaphore with value 0.
fn is_empty(model: &Model, variable: Variable) -> bool {
    matches!(model.state(variable), ObjectState::Semaphore(semaphore) if semaphore.value == 0)
}

/// Whether a thread is blocked on it.
fn is_blocked_on(model: &Model, variable: Variable) -> bool {
    is_empty(model, variable) && model.threads.waiting_on(variable).next().is_some()
}

pub(super) fn choices(model: &Model, action: &Action) -> Choices {
    if action.op != Op::SemWait || action.flags & Action::INVALID_DEADLINE != 0 {
        return Choices::PROCEED;
    }
    Choices::when(!is_empty(model, action.object), action)
}

/// Marks that the thread has come to wait, so that a destruction of the semaphore under it is noticed.
pub(super) fn announce(model: &mut Model, action: &Action) {
    model.threads.get_mut(action.thread).wait = Wait { on: action.object, ..Wait::default() };
}

pub(super) fn perform(model: &mut Model, action: &Action, choice: Choice) -> Outcome {
    match action.op {
        Op::SemInit => return init(model, action),
        Op::SemWait => model.threads.get_mut(action.thread).wait = Wait::default(),
        Op::SemDestroy if is_blocked_on(model, action.object) => return Outcome::misuse(Misuse::SemDestroyBusy, EBUSY),
        _ => {}
    }
    let Some(object) = model.objects.find_mut(action.object.0) else {
        return Outcome::wrong_object(ObjectState::Unknown);
    };
    let ObjectState::Semaphore(semaphore) = &mut object.state else { return Outcome::wrong_object(object.state) };
    Outcome::returns(match action.op {
        Op::SemWait if choice == Choice::TimeOut => ETIMEDOUT,
        Op::SemWait => semaphore.take(EINVAL), // an invalid deadline, seen on waiting
        Op::SemTryWait => semaphore.take(EAGAIN),
        Op::SemPost => semaphore.post(),
        Op::SemGetValue => semaphore.value as i32,
        _ => {
            object.state = ObjectState::Destroyed;
            0
        }
    })
}

fn init(model: &mut Model, action: &Action) -> Outcome {
    if action.count > Semaphore::MAX {
        return Outcome::returns(EINVAL);
    }
    let in_use = is_blocked_on(model, action.object);
    model.initialise(action.object, ObjectState::Semaphore(Semaphore::new(action.count)), in_use)
}

#[cfg(test)]
mod tests {
    use super::super::CANCELLED;
    use super::super::testing::Bench;
    use super::*;
    use crate::thread_set::ThreadId;

    const S: u64 = 0x1000;

    fn init_with(bench: &mut Bench, value: u32) -> Outcome {
        bench.model.perform(&Action { count: value, ..Bench::action(0, Op::SemInit, S) }, Choice::Proceed)
    }

    fn with_value(value: u32) -> Bench {
        let mut bench = Bench::with_threads(3);
        assert_eq!(init_with(&mut bench, value), Outcome::returns(0));
        bench
    }

    #[test]
    fn waits_pass_as_often_as_the_value_says() {
        let mut bench = with_value(2);
        assert_eq!(bench.run(1, Op::SemGetValue, S), 2);
        assert_eq!(bench.run(1, Op::SemWait, S), 0);
        assert_eq!(bench.run(2, Op::SemTryWait, S), 0);
        assert!(!bench.enabled(1, Op::SemWait, S));
        assert_eq!(bench.run(2, Op::SemTryWait, S), EAGAIN);
        assert_eq!(bench.run(0, Op::SemPost, S), 0);
        assert_eq!(bench.run(1, Op::SemWait, S), 0);
        assert_eq!(bench.run(1, Op::SemGetValue, S), 0);
    }

    #[test]
    fn the_value_has_a_limit() {
        let mut bench = with_value(Semaphore::MAX);
        assert_eq!(bench.run(1, Op::SemPost, S), EOVERFLOW);
        assert_eq!(bench.run(1, Op::SemGetValue, S), i32::MAX);
        assert_eq!(init_with(&mut bench, Semaphore::MAX + 1), Outcome::returns(EINVAL));
        assert_eq!(Semaphore::new(u32::MAX).value(), Semaphore::MAX);
    }

    #[test]
    fn a_timed_wait_gives_up_only_while_blocked() {
        let mut bench = with_value(1);
        let timed = Action { deadline: 5, ..Bench::action(1, Op::SemWait, S) };
        let invalid = Action { flags: Action::INVALID_DEADLINE, ..timed };
        assert_eq!(bench.model.choices(&timed), Choices::PROCEED);
        assert_eq!(bench.model.perform(&invalid, Choice::Proceed).result, 0, "it did not have to wait");
        assert_eq!(bench.model.choices(&timed), Choices { time_out: true, ..Choices::NONE });
        assert_eq!(bench.model.perform(&timed, Choice::TimeOut), Outcome::returns(ETIMEDOUT));
        assert_eq!(bench.model.choices(&invalid), Choices::PROCEED);
        assert_eq!(bench.model.perform(&invalid, Choice::Proceed).result, EINVAL);
    }

    #[test]
    fn destroying_it_under_a_blocked_thread_is_a_misuse() {
        let mut bench = with_value(1);
        let wait = Bench::action(1, Op::SemWait, S);
        bench.run(2, Op::SemWait, S);
        bench.model.announce(&wait);
        assert_eq!(bench.step(0, Op::SemDestroy, S), Outcome::misuse(Misuse::SemDestroyBusy, EBUSY));
        assert_eq!(init_with(&mut bench, 0).misuse, Some(Misuse::InitInUse));
        bench.run(0, Op::SemPost, S);
        assert_eq!(bench.model.perform(&wait, Choice::Proceed).result, 0);
        assert_eq!(bench.run(0, Op::SemDestroy, S), 0, "nobody waits any more");
        assert_eq!(bench.step(1, Op::SemPost, S), Outcome::misuse(Misuse::UseDestroyed, EINVAL));
        assert_eq!(bench.step(1, Op::SemWait, S + 64), Outcome::misuse(Misuse::Uninitialised, EINVAL));
    }

    #[test]
    fn a_cancelled_waiter_does_not_wait_any_more() {
        let mut bench = with_value(0);
        let wait = Action { flags: Action::CANCELLATION_POINT, ..Bench::action(1, Op::SemWait, S) };
        bench.model.announce(&wait);
        bench.run(0, Op::ThreadCancel, Variable::thread(ThreadId(1)).0);
        assert_eq!(bench.model.perform(&wait, Choice::Proceed).result, CANCELLED);
        assert_eq!(bench.run(0, Op::SemDestroy, S), 0);
    }
}
