//! Tests of condition variables.

use super::super::Mutex;
use super::super::errno::EOWNERDEAD;
use super::super::testing::Bench;
use super::*;

mod book;

const C: u64 = 0x1000;
const M: u64 = 0x2000;

fn bench() -> Bench {
    let mut bench = Bench::with_threads(8);
    bench.model.objects.set(M, ObjectState::Mutex(Mutex::default()));
    bench
}

fn wait_action(thread: u16) -> Action {
    Action { second: Variable(M), ..Bench::action(thread, Op::CondWait, C) }
}

fn wake_action(thread: u16) -> Action {
    Action { op: Op::CondWake, ..wait_action(thread) }
}

fn retake_action(thread: u16, flags: u8) -> Action {
    Action { flags, second: Variable(C), ..Bench::action(thread, Op::CondRetake, M) }
}

fn timed(action: Action) -> Action {
    Action { deadline: 500, ..action }
}

fn cancellable(action: Action) -> Action {
    Action { flags: Action::CANCELLATION_POINT, ..action }
}

/// Lets threads begin to wait, in this order.
fn begin(bench: &mut Bench, threads: &[u16]) {
    for &thread in threads {
        bench.run(thread, Op::MutexLock, M);
        let outcome = bench.model.perform(&wait_action(thread), Choice::Proceed);
        assert_eq!(outcome, Outcome::continues(wake_action(thread)));
    }
}

/// The threads that have been woken.
fn woken(bench: &Bench, threads: &[u16]) -> Vec<u16> {
    let is_woken = |&thread: &u16| bench.model.current(&wake_action(thread)) == retake_action(thread, 0);
    threads.iter().copied().filter(is_woken).collect()
}

fn candidates(bench: &Bench) -> Vec<u16> {
    bench.model.candidates().unwrap_or_default().iter().map(|thread| thread.0).collect()
}

fn cancel(bench: &mut Bench, thread: u16) {
    bench.run(0, Op::ThreadCancel, Variable::thread(ThreadId(thread)).0);
}

/// Takes a step that must be possible.
fn take(bench: &mut Bench, action: Action, choice: Choice) -> Outcome {
    assert!(bench.model.choices(&action).allows(choice), "{action:?} {choice:?}");
    bench.model.perform(&action, choice)
}

/// A signal with several waiters wakes this one.
fn signal_to(bench: &mut Bench, thread: u16) {
    bench.run(0, Op::CondSignal, C);
    let next = retake_action(thread, 0);
    assert_eq!(take(bench, wake_action(thread), Choice::Proceed), Outcome::continues(next));
}

/// Takes the mutex back and unlocks it; returns what the wait returns.
fn finish(bench: &mut Bench, retake: Action) -> i32 {
    let outcome = take(bench, retake, Choice::Proceed);
    assert_eq!((outcome.next, outcome.misuse), (None, None));
    assert_eq!(bench.run(retake.thread.0, Op::MutexUnlock, M), 0);
    outcome.result
}

#[test]
fn a_signal_wakes_any_one_present_waiter() {
    for chosen in [1, 2, 3] {
        let mut bench = bench();
        begin(&mut bench, &[1, 2, 3]);
        assert_eq!(candidates(&bench), []);
        bench.run(0, Op::CondSignal, C);
        assert_eq!((candidates(&bench), woken(&bench, &[1, 2, 3])), (vec![1, 2, 3], vec![]));
        for thread in [1, 2, 3] {
            let choices = bench.model.choices(&timed(wake_action(thread)));
            assert_eq!(choices, Choices::PROCEED, "neither a time-out nor a spurious wake-up comes in between");
        }
        take(&mut bench, wake_action(chosen), Choice::Proceed);
        begin(&mut bench, &[4]);
        assert_eq!((candidates(&bench), woken(&bench, &[1, 2, 3, 4])), (vec![], vec![chosen]));
        assert_eq!(finish(&mut bench, retake_action(chosen, 0)), 0);
    }
}

#[test]
fn a_single_waiter_is_woken_without_a_step() {
    let mut bench = bench();
    begin(&mut bench, &[1]);
    assert_eq!(bench.model.current(&wake_action(1)), wake_action(1));
    bench.run(0, Op::CondSignal, C);
    assert_eq!(candidates(&bench), []);
    assert_eq!(bench.model.choices(&timed(wake_action(1))), Choices::NONE, "it is past this step");
    assert_eq!(bench.model.current(&timed(wake_action(1))), retake_action(1, 0));
    assert_eq!(finish(&mut bench, retake_action(1, 0)), 0);
}

#[test]
fn a_signal_without_waiters_is_lost_and_one_too_many_too() {
    let mut bench = bench();
    bench.run(0, Op::CondSignal, C);
    bench.run(0, Op::CondBroadcast, C);
    begin(&mut bench, &[1]);
    assert_eq!(woken(&bench, &[1]), []);
    bench.run(0, Op::CondSignal, C);
    bench.run(0, Op::CondSignal, C);
    begin(&mut bench, &[2]);
    assert_eq!(woken(&bench, &[1, 2]), [1]);
}

#[test]
fn each_signal_wakes_another_waiter() {
    let mut bench = bench();
    begin(&mut bench, &[1, 2, 3]);
    signal_to(&mut bench, 2);
    signal_to(&mut bench, 3);
    bench.run(0, Op::CondSignal, C);
    assert_eq!((candidates(&bench), woken(&bench, &[1, 2, 3])), (vec![], vec![1, 2, 3]), "only thread 1 was left");
}

#[test]
fn a_broadcast_wakes_all_present_waiters_as_the_mutex_becomes_free() {
    let mut bench = bench();
    begin(&mut bench, &[1, 2, 3]);
    bench.run(0, Op::CondBroadcast, C);
    begin(&mut bench, &[4]);
    assert_eq!((candidates(&bench), woken(&bench, &[1, 2, 3, 4])), (vec![], vec![1, 2, 3]));
    bench.run(0, Op::MutexLock, M);
    for thread in [1, 2, 3] {
        assert_eq!(bench.model.choices(&retake_action(thread, 0)), Choices::NONE);
    }
    bench.run(0, Op::MutexUnlock, M);
    for thread in [2, 3, 1] {
        assert_eq!(finish(&mut bench, retake_action(thread, 0)), 0);
    }
}

#[test]
fn a_time_out_is_a_step_before_the_mutex_is_taken_back() {
    let mut bench = bench();
    begin(&mut bench, &[1, 2]);
    assert!(!bench.model.choices(&wake_action(1)).time_out, "not a timed wait");
    bench.run(0, Op::MutexLock, M);
    let late = retake_action(1, Action::TIMED_OUT);
    assert_eq!(take(&mut bench, timed(wake_action(1)), Choice::TimeOut), Outcome::continues(late));
    assert_eq!(bench.model.choices(&late), Choices::NONE);
    bench.run(0, Op::CondSignal, C);
    assert_eq!((candidates(&bench), woken(&bench, &[2])), (vec![], vec![2]), "thread 1 does not wait any more");
    bench.run(0, Op::MutexUnlock, M);
    assert_eq!(finish(&mut bench, late), ETIMEDOUT);
}

#[test]
fn a_waiter_that_was_not_woken_may_time_out_or_wake_up_for_no_reason() {
    let mut bench = bench();
    begin(&mut bench, &[1, 2, 3]);
    signal_to(&mut bench, 2);
    for thread in [1, 3] {
        let choices = bench.model.choices(&timed(wake_action(thread)));
        assert_eq!(choices, Choices { proceed: false, time_out: true, spurious: true });
    }
}

#[test]
fn a_spurious_wake_up_returns_0() {
    let mut bench = bench();
    begin(&mut bench, &[1]);
    let next = retake_action(1, Action::SPURIOUS);
    assert_eq!(take(&mut bench, wake_action(1), Choice::Spurious), Outcome::continues(next));
    assert_eq!(finish(&mut bench, next), 0);
}

#[test]
fn a_thread_that_was_woken_sees_no_earlier_time_than_who_woke_it() {
    for waiters in [&[1][..], &[1, 2]] {
        let mut bench = bench();
        begin(&mut bench, waiters);
        bench.model.perform(&timed(Bench::action(0, Op::Sleep, 0)), Choice::Proceed);
        bench.run(0, Op::CondSignal, C);
        if waiters.len() > 1 {
            take(&mut bench, wake_action(1), Choice::Proceed);
        }
        assert_eq!(bench.model.threads.get(ThreadId(1)).now, 500);
    }
}

#[test]
fn an_invalid_deadline_is_seen_first() {
    let mut bench = bench();
    let invalid = Action { flags: Action::INVALID_DEADLINE, ..timed(wait_action(1)) };
    assert_eq!(bench.model.perform(&invalid, Choice::Proceed), Outcome::returns(EINVAL), "the mutex is not held");
    bench.run(1, Op::MutexLock, M);
    assert_eq!(bench.model.perform(&invalid, Choice::Proceed), Outcome::returns(EINVAL));
    assert_eq!(bench.model.holder(M), Some(ThreadId(1)), "still held");
}

#[test]
fn a_cancelled_waiter_takes_the_mutex_and_is_no_waiter_any_more() {
    let mut bench = bench();
    begin(&mut bench, &[1, 2]);
    bench.run(0, Op::MutexLock, M);
    cancel(&mut bench, 1);
    let cancelled = retake_action(1, Action::CANCELLED);
    assert_eq!(take(&mut bench, cancellable(wake_action(1)), Choice::Proceed), Outcome::continues(cancelled));
    assert_eq!(bench.model.choices(&cancelled), Choices::NONE);
    bench.run(0, Op::CondSignal, C);
    assert_eq!(woken(&bench, &[2]), [2], "the signal is not lost");
    bench.run(0, Op::MutexUnlock, M);
    assert_eq!(finish(&mut bench, cancelled), CANCELLED);
}

#[test]
fn a_waiter_that_a_signal_chose_acts_on_that_and_not_on_a_request_to_cancel_it() {
    for (waiters, asynchronous) in [(&[1][..], false), (&[1, 2], false), (&[1], true), (&[1, 2], true)] {
        let mut bench = bench();
        begin(&mut bench, waiters);
        bench.model.threads.get_mut(ThreadId(1)).cancellation.asynchronous = asynchronous;
        if waiters.len() > 1 {
            cancel(&mut bench, 1);
        }
        bench.run(0, Op::CondSignal, C);
        if waiters.len() > 1 {
            let picked = take(&mut bench, cancellable(wake_action(1)), Choice::Proceed);
            assert_eq!(picked, Outcome::continues(retake_action(1, 0)));
        } else {
            cancel(&mut bench, 1);
        }
        bench.run(0, Op::MutexLock, M);
        assert_eq!(bench.model.choices(&retake_action(1, 0)), Choices::NONE);
        bench.run(0, Op::MutexUnlock, M);
        assert_eq!(take(&mut bench, retake_action(1, 0), Choice::Proceed), Outcome::returns(0));
        assert!(bench.model.threads.get(ThreadId(1)).cancellation.pending, "the next cancellation point comes");
    }
}

#[test]
fn the_only_waiter_acts_on_what_woke_it_or_on_a_request_to_cancel_it() {
    for (choice, result) in [(Choice::Proceed, 0), (Choice::TimeOut, CANCELLED)] {
        for wakes in [Op::CondSignal, Op::CondBroadcast] {
            let mut bench = bench();
            begin(&mut bench, &[1]);
            bench.run(0, wakes, C);
            cancel(&mut bench, 1);
            let retake = bench.model.current(&cancellable(wake_action(1)));
            assert_eq!(retake, cancellable(retake_action(1, 0)));
            let decides = take(&mut bench, retake, Choice::Proceed).next.unwrap();
            assert_eq!(bench.model.holder(M), Some(ThreadId(1)), "in both cases it has its mutex");
            assert_eq!(take(&mut bench, decides, choice), Outcome::returns(result));
            assert_eq!(bench.model.threads.get(ThreadId(1)).cancellation.pending, choice == Choice::Proceed);
        }
    }
}

#[test]
fn a_request_to_cancel_leaves_no_choice_where_it_comes_late_or_is_not_allowed() {
    for is_late in [false, true] {
        let mut bench = bench();
        begin(&mut bench, &[1]);
        bench.model.threads.get_mut(ThreadId(1)).cancellation.disabled = !is_late;
        bench.run(0, Op::CondSignal, C);
        if !is_late {
            cancel(&mut bench, 1);
        }
        let retake = bench.model.current(&cancellable(wake_action(1)));
        assert_eq!(take(&mut bench, retake, Choice::Proceed), Outcome::returns(0));
    }
}

#[test]
fn a_request_to_cancel_that_came_before_prevents_the_wait() {
    let mut bench = bench();
    bench.run(1, Op::MutexLock, M);
    bench.run(0, Op::ThreadCancel, Variable::thread(ThreadId(1)).0);
    let wait = Action { flags: Action::CANCELLATION_POINT, ..wait_action(1) };
    assert_eq!(bench.model.perform(&wait, Choice::Proceed), Outcome::returns(CANCELLED));
    assert_eq!(bench.model.holder(M), Some(ThreadId(1)));
    bench.run(1, Op::MutexUnlock, M);
    bench.run(1, Op::MutexLock, M);
    let next = bench.model.perform(&wait, Choice::Proceed).next.unwrap();
    assert_eq!(next.flags, Action::CANCELLATION_POINT, "waiting is a cancellation point, too");
}

#[test]
fn the_mutex_is_released_and_taken_back_as_deep_as_it_was() {
    let mut bench = bench();
    bench.model.objects.set(M, ObjectState::Mutex(Mutex::new(MutexKind::Recursive, false)));
    bench.run(1, Op::MutexLock, M);
    begin(&mut bench, &[1]);
    assert_eq!(bench.model.holder(M), None);
    bench.run(0, Op::CondSignal, C);
    take(&mut bench, retake_action(1, 0), Choice::Proceed);
    assert_eq!(bench.model.mutex(Variable(M)).map(|mutex| mutex.depth), Some(2));
}

#[test]
fn what_the_mutex_says_is_what_the_wait_returns() {
    for choice in [Choice::Proceed, Choice::TimeOut] {
        let mut bench = bench();
        bench.model.objects.set(M, ObjectState::Mutex(Mutex::new(MutexKind::Normal, true)));
        begin(&mut bench, &[1]);
        bench.run(2, Op::MutexLock, M);
        bench.run(2, Op::MutexAbandon, M);
        if choice == Choice::Proceed {
            bench.run(0, Op::CondSignal, C);
        } else {
            take(&mut bench, timed(wake_action(1)), choice);
        }
        let flags = if choice == Choice::Proceed { 0 } else { Action::TIMED_OUT };
        let last = take(&mut bench, retake_action(1, flags), Choice::Proceed);
        assert_eq!(last, Outcome::returns(EOWNERDEAD), "even after a time-out");
    }
}

#[test]
fn waiting_without_the_mutex_is_a_misuse_or_an_error() {
    let mut bench = bench();
    let without = Outcome::misuse(Misuse::WaitWithoutMutex, EPERM);
    assert_eq!(bench.model.perform(&wait_action(1), Choice::Proceed), without);
    bench.run(2, Op::MutexLock, M);
    assert_eq!(bench.model.perform(&wait_action(1), Choice::Proceed), without);
    for mutex in [Mutex::new(MutexKind::ErrorCheck, false), Mutex::new(MutexKind::Normal, true)] {
        bench.model.objects.set(M, ObjectState::Mutex(mutex));
        assert_eq!(bench.model.perform(&wait_action(1), Choice::Proceed), Outcome::returns(EPERM));
    }
}

#[test]
fn waiters_share_one_mutex_until_they_are_woken() {
    let mut bench = bench();
    let other = Variable(M + 64);
    bench.model.objects.set(other.0, ObjectState::Mutex(Mutex::default()));
    begin(&mut bench, &[1]);
    bench.run(2, Op::MutexLock, other.0);
    let wait = Action { second: other, ..wait_action(2) };
    assert_eq!(bench.model.perform(&wait, Choice::Proceed), Outcome::misuse(Misuse::TwoMutexes, EINVAL));
    bench.run(0, Op::CondSignal, C);
    assert_eq!(bench.model.perform(&wait, Choice::Proceed).misuse, None, "nobody waits with the first any more");
}

#[test]
fn it_can_be_destroyed_once_all_waiters_are_woken() {
    let mut bench = bench();
    begin(&mut bench, &[1, 2]);
    signal_to(&mut bench, 2);
    assert_eq!(bench.step(0, Op::CondDestroy, C), Outcome::misuse(Misuse::DestroyWaitedOn, EBUSY));
    assert_eq!(bench.step(0, Op::CondInit, C).misuse, Some(Misuse::InitInUse));
    bench.run(0, Op::CondBroadcast, C);
    assert_eq!(bench.run(0, Op::CondDestroy, C), 0);
    for thread in [1, 2] {
        assert_eq!(finish(&mut bench, retake_action(thread, 0)), 0);
    }
    assert_eq!(bench.step(0, Op::CondSignal, C), Outcome::misuse(Misuse::UseDestroyed, EINVAL));
    assert_eq!(bench.step(0, Op::CondSignal, M), Outcome::misuse(Misuse::WrongKind, EINVAL));
    assert_eq!(bench.run(0, Op::CondInit, C), 0);
    assert_eq!(bench.run(0, Op::CondSignal, C), 0);
}
