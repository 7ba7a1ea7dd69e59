//! What threads do to each other: creating, joining, detaching, cancelling.

use super::errno::{EBUSY, EDEADLK, EINVAL, ESRCH, ETIMEDOUT};
use super::{CANCELLED, Choices, Life, Model, Outcome, Thread};
use crate::action::{Action, Choice};
use crate::ending::Misuse;
use crate::ops::Op;
use crate::thread_set::{MAX_THREADS, ThreadId};

/// The thread that an action is about.
fn subject(action: &Action) -> ThreadId {
    action.object.as_thread().unwrap_or(action.thread)
}

pub(super) fn choices(model: &Model, action: &Action) -> Choices {
    match action.op {
        Op::ThreadJoin => {
            let wrong = join_error(model, action).is_some();
            let ended = model.threads.life(subject(action)) == Life::Ended;
            Choices::when(wrong || ended || action.flags & Action::INVALID_DEADLINE != 0, action)
        }
        Op::Choose => Choices { proceed: true, time_out: true, spurious: false },
        // The shim knows whether one has come.
        Op::SignalWait => Choices::when(action.count != 0, action),
        _ => Choices::PROCEED,
    }
}

/// Why the thread can not be joined by this action.
fn join_error(model: &Model, action: &Action) -> Option<Outcome> {
    let target = subject(action);
    let thread = model.threads.get(target);
    match model.threads.life(target) {
        Life::Unborn => Some(Outcome::misuse(Misuse::NoSuchThread, ESRCH)),
        Life::Gone if thread.detached => Some(Outcome::misuse(Misuse::JoinDetached, ESRCH)),
        Life::Gone => Some(Outcome::misuse(Misuse::JoinTwice, ESRCH)),
        _ if thread.detached => Some(Outcome::misuse(Misuse::JoinDetached, EINVAL)),
        _ if target == action.thread => Some(Outcome::misuse(Misuse::JoinSelf, EDEADLK)),
        _ if model.threads.is_joining(target, action.thread) => Some(Outcome::misuse(Misuse::JoinCycle, EDEADLK)),
        _ if model.threads.is_joined_by_another(action.thread, target) => {
            Some(Outcome::misuse(Misuse::JoinTwice, EINVAL))
        }
        _ => None,
    }
}

pub(super) fn perform(model: &mut Model, action: &Action, choice: Choice) -> Outcome {
    match action.op {
        Op::ThreadCreate => create(model, action),
        Op::ThreadExit => exit(model, action),
        Op::ThreadJoin => join(model, action, choice),
        Op::ThreadTryJoin => try_join(model, action),
        Op::ThreadDetach => detach(model, action),
        Op::ThreadCancel => cancel(model, action),
        Op::Choose if action.flags & Action::CANCELLED != 0 => decide_about_cancellation(model, action, choice),
        Op::Choose => Outcome::returns(i32::from(choice == Choice::TimeOut)),
        Op::SignalWait => Outcome::returns(if choice == Choice::TimeOut { ETIMEDOUT } else { 0 }),
        Op::ThreadKill => existing(model, action).map_or_else(|wrong| wrong, |_| Outcome::returns(0)),
        _ => Outcome::returns(0),
    }
}

fn create(model: &mut Model, action: &Action) -> Outcome {
    model.threads.created += 1;
    let detached = action.count != 0;
    let index = subject(action).index() % MAX_THREADS;
    model.threads.highest = model.threads.highest.max(index as u16);
    *model.threads.get_mut(subject(action)) = Thread { life: Life::Live, detached, ..Thread::default() };
    Outcome::returns(0)
}

fn exit(model: &mut Model, action: &Action) -> Outcome {
    let thread = model.threads.get_mut(action.thread);
    thread.life = if thread.detached { Life::Gone } else { Life::Ended };
    Outcome::returns(0)
}

/// The thread acts on a request to cancel it, maybe while it waits for another one's end.
pub(super) fn cancel_join(model: &mut Model, action: &Action) -> Outcome {
    model.threads.set_joining(action.thread, None);
    Outcome::returns(CANCELLED)
}

/// The thread acts on a request to cancel it, or on what woke it before.
fn decide_about_cancellation(model: &mut Model, action: &Action, choice: Choice) -> Outcome {
    if choice == Choice::TimeOut {
        model.threads.get_mut(action.thread).cancellation.pending = false;
        return Outcome::returns(CANCELLED);
    }
    Outcome::returns(action.count as i32)
}

/// Marks that the thread is inside a join, so that a second join of the same thread is noticed while the first waits.
pub(super) fn announce(model: &mut Model, action: &Action) {
    if join_error(model, action).is_none() {
        model.threads.set_joining(action.thread, Some(subject(action)));
    }
}

fn join(model: &mut Model, action: &Action, choice: Choice) -> Outcome {
    model.threads.set_joining(action.thread, None);
    if let Some(wrong) = join_error(model, action) {
        return wrong;
    }
    if choice == Choice::TimeOut {
        return Outcome::returns(ETIMEDOUT);
    }
    if model.threads.life(subject(action)) != Life::Ended {
        return Outcome::returns(EINVAL); // an invalid deadline, seen on waiting
    }
    reap(model, action)
}

fn try_join(model: &mut Model, action: &Action) -> Outcome {
    if subject(action) == action.thread {
        return Outcome::returns(EBUSY); // it runs, and glibc looks no further
    }
    if let Some(wrong) = join_error(model, action) {
        return wrong;
    }
    if model.threads.life(subject(action)) == Life::Ended { reap(model, action) } else { Outcome::returns(EBUSY) }
}

fn reap(model: &mut Model, action: &Action) -> Outcome {
    model.threads.get_mut(subject(action)).life = Life::Gone;
    if action.thread == ThreadId::MAIN {
        model.threads.joined_by_main += 1;
    }
    Outcome::returns(0)
}

/// The thread an action is about, if it is one that can still be named.
fn existing(model: &mut Model, action: &Action) -> Result<ThreadId, Outcome> {
    let target = subject(action);
    match model.threads.life(target) {
        Life::Live | Life::Ended => Ok(target),
        Life::Unborn | Life::Gone => Err(Outcome::misuse(Misuse::NoSuchThread, ESRCH)),
    }
}

fn detach(model: &mut Model, action: &Action) -> Outcome {
    let target = match existing(model, action) {
        Ok(target) => target,
        Err(wrong) => return wrong,
    };
    let ended = model.threads.life(target) == Life::Ended;
    let thread = model.threads.get_mut(target);
    if thread.detached {
        return Outcome::misuse(Misuse::DetachTwice, EINVAL);
    }
    thread.detached = true;
    if ended {
        thread.life = Life::Gone;
    }
    Outcome::returns(0)
}

fn cancel(model: &mut Model, action: &Action) -> Outcome {
    match existing(model, action) {
        Ok(target) => {
            if model.threads.life(target) == Life::Live {
                model.threads.cancellations = true;
                model.threads.get_mut(target).cancellation.pending = true;
            }
            Outcome::returns(0)
        }
        Err(wrong) => wrong,
    }
}

#[cfg(test)]
mod tests {
    use super::super::CANCELLED;
    use super::super::testing::Bench;
    use super::*;
    use crate::variable::Variable;

    fn var(thread: u16) -> u64 {
        Variable::thread(ThreadId(thread)).0
    }

    #[test]
    fn join_waits_for_the_end_and_happens_once() {
        let mut bench = Bench::with_threads(3);
        assert!(!bench.model.threads.main_is_alone());
        assert!(!bench.enabled(0, Op::ThreadJoin, var(1)));
        assert_eq!(bench.run(0, Op::ThreadTryJoin, var(1)), EBUSY);
        bench.run(1, Op::ThreadExit, var(1));
        assert_eq!(bench.run(0, Op::ThreadJoin, var(1)), 0);
        assert_eq!(bench.step(0, Op::ThreadJoin, var(1)).misuse, Some(Misuse::JoinTwice));
        bench.run(2, Op::ThreadExit, var(2));
        assert_eq!(bench.run(0, Op::ThreadTryJoin, var(2)), 0);
        assert!(bench.model.threads.main_is_alone());
        assert_eq!(bench.model.threads.live().len(), 1);
    }

    #[test]
    fn wrong_joins_are_named_and_do_not_wait() {
        let mut bench = Bench::with_threads(3);
        assert_eq!(bench.step(1, Op::ThreadJoin, var(1)), Outcome::misuse(Misuse::JoinSelf, EDEADLK));
        assert_eq!(bench.step(1, Op::ThreadJoin, var(9)).misuse, Some(Misuse::NoSuchThread));
        bench.run(0, Op::ThreadDetach, var(1));
        assert_eq!(bench.step(0, Op::ThreadJoin, var(1)), Outcome::misuse(Misuse::JoinDetached, EINVAL));
        assert_eq!(bench.step(0, Op::ThreadDetach, var(1)).misuse, Some(Misuse::DetachTwice));
        announce(&mut bench.model, &Bench::action(0, Op::ThreadJoin, var(2)));
        assert_eq!(bench.step(1, Op::ThreadJoin, var(2)), Outcome::misuse(Misuse::JoinTwice, EINVAL));
        assert_eq!(bench.step(2, Op::ThreadJoin, var(0)), Outcome::misuse(Misuse::JoinCycle, EDEADLK));
    }

    #[test]
    fn a_timed_join_gives_up() {
        let mut bench = Bench::with_threads(2);
        let timed = Action { deadline: 70, ..Bench::action(0, Op::ThreadJoin, var(1)) };
        assert!(bench.model.choices(&timed).time_out);
        assert_eq!(bench.model.perform(&timed, Choice::TimeOut).result, ETIMEDOUT);
        bench.run(1, Op::ThreadExit, var(1));
        assert_eq!(bench.model.choices(&timed), Choices::PROCEED);
        assert_eq!(bench.model.perform(&timed, Choice::Proceed).result, 0);
    }

    #[test]
    fn a_wait_for_a_signal_follows_what_the_shim_says() {
        let mut bench = Bench::with_threads(2);
        let wait = Bench::action(1, Op::SignalWait, var(1));
        assert_eq!(bench.model.choices(&wait), Choices::NONE);
        let timed = Action { deadline: 30, ..wait };
        assert_eq!(bench.model.choices(&timed), Choices { time_out: true, ..Choices::NONE });
        assert_eq!(bench.model.perform(&timed, Choice::TimeOut), Outcome::returns(ETIMEDOUT));
        let ready = Action { count: 1, ..timed };
        assert_eq!(bench.model.choices(&ready), Choices::PROCEED);
        assert_eq!(bench.model.perform(&ready, Choice::Proceed), Outcome::returns(0));
    }

    #[test]
    fn a_thread_that_was_cancelled_in_a_join_joins_no_more() {
        let mut bench = Bench::with_threads(3);
        let join = Action { flags: Action::CANCELLATION_POINT, ..Bench::action(1, Op::ThreadJoin, var(2)) };
        bench.model.announce(&join);
        assert_eq!(bench.run(0, Op::ThreadCancel, var(1)), 0);
        assert_eq!(bench.model.perform(&join, Choice::Proceed), Outcome::returns(CANCELLED));
        bench.run(2, Op::ThreadExit, var(2));
        assert_eq!(bench.run(0, Op::ThreadJoin, var(2)), 0, "nobody else joins it");
    }

    #[test]
    fn a_request_to_cancel_is_acted_on_where_it_may_be() {
        let mut bench = Bench::with_threads(3);
        bench.run(0, Op::ThreadCancel, var(1));
        let join = Action { flags: Action::CANCELLATION_POINT, ..Bench::action(1, Op::ThreadJoin, var(2)) };
        let lock = Bench::action(1, Op::MutexLock, 64);
        assert!(bench.model.choices(&join).proceed, "a blocked cancellation point wakes up");
        assert!(!bench.model.threads.acts_on_cancellation(&lock), "locking is no cancellation point");
        bench.model.threads.get_mut(ThreadId(1)).cancellation.disabled = true;
        assert!(!bench.model.choices(&join).proceed);
        bench.model.threads.get_mut(ThreadId(1)).cancellation.disabled = false;
        assert_eq!(bench.model.perform(&join, Choice::Proceed).result, CANCELLED);
        assert!(!bench.model.threads.get(ThreadId(1)).cancellation.pending);
    }

    #[test]
    fn time_flows_along_happens_before() {
        let mut bench = Bench::with_threads(3);
        let sleep = Action { deadline: 1_000, ..Bench::action(1, Op::Sleep, 0) };
        bench.model.perform(&sleep, Choice::Proceed);
        assert_eq!(bench.model.threads.get(ThreadId(1)).now, 1_000);
        assert_eq!(bench.model.threads.get(ThreadId(2)).now, 0, "unrelated threads do not notice");
        bench.run(1, Op::ThreadExit, var(1));
        bench.run(0, Op::ThreadJoin, var(1));
        assert_eq!(bench.model.threads.get(ThreadId::MAIN).now, 1_000);
    }
}
