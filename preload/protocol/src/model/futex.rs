//! Futexes: words that threads wait on with the system call itself.
//!
//! Linux wakes waiters in the order in which they came, and so does the model. Like a condition variable, a futex is
//! nothing but its waiters, which are kept in [`Wait`]: `since` is their order, and `woken` says that the wait is over.
//! The word belongs to the program: the shim compares it and sets [`Action::STALE`] where the comparison failed.
//!
//! A requeue moves waiters to another word. From then on, wait.on of the thread names the word whose wake-ups it
//! gets; its pending [`Op::FutexResume`] is one on that word ([`current`]).
//!
//! Waking and requeueing return how many they have reached, so their errors are negative, as in the kernel.

use super::errno::{EAGAIN, EINVAL, ETIMEDOUT};
use super::{CANCELLED, Choices, Model, ObjectState, Outcome, Wait};
use crate::action::{Action, Choice};
use crate::ops::Op;
use crate::thread_set::ThreadId;
use crate::variable::Variable;

/// A futex word: it has no state of its own, see the waits of the threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Futex;

pub(super) fn choices(model: &Model, action: &Action) -> Choices {
    if action.op != Op::FutexResume {
        return Choices::PROCEED;
    }
    let waits = is_waiting(&model.threads.get(action.thread).wait);
    Choices { spurious: waits, ..Choices::when(!waits, action) }
}

pub(super) fn perform(model: &mut Model, action: &Action, choice: Choice) -> Outcome {
    remember(model, action.object);
    match action.op {
        Op::FutexWait => wait(model, action),
        Op::FutexWake => wake(model, action),
        Op::FutexRequeue => requeue(model, action),
        _ => {
            model.threads.get_mut(action.thread).wait = Wait::default();
            Outcome::returns(if choice == Choice::TimeOut { ETIMEDOUT } else { 0 })
        }
    }
}

/// The pending step of a waiter, on the word that it was moved to.
pub(super) fn current(model: &Model, resume: &Action) -> Action {
    match model.threads.get(resume.thread).wait.on {
        Variable(0) => *resume,
        on => Action { object: on, ..*resume },
    }
}

/// The thread acts on a request to cancel it.
pub(super) fn cancel(model: &mut Model, action: &Action) -> Outcome {
    model.threads.get_mut(action.thread).wait = Wait::default();
    Outcome::returns(CANCELLED)
}

/// Makes the word known, for its virtual time. It may as well be part of an object of another kind.
fn remember(model: &mut Model, word: Variable) {
    if matches!(model.state(word), ObjectState::Unknown | ObjectState::Destroyed) {
        model.objects.set(word.0, ObjectState::Futex(Futex));
    }
}

fn wait(model: &mut Model, action: &Action) -> Outcome {
    if action.count == 0 || action.flags & Action::INVALID_DEADLINE != 0 {
        return Outcome::returns(EINVAL);
    }
    if action.flags & Action::STALE != 0 {
        return Outcome::returns(EAGAIN);
    }
    let since = next_in_line(model, action.object);
    model.threads.get_mut(action.thread).wait =
        Wait { on: action.object, since, bits: action.count, ..Wait::default() };
    let flags = action.flags & Action::CANCELLATION_POINT;
    Outcome::continues(Action { op: Op::FutexResume, flags, ..*action })
}

/// Wakes up to [`Action::count`] waiters that share a bit with [`Action::second`].
fn wake(model: &mut Model, action: &Action) -> Outcome {
    let bits = action.second.0 as u32;
    if bits == 0 {
        return Outcome::returns(-EINVAL);
    }
    let limit = (action.count as i32).max(1); // Linux wakes one even when asked for none
    let mut woken = 0;
    while woken < limit && wake_first(model, action.object, bits) {
        woken += 1;
    }
    Outcome::returns(woken)
}

/// Wakes up to [`Action::count`] waiters and moves up to [`Action::deadline`] others to the second word.
fn requeue(model: &mut Model, action: &Action) -> Outcome {
    remember(model, action.second);
    let (Ok(wakes), Ok(moves)) = (i32::try_from(action.count), i32::try_from(action.deadline)) else {
        return Outcome::returns(-EINVAL);
    };
    if action.flags & Action::STALE != 0 {
        return Outcome::returns(-EAGAIN);
    }
    let mut woken = 0;
    while woken < wakes && wake_first(model, action.object, u32::MAX) {
        woken += 1;
    }
    Outcome::returns(woken + move_waiters(model, action, moves))
}

/// Moves waiters to the end of the second word's queue, in their order.
fn move_waiters(model: &mut Model, action: &Action, limit: i32) -> i32 {
    let (from, to) = (action.object, action.second);
    if from == to {
        let waiting = model.threads.waiting_on(from).filter(|(_, wait)| is_waiting(wait)).count();
        return limit.min(waiting as i32); // they keep their places
    }
    let mut moved = 0;
    while moved < limit
        && let Some(thread) = first_in_line(model, from, u32::MAX)
    {
        let since = next_in_line(model, to);
        let wait = &mut model.threads.get_mut(thread).wait;
        (wait.on, wait.since) = (to, since);
        moved += 1;
    }
    moved
}

fn wake_first(model: &mut Model, word: Variable, bits: u32) -> bool {
    let first = first_in_line(model, word, bits);
    if let Some(thread) = first {
        model.threads.get_mut(thread).wait.woken = true;
    }
    first.is_some()
}

/// The place of a thread that begins to wait on the word now: behind all others.
fn next_in_line(model: &Model, word: Variable) -> u32 {
    let last = model.threads.waiting_on(word).map(|(_, wait)| wait.since).max();
    last.unwrap_or(0).saturating_add(1)
}

/// Who has waited longest, of those that the bits concern.
fn first_in_line(model: &Model, word: Variable, bits: u32) -> Option<ThreadId> {
    let waiters = model.threads.waiting_on(word).filter(|(_, wait)| is_waiting(wait) && wait.bits & bits != 0);
    waiters.min_by_key(|(_, wait)| wait.since).map(|(thread, _)| thread)
}

fn is_waiting(wait: &Wait) -> bool {
    wait.on != Variable(0) && !wait.woken
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::*;

    const F: u64 = 0x1000;
    const G: u64 = 0x2000;
    const ALL: u32 = i32::MAX as u32;

    fn wait_action(thread: u16, bits: u32) -> Action {
        Action { count: bits, ..Bench::action(thread, Op::FutexWait, F) }
    }

    /// Starts threads that wait on F, in this order.
    fn with_waiters(threads: &[u16]) -> Bench {
        let mut bench = Bench::with_threads(6);
        for &thread in threads {
            let outcome = bench.model.perform(&wait_action(thread, u32::MAX), Choice::Proceed);
            assert_eq!(outcome.next.map(|next| next.op), Some(Op::FutexResume));
        }
        bench
    }

    fn wake(bench: &mut Bench, word: u64, count: u32, bits: u32) -> i32 {
        let wake = Action { count, second: Variable(u64::from(bits)), ..Bench::action(0, Op::FutexWake, word) };
        bench.model.perform(&wake, Choice::Proceed).result
    }

    fn awake(bench: &Bench, threads: &[u16]) -> Vec<u16> {
        threads.iter().copied().filter(|&thread| bench.enabled(thread, Op::FutexResume, F)).collect()
    }

    #[test]
    fn waiters_are_woken_in_the_order_in_which_they_came() {
        let mut bench = with_waiters(&[3, 1, 2]);
        assert_eq!(awake(&bench, &[1, 2, 3]), []);
        assert_eq!(wake(&mut bench, F, 1, u32::MAX), 1);
        assert_eq!(awake(&bench, &[1, 2, 3]), [3]);
        assert_eq!(wake(&mut bench, F, 1, u32::MAX), 1, "one that is awake is not woken again");
        assert_eq!(awake(&bench, &[1, 2, 3]), [1, 3]);
        assert_eq!(bench.run(3, Op::FutexResume, F), 0);
        assert_eq!(wake(&mut bench, F, ALL, u32::MAX), 1);
        assert_eq!(wake(&mut bench, F, ALL, u32::MAX), 0);
    }

    #[test]
    fn asked_for_none_it_wakes_one_as_linux_does() {
        let mut bench = with_waiters(&[1, 2]);
        assert_eq!(wake(&mut bench, F, 0, u32::MAX), 1);
        assert_eq!(wake(&mut bench, F, u32::MAX, u32::MAX), 1, "-1");
    }

    #[test]
    fn bits_choose_who_is_woken() {
        let mut bench = Bench::with_threads(4);
        for (thread, bits) in [(1, 1), (2, 2), (3, 3)] {
            bench.model.perform(&wait_action(thread, bits), Choice::Proceed);
        }
        assert_eq!(wake(&mut bench, F, ALL, 2), 2);
        assert_eq!(awake(&bench, &[1, 2, 3]), [2, 3]);
        assert_eq!(wake(&mut bench, F, ALL, 0), -EINVAL);
        assert_eq!(bench.model.perform(&wait_action(1, 0), Choice::Proceed).result, EINVAL);
    }

    #[test]
    fn a_word_that_has_changed_is_not_waited_on() {
        let mut bench = with_waiters(&[]);
        let stale = Action { flags: Action::STALE, ..wait_action(1, u32::MAX) };
        assert_eq!(bench.model.perform(&stale, Choice::Proceed), Outcome::returns(EAGAIN));
        let invalid = Action { flags: Action::INVALID_DEADLINE, ..stale };
        assert_eq!(bench.model.perform(&invalid, Choice::Proceed), Outcome::returns(EINVAL));
        assert_eq!(wake(&mut bench, F, ALL, u32::MAX), 0);
    }

    #[test]
    fn a_wait_can_time_out_or_end_for_no_reason_until_it_is_woken() {
        let mut bench = with_waiters(&[2]);
        let timed = Action { deadline: 7, ..wait_action(1, u32::MAX) };
        let resume = bench.model.perform(&timed, Choice::Proceed).next.unwrap();
        assert_eq!(bench.model.choices(&resume), Choices { proceed: false, time_out: true, spurious: true });
        assert_eq!(bench.model.perform(&resume, Choice::TimeOut), Outcome::returns(ETIMEDOUT));
        assert_eq!(bench.model.threads.get(ThreadId(1)).now, 7);
        assert_eq!(bench.model.perform(&Bench::action(2, Op::FutexResume, F), Choice::Spurious), Outcome::returns(0));
        assert_eq!(wake(&mut bench, F, ALL, u32::MAX), 0, "neither waits any more");
        bench.model.perform(&timed, Choice::Proceed);
        wake(&mut bench, F, 1, u32::MAX);
        assert_eq!(bench.model.choices(&resume), Choices::PROCEED);
    }

    #[test]
    fn requeue_wakes_some_and_moves_some() {
        let mut bench = with_waiters(&[1, 2, 3, 4]);
        bench.model.perform(&Action { object: Variable(G), ..wait_action(5, u32::MAX) }, Choice::Proceed);
        let requeue = |flags, wakes, moves| Action {
            flags,
            count: wakes,
            second: Variable(G),
            deadline: moves,
            ..Bench::action(0, Op::FutexRequeue, F)
        };
        let mut result = |flags, wakes, moves| {
            let action = requeue(flags, wakes, moves);
            assert_eq!(bench.model.choices(&action), Choices::PROCEED);
            bench.model.perform(&action, Choice::Proceed).result
        };
        assert_eq!(result(Action::STALE, 1, 2), -EAGAIN);
        assert_eq!(result(0, u32::MAX, 2), -EINVAL);
        assert_eq!(result(0, 1, 2), 3);
        assert_eq!(awake(&bench, &[1, 2, 3, 4, 5]), [1]);
        let now_on = |thread| bench.model.current(&Bench::action(thread, Op::FutexResume, F)).object;
        assert_eq!([1, 2, 3, 4].map(now_on), [F, G, G, F].map(Variable));
        assert_eq!(wake(&mut bench, G, 2, u32::MAX), 2);
        assert_eq!(awake(&bench, &[2, 3, 4, 5]), [2, 5], "those moved stand behind those that were there");
        assert_eq!(wake(&mut bench, F, ALL, u32::MAX), 1, "thread 4 was not moved");
        assert_eq!(wake(&mut bench, G, ALL, u32::MAX), 1);
    }

    #[test]
    fn requeueing_to_the_same_word_keeps_the_order() {
        let mut bench = with_waiters(&[2, 1]);
        let same = Action { second: Variable(F), deadline: 1, ..Bench::action(0, Op::FutexRequeue, F) };
        assert_eq!(bench.model.perform(&same, Choice::Proceed).result, 1);
        wake(&mut bench, F, 1, u32::MAX);
        assert_eq!(awake(&bench, &[1, 2]), [2]);
    }

    #[test]
    fn a_cancelled_waiter_is_gone() {
        let mut bench = with_waiters(&[]);
        let wait = Action { flags: Action::CANCELLATION_POINT, ..wait_action(1, u32::MAX) };
        let resume = bench.model.perform(&wait, Choice::Proceed).next.unwrap();
        bench.run(0, Op::ThreadCancel, Variable::thread(ThreadId(1)).0);
        assert!(bench.model.choices(&resume).proceed);
        assert_eq!(bench.model.perform(&resume, Choice::Proceed), Outcome::returns(CANCELLED));
        assert_eq!(wake(&mut bench, F, 1, u32::MAX), 0);
    }
}
