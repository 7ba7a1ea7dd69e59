//! Condition variables.
//!
//! POSIX lets a signal wake any one of the threads that wait at that time, and the program must be right whichever it
//! is. So a signal does not pick a waiter: it leaves a *token*, and the first waiter that takes its wake-up step
//! consumes it. A token remembers the youngest waiter of its time, and only waiters that are not younger may have it:
//! a thread that begins to wait after the signal can not steal it.
//!
//! All there is to know of a condition variable are its waiters, so everything is kept in their [`Wait`]: `since`
//! numbers them by age, and the `token` fields together hold the tokens (which waiter stores which token means
//! nothing). One invariant rules: **the tokens can be matched to different waiters**. The waiters that may have a token
//! are always the oldest so many, so this is simple to check: for each token, there are at least as many waiters
//! that may have it as there are tokens that are not younger. A consumer takes the oldest token that it may
//! have, which keeps the invariant. A waiter may time out as long as the invariant holds without it; where it does not
//! hold, this waiter is, whatever the others do, one that was woken.

use super::errno::{EBUSY, EINVAL, EPERM, ETIMEDOUT};
use super::{CANCELLED, Choices, Model, MutexKind, ObjectState, Outcome, Wait};
use crate::action::{Action, Choice, Variable};
use crate::ending::Misuse;
use crate::ops::Op;
use crate::thread_set::{MAX_THREADS, ThreadId};

/// A condition variable: it has no state of its own, see the waits of the threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Condition;

/// The wait is over, for one of these reasons, and only the mutex is missing.
const LEFT: u8 = Action::TIMED_OUT | Action::SPURIOUS | Action::CANCELLED;

pub(super) fn choices(model: &Model, action: &Action) -> Choices {
    if action.op != Op::CondWake {
        return Choices::PROCEED;
    }
    let can_retake = model.can_retake(action.second, action.thread);
    if !is_waiting(model, action) {
        return if can_retake { Choices::PROCEED } else { Choices::NONE };
    }
    let since = model.threads.get(action.thread).wait.since;
    let may_leave = may_leave(model, action.object, since);
    Choices {
        proceed: can_retake && oldest_token_for(model, action.object, since).is_some(),
        time_out: may_leave && action.is_timed(),
        spurious: may_leave,
    }
}

pub(super) fn perform(model: &mut Model, action: &Action, choice: Choice) -> Outcome {
    match action.op {
        Op::CondInit => {
            let in_use = is_blocked_on(model, action.object);
            return model.initialise(action.object, ObjectState::Condition(Condition), in_use);
        }
        Op::CondWait if action.flags & Action::INVALID_DEADLINE != 0 => return Outcome::returns(EINVAL),
        Op::CondWake => return wake(model, action, choice), // also after the destruction that a broadcast allows
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
        Op::CondSignal => signal(model, action.object, 1),
        Op::CondBroadcast => signal(model, action.object, MAX_THREADS),
        Op::CondDestroy if is_blocked_on(model, action.object) => Outcome::misuse(Misuse::DestroyWaitedOn, EBUSY),
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
    if is_waiting(model, action) {
        give_up(model, action);
    }
    go_on_without_waiting(action, Action::CANCELLED)
}

fn wait(model: &mut Model, action: &Action) -> Outcome {
    let (condition, mutex, thread) = (action.object, action.second, action.thread);
    let held = model.mutex(mutex).copied().unwrap_or_default();
    if !held.is_held_by(thread) {
        let checked = held.kind == MutexKind::ErrorCheck || held.robust;
        return if checked { Outcome::returns(EPERM) } else { Outcome::misuse(Misuse::WaitWithoutMutex, EPERM) };
    }
    let uses_another = |other: &Wait| other.mutex != mutex && may_leave(model, condition, other.since);
    if model.threads.waiting_on(condition).any(|(_, other)| uses_another(other)) {
        return Outcome::misuse(Misuse::TwoMutexes, EINVAL);
    }
    let depth = model.release_for_wait(mutex, thread).unwrap_or(1);
    let since = model.next_in_line(condition);
    model.threads.get_mut(thread).wait = Wait { on: condition, since, mutex, depth, ..Wait::default() };
    let flags = action.flags & Action::CANCELLATION_POINT;
    Outcome::continues(Action { op: Op::CondWake, flags, ..*action })
}

/// Adds tokens that every present waiter may have, up to one for each waiter.
fn signal(model: &mut Model, condition: Variable, tokens: usize) -> Outcome {
    let youngest = model.threads.waiting_on(condition).map(|(_, wait)| wait.since).max().unwrap_or(0);
    for _ in 0..tokens {
        let Some(thread) = free_place(model, condition) else { break };
        model.threads.get_mut(thread).wait.token = youngest;
    }
    Outcome::returns(0)
}

fn wake(model: &mut Model, action: &Action, choice: Choice) -> Outcome {
    if is_waiting(model, action) {
        match choice {
            Choice::Proceed => leave(model, action, true),
            Choice::TimeOut => {
                give_up(model, action);
                return go_on_without_waiting(action, Action::TIMED_OUT);
            }
            Choice::Spurious => {
                give_up(model, action);
                return go_on_without_waiting(action, Action::SPURIOUS);
            }
        }
    }
    let depth = core::mem::take(&mut model.threads.get_mut(action.thread).wait).depth;
    let locked = model.retake_after_wait(action.second, action.thread, depth);
    let waited = if action.flags & Action::TIMED_OUT != 0 { ETIMEDOUT } else { 0 };
    if action.flags & Action::CANCELLED != 0 {
        Outcome::returns(CANCELLED)
    } else {
        Outcome::returns(if locked != 0 { locked } else { waited })
    }
}

/// The last part of a wait that ended without a wake-up: only the mutex is still to be taken, however long that takes.
fn go_on_without_waiting(action: &Action, reason: u8) -> Outcome {
    Outcome::continues(Action { flags: reason, deadline: Action::NEVER, ..*action })
}

/// Whether the thread of a [`Op::CondWake`] is still one of the waiters.
fn is_waiting(model: &Model, action: &Action) -> bool {
    action.flags & LEFT == 0 && model.threads.get(action.thread).wait.on == action.object
}

/// Whether some thread waits that no signal is certain to wake.
fn is_blocked_on(model: &Model, condition: Variable) -> bool {
    model.threads.waiting_on(condition).any(|(_, wait)| may_leave(model, condition, wait.since))
}

/// Whether all tokens can still be matched once a waiter of this age is gone: it may not have been woken.
fn may_leave(model: &Model, condition: Variable, since: u32) -> bool {
    let waiters = || model.threads.waiting_on(condition).map(|(_, wait)| wait);
    waiters().filter(|wait| wait.token != 0 && wait.token >= since).all(|kept| {
        let tokens = waiters().filter(|wait| wait.token != 0 && wait.token <= kept.token).count();
        let takers = waiters().filter(|wait| wait.since <= kept.token).count();
        tokens < takers
    })
}

/// Where the oldest token is kept that a waiter of this age may have.
fn oldest_token_for(model: &Model, condition: Variable, since: u32) -> Option<ThreadId> {
    let eligible = model.threads.waiting_on(condition).filter(|(_, wait)| wait.token != 0 && since <= wait.token);
    eligible.min_by_key(|(_, wait)| wait.token).map(|(thread, _)| thread)
}

/// A waiter that does not keep a token.
fn free_place(model: &Model, condition: Variable) -> Option<ThreadId> {
    model.threads.waiting_on(condition).find(|(_, wait)| wait.token == 0).map(|(thread, _)| thread)
}

/// Leaves the condition variable without having been woken, but not with a token that nobody else may have.
fn give_up(model: &mut Model, action: &Action) {
    let since = model.threads.get(action.thread).wait.since;
    let woken = !may_leave(model, action.object, since);
    leave(model, action, woken);
}

/// Leaves the condition variable, with or without a token. Another waiter keeps the token that was stored here.
fn leave(model: &mut Model, action: &Action, woken: bool) {
    let Wait { since, token: stored, .. } = model.threads.get(action.thread).wait;
    let mut kept = stored;
    if woken && let Some(keeper) = oldest_token_for(model, action.object, since) {
        model.threads.get_mut(keeper).wait.token = stored;
        kept = 0;
    }
    let wait = &mut model.threads.get_mut(action.thread).wait;
    (wait.on, wait.token) = (Variable(0), 0);
    if kept != 0
        && let Some(other) = free_place(model, action.object)
    {
        model.threads.get_mut(other).wait.token = kept;
    }
}

#[cfg(test)]
mod tests;
