//! Condition variables.
//!
//! POSIX lets a signal wake any one of the threads that wait at that time, and the program must be right whichever it
//! is. Where several wait, the schedule decides: directly after the signal, one of them takes a step ([`Op::CondWake`])
//! by which it is the one that was woken, and nothing else can happen in between. Signal and step are two steps, so
//! that the choice stands in the schedule like every other one; they touch the condition variable only.
//!
//! Where there is no choice, there is no such step: a signal with a single waiter and a broadcast wake at once. The
//! pending [`Op::CondWake`] of a thread that was woken has become an [`Op::CondRetake`] ([`current`]), as if it had
//! taken the step. That one is about the mutex alone: which steps on the condition variable follow makes no difference
//! to it.
//!
//! A thread that was woken may be asked to end before it has its mutex again. Whether the request finds it within the
//! wait or behind it is a matter of chance, in glibc as in POSIX: a choice, which it makes as soon as it has the mutex
//! ([`deciding`]). Not so if the signal has chosen it among several: one that is cancelled must leave the signal to
//! another waiter, and then it might as well have chosen that one.
//!
//! All there is to know of a condition variable are its waiters, which are kept in their [`Wait`]. Whoever was woken,
//! timed out or woke spuriously does not wait on it any more; what is left of the wait says how to take the mutex back.

use super::errno::{EBUSY, EINVAL, EPERM, ETIMEDOUT};
use super::{CANCELLED, Choices, Model, MutexKind, ObjectState, Outcome, Wait};
use crate::action::{Action, Choice};
use crate::ending::Misuse;
use crate::ops::Op;
use crate::thread_set::{ThreadId, ThreadSet};
use crate::variable::Variable;

/// A condition variable: it has no state of its own, see the waits of the threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Condition;

pub(super) fn choices(model: &Model, action: &Action) -> Choices {
    match action.op {
        Op::CondWake if !is_waiting(model, action) => Choices::NONE,
        Op::CondWake if model.threads.signalled == action.object => Choices::PROCEED,
        Op::CondWake => Choices { proceed: false, time_out: action.is_timed(), spurious: true },
        Op::CondRetake if !model.can_retake(action.object, action.thread) => Choices::NONE,
        _ => Choices::PROCEED,
    }
}

pub(super) fn perform(model: &mut Model, action: &Action, choice: Choice) -> Outcome {
    match action.op {
        Op::CondInit => {
            let in_use = is_waited_on(model, action.object);
            return model.initialise(action.object, ObjectState::Condition(Condition), in_use);
        }
        Op::CondWait if action.flags & Action::INVALID_DEADLINE != 0 => return Outcome::returns(EINVAL),
        Op::CondWake => return end_wait(model, action, choice),
        Op::CondRetake => return retake(model, action), // also after the destruction that a broadcast allows
        _ => {}
    }
    match model.state(action.object) {
        ObjectState::Condition(_) => {}
        ObjectState::Unknown => {
            model.objects.set(action.object.0, ObjectState::Condition(Condition));
        }
        other => return Outcome::wrong_object(other),
    }
    match action.op {
        Op::CondWait => wait(model, action),
        Op::CondSignal => signal(model, action),
        Op::CondBroadcast => broadcast(model, action),
        Op::CondDestroy if is_waited_on(model, action.object) => Outcome::misuse(Misuse::DestroyWaitedOn, EBUSY),
        _ => {
            model.objects.set(action.object.0, ObjectState::Destroyed);
            Outcome::returns(0)
        }
    }
}

/// The thread acts on a request to cancel it. A waiter takes its mutex back first, as its cleanup handlers expect.
pub(super) fn cancel(model: &mut Model, action: &Action) -> Outcome {
    if action.op != Op::CondWake {
        return Outcome::returns(CANCELLED);
    }
    stop_waiting(model, action.thread);
    Outcome::continues(retaking(action, Action::CANCELLED))
}

/// The threads one of which is woken by the signal that was sent in the last step.
pub(super) fn candidates(model: &Model) -> Option<ThreadSet> {
    Some(waiters(model, model.threads.signalled)).filter(|threads| !threads.is_empty())
}

/// What a waiter is about to do: to take its mutex back, once it has been woken.
pub(super) fn current(model: &Model, wake: &Action) -> Action {
    if is_waiting(model, wake) { *wake } else { retaking(wake, wake.flags & Action::CANCELLATION_POINT) }
}

fn wait(model: &mut Model, action: &Action) -> Outcome {
    let (condition, mutex, thread) = (action.object, action.second, action.thread);
    let held = model.mutex(mutex).copied().unwrap_or_default();
    if !held.is_held_by(thread) {
        let checked = held.kind == MutexKind::ErrorCheck || held.robust;
        return if checked { Outcome::returns(EPERM) } else { Outcome::misuse(Misuse::WaitWithoutMutex, EPERM) };
    }
    if model.threads.waiting_on(condition).any(|(_, other)| other.mutex != mutex) {
        return Outcome::misuse(Misuse::TwoMutexes, EINVAL);
    }
    let depth = model.release_for_wait(mutex, thread).unwrap_or(1);
    model.threads.get_mut(thread).wait = Wait { on: condition, mutex, depth, ..Wait::default() };
    let flags = action.flags & Action::CANCELLATION_POINT;
    Outcome::continues(Action { op: Op::CondWake, flags, ..*action })
}

/// Wakes the waiter, or leaves it to the next step which of them.
fn signal(model: &mut Model, action: &Action) -> Outcome {
    if waiters(model, action.object).len() > 1 {
        model.threads.signalled = action.object;
        return Outcome::returns(0);
    }
    broadcast(model, action)
}

/// Wakes all waiters. Their time is not earlier than that of who woke them.
fn broadcast(model: &mut Model, action: &Action) -> Outcome {
    let now = model.threads.get(action.thread).now;
    for thread in waiters(model, action.object) {
        stop_waiting(model, thread);
        let later = model.threads.get(thread).now.max(now);
        model.threads.set_now(thread, later);
    }
    Outcome::returns(0)
}

/// The thread is the one that the signal wakes, or nobody has woken it.
fn end_wait(model: &mut Model, action: &Action, choice: Choice) -> Outcome {
    let reason = match choice {
        Choice::Proceed => 0,
        Choice::TimeOut => Action::TIMED_OUT,
        Choice::Spurious => Action::SPURIOUS,
    };
    if choice == Choice::Proceed {
        model.threads.signalled = Variable(0);
    }
    stop_waiting(model, action.thread);
    Outcome::continues(retaking(action, reason))
}

/// The last part of a wait: only the mutex is still to be taken, however long that takes.
fn retaking(wake: &Action, reason: u8) -> Action {
    let (object, second) = (wake.second, wake.object);
    Action { op: Op::CondRetake, flags: reason, object, second, deadline: Action::NEVER, ..*wake }
}

fn retake(model: &mut Model, action: &Action) -> Outcome {
    let depth = core::mem::take(&mut model.threads.get_mut(action.thread).wait).depth;
    let locked = model.retake_after_wait(action.object, action.thread, depth);
    let waited = if action.flags & Action::TIMED_OUT != 0 { ETIMEDOUT } else { 0 };
    let result = if locked != 0 { locked } else { waited };
    if action.flags & Action::CANCELLED != 0 {
        Outcome::returns(CANCELLED)
    } else if action.flags & Action::CANCELLATION_POINT != 0 && model.threads.is_to_be_cancelled(action.thread) {
        Outcome::continues(deciding(action, result))
    } else {
        Outcome::returns(result)
    }
}

/// The waiter was woken, and a request to cancel it came before it had its mutex: which of the two it acts on. If the
/// wake-up, the wait returns this.
fn deciding(retake: &Action, result: i32) -> Action {
    let nothing = Variable(0);
    let count = result as u32;
    Action { op: Op::Choose, flags: Action::CANCELLED, object: nothing, second: nothing, count, ..*retake }
}

/// Whether the thread of an [`Op::CondWake`] is still one of the waiters.
fn is_waiting(model: &Model, wake: &Action) -> bool {
    model.threads.get(wake.thread).wait.on == wake.object
}

fn waiters(model: &Model, condition: Variable) -> ThreadSet {
    model.threads.waiting_on(condition).map(|(thread, _)| thread).collect()
}

fn is_waited_on(model: &Model, condition: Variable) -> bool {
    model.threads.waiting_on(condition).next().is_some()
}

fn stop_waiting(model: &mut Model, thread: ThreadId) {
    model.threads.get_mut(thread).wait.on = Variable(0);
}

#[cfg(test)]
mod tests;
