//! Tests of condition variables.

use super::super::Mutex;
use super::super::errno::EOWNERDEAD;
use super::super::testing::Bench;
use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

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

fn timed(action: Action) -> Action {
    Action { deadline: 500, ..action }
}

fn flagged(thread: u16, flags: u8) -> Action {
    Action { flags, ..wake_action(thread) }
}

/// Lets threads begin to wait, in this order.
fn begin(bench: &mut Bench, threads: &[u16]) {
    for &thread in threads {
        bench.run(thread, Op::MutexLock, M);
        let outcome = bench.model.perform(&wait_action(thread), Choice::Proceed);
        assert_eq!(outcome, Outcome::continues(wake_action(thread)));
    }
}

fn wakeable(bench: &Bench, threads: &[u16]) -> Vec<u16> {
    threads.iter().copied().filter(|&thread| bench.model.choices(&wake_action(thread)).proceed).collect()
}

/// Takes a wake-up step, and gives the mutex back if the wait is over with it.
fn wake(bench: &mut Bench, action: Action, choice: Choice) -> Outcome {
    assert!(bench.model.choices(&action).allows(choice), "{action:?} {choice:?}");
    let outcome = bench.model.perform(&action, choice);
    if outcome.next.is_none() {
        assert_eq!(bench.run(action.thread.0, Op::MutexUnlock, M), 0);
    }
    outcome
}

#[test]
fn a_signal_wakes_any_one_present_waiter() {
    for chosen in [1, 2] {
        let mut bench = bench();
        begin(&mut bench, &[1, 2]);
        assert_eq!(wakeable(&bench, &[1, 2]), []);
        bench.run(0, Op::CondSignal, C);
        begin(&mut bench, &[3]);
        assert_eq!(wakeable(&bench, &[1, 2, 3]), [1, 2], "thread 3 came too late for it");
        assert_eq!(wake(&mut bench, wake_action(chosen), Choice::Proceed), Outcome::returns(0));
        assert_eq!(wakeable(&bench, &[3 - chosen, 3]), []);
    }
}

#[test]
fn a_signal_without_waiters_is_lost_and_one_too_many_too() {
    let mut bench = bench();
    bench.run(0, Op::CondSignal, C);
    bench.run(0, Op::CondBroadcast, C);
    begin(&mut bench, &[1]);
    assert_eq!(wakeable(&bench, &[1]), []);
    bench.run(0, Op::CondSignal, C);
    bench.run(0, Op::CondSignal, C);
    begin(&mut bench, &[2]);
    wake(&mut bench, wake_action(1), Choice::Proceed);
    assert_eq!(wakeable(&bench, &[2]), []);
}

#[test]
fn a_broadcast_wakes_all_present_waiters_as_the_mutex_becomes_free() {
    let mut bench = bench();
    begin(&mut bench, &[1, 2, 3]);
    bench.run(0, Op::CondBroadcast, C);
    begin(&mut bench, &[4]);
    assert_eq!(wakeable(&bench, &[1, 2, 3, 4]), [1, 2, 3]);
    bench.run(0, Op::MutexLock, M);
    assert_eq!(wakeable(&bench, &[1, 2, 3]), []);
    bench.run(0, Op::MutexUnlock, M);
    for thread in [2, 3, 1] {
        wake(&mut bench, wake_action(thread), Choice::Proceed);
    }
}

#[test]
fn a_time_out_is_a_step_before_the_mutex_is_taken_back() {
    let mut bench = bench();
    begin(&mut bench, &[1]);
    assert!(!bench.model.choices(&wake_action(1)).time_out, "not a timed wait");
    bench.run(0, Op::MutexLock, M);
    let late = flagged(1, Action::TIMED_OUT);
    assert_eq!(wake(&mut bench, timed(wake_action(1)), Choice::TimeOut), Outcome::continues(late));
    assert_eq!(bench.model.choices(&late), Choices::NONE);
    bench.run(0, Op::CondSignal, C);
    bench.run(0, Op::MutexUnlock, M);
    assert_eq!(wake(&mut bench, late, Choice::Proceed), Outcome::returns(ETIMEDOUT));
}

#[test]
fn a_waiter_that_must_have_been_woken_can_not_time_out() {
    let mut bench = bench();
    begin(&mut bench, &[1]);
    bench.run(0, Op::CondSignal, C);
    begin(&mut bench, &[2]);
    let choices = |bench: &Bench, thread| bench.model.choices(&timed(wake_action(thread)));
    assert_eq!(choices(&bench, 1), Choices::PROCEED, "the signal is not for thread 2");
    assert_eq!(choices(&bench, 2), Choices { proceed: false, time_out: true, spurious: true });
    bench.run(0, Op::CondSignal, C);
    assert_eq!(choices(&bench, 2), Choices::PROCEED);
}

#[test]
fn a_waiter_may_time_out_where_the_signal_may_have_woken_another() {
    let mut bench = bench();
    begin(&mut bench, &[1, 2]);
    bench.run(0, Op::CondSignal, C);
    assert_eq!(bench.model.choices(&timed(wake_action(2))), Choices { proceed: true, time_out: true, spurious: true });
    wake(&mut bench, timed(wake_action(2)), Choice::TimeOut);
    assert_eq!(bench.model.choices(&timed(wake_action(1))), Choices::PROCEED, "then thread 1 has it");
}

#[test]
fn a_spurious_wake_up_returns_0() {
    let mut bench = bench();
    begin(&mut bench, &[1]);
    let next = flagged(1, Action::SPURIOUS);
    assert_eq!(wake(&mut bench, wake_action(1), Choice::Spurious), Outcome::continues(next));
    assert_eq!(wake(&mut bench, next, Choice::Proceed), Outcome::returns(0));
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
fn a_cancelled_waiter_takes_the_mutex_and_hands_the_signal_on() {
    let mut bench = bench();
    begin(&mut bench, &[1, 2]);
    bench.run(0, Op::CondSignal, C);
    let waiting = flagged(1, Action::CANCELLATION_POINT);
    bench.run(0, Op::MutexLock, M);
    bench.run(0, Op::ThreadCancel, Variable::thread(ThreadId(1)).0);
    let cancelled = flagged(1, Action::CANCELLED);
    assert_eq!(wake(&mut bench, waiting, Choice::Proceed), Outcome::continues(cancelled));
    assert_eq!(bench.model.choices(&cancelled), Choices::NONE);
    bench.run(0, Op::MutexUnlock, M);
    assert_eq!(wakeable(&bench, &[2]), [2]);
    assert_eq!(wake(&mut bench, cancelled, Choice::Proceed), Outcome::returns(CANCELLED));
}

#[test]
fn a_cancelled_waiter_takes_a_signal_along_that_is_for_nobody_else() {
    let mut bench = bench();
    begin(&mut bench, &[1]);
    bench.run(0, Op::CondSignal, C);
    begin(&mut bench, &[2]);
    bench.run(0, Op::ThreadCancel, Variable::thread(ThreadId(1)).0);
    wake(&mut bench, flagged(1, Action::CANCELLATION_POINT), Choice::Proceed);
    assert_eq!(wakeable(&bench, &[2]), []);
    bench.run(0, Op::CondSignal, C);
    assert_eq!(wakeable(&bench, &[2]), [2]);
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
    bench.model.perform(&wake_action(1), Choice::Proceed);
    assert_eq!(bench.model.mutex(Variable(M)).map(|mutex| mutex.depth), Some(2));
}

#[test]
fn what_the_mutex_says_is_what_the_wait_returns() {
    for choice in [Choice::Proceed, Choice::TimeOut] {
        let mut bench = bench();
        bench.model.objects.set(M, ObjectState::Mutex(Mutex::new(MutexKind::Normal, true)));
        begin(&mut bench, &[1]);
        bench.run(2, Op::MutexLock, M);
        bench.model.abandon_robust_mutexes(ThreadId(2));
        if choice == Choice::Proceed {
            bench.run(0, Op::CondSignal, C);
        }
        let first = bench.model.perform(&timed(wake_action(1)), choice);
        let last = first.next.map_or(first, |next| bench.model.perform(&next, Choice::Proceed));
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
    bench.run(0, Op::CondSignal, C);
    assert_eq!(bench.step(0, Op::CondDestroy, C), Outcome::misuse(Misuse::DestroyWaitedOn, EBUSY));
    assert_eq!(bench.step(0, Op::CondInit, C).misuse, Some(Misuse::InitInUse));
    bench.run(0, Op::CondBroadcast, C);
    assert_eq!(bench.run(0, Op::CondDestroy, C), 0);
    for thread in [1, 2] {
        assert_eq!(wake(&mut bench, wake_action(thread), Choice::Proceed), Outcome::returns(0));
    }
    assert_eq!(bench.step(0, Op::CondSignal, C), Outcome::misuse(Misuse::UseDestroyed, EINVAL));
    assert_eq!(bench.step(0, Op::CondSignal, M), Outcome::misuse(Misuse::WrongKind, EINVAL));
    assert_eq!(bench.run(0, Op::CondInit, C), 0);
    assert_eq!(bench.run(0, Op::CondSignal, C), 0);
}

/// Who may have been woken, by the book: each signal picks one waiter, and all picks are followed at once.
#[derive(Default)]
struct Book {
    waiting: BTreeSet<u16>,
    woken: BTreeSet<BTreeSet<u16>>,
}

impl Book {
    fn signal(&mut self) {
        let pick = |woken: &BTreeSet<u16>| {
            let left: Vec<u16> = self.waiting.difference(woken).copied().collect();
            let picks = left.iter().map(|&thread| woken.iter().copied().chain([thread]).collect());
            if left.is_empty() { vec![woken.clone()] } else { picks.collect() }
        };
        self.woken = self.woken.iter().flat_map(pick).collect();
    }

    fn leave(&mut self, thread: u16, was_woken: bool) {
        self.waiting.remove(&thread);
        self.woken.retain(|woken| woken.contains(&thread) == was_woken);
        self.woken = self.woken.iter().map(|woken| woken.iter().copied().filter(|&t| t != thread).collect()).collect();
    }

    fn may(&self, thread: u16, be_woken: bool) -> bool {
        self.woken.iter().any(|woken| woken.contains(&thread) == be_woken)
    }
}

proptest! {
    #[test]
    fn tokens_allow_exactly_what_signals_that_pick_a_waiter_allow(
        steps in prop::collection::vec((0u8..8, 1u16..7), 1..60)
    ) {
        let mut bench = bench();
        let mut book = Book { woken: BTreeSet::from([BTreeSet::new()]), ..Book::default() };
        for (kind, thread) in steps {
            let waits = book.waiting.contains(&thread);
            let action = timed(wake_action(thread));
            match kind {
                0..=2 if !waits => {
                    begin(&mut bench, &[thread]);
                    book.waiting.insert(thread);
                }
                3 | 4 => {
                    bench.run(0, Op::CondSignal, C);
                    book.signal();
                }
                5 => {
                    bench.run(0, Op::CondBroadcast, C);
                    book.woken = BTreeSet::from([book.waiting.clone()]);
                }
                6 if waits && book.may(thread, true) => {
                    wake(&mut bench, action, Choice::Proceed);
                    book.leave(thread, true);
                }
                7 if waits && book.may(thread, false) => {
                    let late = wake(&mut bench, action, Choice::TimeOut).next.unwrap();
                    wake(&mut bench, late, Choice::Proceed);
                    book.leave(thread, false);
                }
                _ => {}
            }
            for &waiter in &book.waiting {
                let choices = bench.model.choices(&timed(wake_action(waiter)));
                prop_assert_eq!(choices.proceed, book.may(waiter, true), "wake-up of {}", waiter);
                prop_assert_eq!(choices.time_out, book.may(waiter, false), "time-out of {}", waiter);
            }
        }
    }
}
