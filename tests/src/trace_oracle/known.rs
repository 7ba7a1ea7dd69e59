//! The oracle's own proof: programs whose number of traces is known from the literature, or from counting by hand.

use super::enumerate::{Enumeration, Limits, enumerate};
use super::program::{Op, Program, repeat_while, when};

fn all(workers: Vec<Vec<Op>>) -> Enumeration {
    let limits = Limits { traces: 50_000, beginnings: 2_000_000 };
    enumerate(&Program::of_workers(workers), limits).expect("small enough")
}

/// The number of traces of a program that has no deadlock.
fn traces(workers: Vec<Vec<Op>>) -> u64 {
    let all = all(workers);
    assert_eq!(all.deadlocks, 0);
    all.traces
}

fn read(variable: u8) -> Op {
    Op::Load { register: 0, variable }
}

fn write(variable: u8) -> Op {
    Op::Store { variable, value: 1 }
}

fn increment(variable: u8) -> Op {
    Op::Increase { variable, by: 1 }
}

/// Under the mutex of this number.
fn locked(mutex: u8, inside: &[Op]) -> Vec<Op> {
    [&[Op::Lock(mutex)], inside, &[Op::Unlock(mutex)]].concat()
}

#[test]
fn readers_are_before_or_behind_the_writer() {
    for readers in 0..8 {
        let mut workers = vec![vec![write(0)]];
        workers.extend(vec![vec![read(0)]; readers]);
        assert_eq!(traces(workers), 1 << readers, "{readers} readers");
    }
}

#[test]
fn increments_that_are_not_atomic() {
    let count = |(threads, times): (usize, usize)| traces(vec![vec![increment(0); times]; threads]);
    assert_eq!([(2, 1), (2, 2), (3, 1), (3, 2)].map(count), [4, 34, 36, 7134]);
    let outcomes = all(vec![vec![increment(0); 2]; 3]).outcomes.len();
    assert_eq!(outcomes, 5, "2 to 6");
}

#[test]
fn litmus_tests() {
    let store_buffers = vec![vec![write(0), read(1)], vec![write(1), read(0)]];
    let messages = vec![vec![write(0), write(1)], vec![read(1), read(0)]];
    let two_writes = vec![vec![write(0), write(1)], vec![write(1), write(0)]];
    let independent_reads = vec![vec![write(0)], vec![write(1)], vec![read(0), read(1)], vec![read(1), read(0)]];
    let counts = [store_buffers, messages, two_writes, independent_reads].map(traces);
    assert_eq!(counts, [3, 3, 3, 15], "SB, MP, 2+2W, IRIW");
}

/// Seed 001, figure 5.1: a scanner, and threads that add one to what the one before them has.
#[test]
fn last_zero() {
    for threads in 2..=6u8 {
        let scanner =
            (1..=threads).fold(Vec::new(), |below, cell| [vec![read(cell)], when(0, 0, &[], &below)].concat());
        let adder = |cell: u8| {
            let (load, store) = (read(cell - 1), Op::StoreRegister { variable: cell, register: 0 });
            vec![load, Op::Add { register: 0, value: 1 }, store]
        };
        let workers = [vec![scanner], (1..=threads).map(adder).collect()].concat();
        assert_eq!(traces(workers), u64::from(threads + 3) << (threads - 2), "{threads} threads");
    }
}

#[test]
fn updates_that_change_nothing_are_reads() {
    let set = |value| Op::Exchange { register: 0, variable: 0, value };
    let swap = |expected| Op::CompareAndSwap { register: 0, variable: 0, expected, desired: 2 };
    assert_eq!(traces(vec![vec![set(0)]; 3]), 1, "what is there already");
    assert_eq!(traces(vec![vec![set(1)]; 2]), 2, "the first one changes it, and either can be first");
    assert_eq!(traces(vec![vec![set(1)]; 3]), 3, "the second and the third are not ordered");
    assert_eq!(traces(vec![vec![swap(1)]; 3]), 1, "all fail");
    assert_eq!(traces(vec![vec![swap(0)]; 3]), 3, "the first one succeeds");
    assert_eq!(traces(vec![vec![Op::Store { variable: 0, value: 0 }]; 3]), 6, "stores are writes whatever they store");
}

#[test]
fn sections_under_a_lock_are_ordered() {
    assert_eq!(traces(vec![locked(0, &[increment(0)]); 3]), 6);
    assert_eq!(traces(vec![locked(0, &[]), locked(1, &[])]), 1);
    let [forth, back] = [[0, 1], [1, 0]].map(|[outer, inner]| locked(outer, &locked(inner, &[])));
    let crossed = all(vec![forth, back]);
    assert_eq!((crossed.traces, crossed.deadlocks), (3, 1));
}

#[test]
fn attempts_in_vain_are_reads() {
    let holder = locked(0, &[]);
    let attempt = [vec![Op::TryLock { register: 0, mutex: 0 }], when(0, 1, &[Op::Unlock(0)], &[])].concat();
    assert_eq!(traces(vec![holder.clone(), attempt.clone()]), 3, "before, in vain, behind");
    // Two against a holder: both in vain; one in vain and the other before or behind (2 * 2); none in vain, and the
    // three sections in any order (6); and in the section of the other one, which may be before the holder's or behind
    // it (2 * 2).
    assert_eq!(traces(vec![holder, attempt.clone(), attempt]), 15);
}

#[test]
fn signals_that_nobody_waits_for_commute() {
    assert_eq!(traces(vec![vec![Op::Signal(0)], vec![Op::Signal(0)], vec![Op::Broadcast(0)]]), 1);
    let waiter = locked(0, &[Op::Wait(0)]);
    let lost = all(vec![waiter.clone(), vec![Op::Signal(0)]]);
    assert_eq!((lost.traces, lost.deadlocks), (2, 1));
    // Either of two waiters is first (2). The signal is before both (1), finds one, which takes the mutex back before
    // the other one takes it or behind that (2), or finds both and wakes either (2).
    let one_of_two = all(vec![waiter.clone(), waiter, vec![Op::Signal(0)]]);
    assert_eq!((one_of_two.traces, one_of_two.deadlocks), (10, 10), "somebody waits for ever");
}

#[test]
fn creating_and_joining_order_what_they_order() {
    let limits = Limits { traces: 100, beginnings: 1000 };
    let count = |main: &[Op], worker: &[Op]| {
        let program = Program { threads: vec![main.to_vec(), worker.to_vec()] };
        enumerate(&program, limits).expect("small").traces
    };
    let (create, join) = (Op::Create(1), Op::Join(1));
    assert_eq!(count(&[write(0), create, join, write(0)], &[write(0)]), 1);
    assert_eq!(count(&[create, write(0), join], &[write(0)]), 2);
    assert_eq!(count(&[create, write(0)], &[write(0), write(0)]), 3, "not joined");
    assert_eq!(count(&[create, join], &[]), 1);
}

/// SCALE, appendix A.6: one thread adds 1, the other doubles, each in two critical sections.
#[test]
fn inspect_bug() {
    let twice = |change: i8| {
        let store = [Op::Add { register: 0, value: change }, Op::StoreRegister { variable: 0, register: 0 }];
        [locked(0, &[read(0)]), locked(0, &store)].concat()
    };
    assert_eq!(traces(vec![twice(1), twice(2)]), 6);
}

/// SCALE, appendix A.4.1.
#[test]
fn barrier() {
    const INSIDE: u8 = 0;
    const PHASE: u8 = 1;
    let pass = |threads: i8, phase: i8| {
        let (by, complete) = if phase == 0 { (1, threads) } else { (-1, 0) };
        let open = [Op::Store { variable: PHASE, value: 1 - phase }, Op::Broadcast(0)];
        let wait = repeat_while(&[read(PHASE)], 0, phase, &[Op::Wait(0)]);
        let count = vec![Op::Increase { variable: INSIDE, by }, read(INSIDE)];
        locked(0, &[count, when(0, complete, &open, &wait)].concat())
    };
    let worker = |threads: i8, rounds: usize| [pass(threads, 0), pass(threads, 1)].concat().repeat(rounds);
    let count = |(threads, rounds): (i8, usize)| traces(vec![worker(threads, rounds); threads as usize]);
    assert_eq!([(2, 1), (2, 2), (2, 3), (3, 1)].map(count), [6, 54, 486, 360]);
}

/// SCALE, appendix A.3.1, without its output.
#[test]
fn thread_pool() {
    const JOBS: u8 = 0;
    const CLOSING: u8 = 1;
    const IDLE: u8 = 2;
    let is_idle = |change| Op::Increase { variable: IDLE, by: change };
    // Register 0: whether there is a job or the pool is closing; register 1: whether it is closing.
    let closing = Op::Load { register: 1, variable: CLOSING };
    let look = [vec![closing, read(JOBS)], when(1, 1, &[Op::Load { register: 0, variable: CLOSING }], &[])].concat();
    let wait = repeat_while(&look, 0, 0, &[is_idle(1), Op::Wait(0), is_idle(-1)]);
    let take = [Op::Increase { variable: JOBS, by: -1 }, Op::Unlock(0)];
    let round = [vec![Op::Lock(0)], wait, when(1, 1, &[], &take)].concat();
    let worker = [repeat_while(&round, 1, 0, &[]), vec![Op::Unlock(0)]].concat();
    let add = [vec![increment(JOBS), read(IDLE)], when(0, 0, &[], &[Op::Signal(0)])].concat();
    let close = [write(CLOSING), Op::Broadcast(0)];
    let main = [locked(0, &add), locked(0, &close)].concat();
    let count = |workers: usize| traces([vec![main.clone()], vec![worker.clone(); workers]].concat());
    assert_eq!([1, 2, 3].map(count), [6, 90, 2292]);
}

/// SCALE, appendix A.5.1, without its first assertion: semaphores made of a mutex, a condition variable and a flag.
#[test]
fn producer_and_consumer() {
    const BUFFER: u8 = 2;
    let value = |semaphore: u8| 2 * semaphore;
    let flag = |semaphore: u8| 2 * semaphore + 1;
    // One thread waits at most, so the value is -1 at least.
    let wait = |semaphore: u8| {
        let set = |value| Op::Store { variable: flag(semaphore), value };
        let sleep = [repeat_while(&[read(flag(semaphore))], 0, 0, &[Op::Wait(semaphore)]), vec![set(0)]].concat();
        let take = vec![Op::Increase { variable: value(semaphore), by: -1 }, read(value(semaphore))];
        locked(semaphore, &[take, when(0, -1, &sleep, &[])].concat())
    };
    let post = |semaphore: u8| {
        let wake = [Op::Store { variable: flag(semaphore), value: 1 }, Op::Signal(semaphore)];
        locked(semaphore, &[vec![increment(value(semaphore)), read(value(semaphore))], when(0, 0, &wake, &[])].concat())
    };
    let work = locked(BUFFER, &[increment(4)]);
    let count = |items: usize| {
        let [consumer, producer] = [(0, 1), (1, 0)].map(|(from, to)| [wait(from), work.clone(), post(to)].concat());
        let main = [
            vec![Op::Store { variable: value(1), value: 2 }, Op::Create(1)],
            consumer.repeat(items),
            vec![Op::Join(1)],
        ];
        let program = Program { threads: vec![main.concat(), producer.repeat(items)] };
        let all = enumerate(&program, Limits { traces: 1000, beginnings: 100_000 }).expect("small");
        (all.traces, all.deadlocks)
    };
    assert_eq!([1, 2, 3].map(count), [(2, 0), (14, 0), (140, 0)]);
}

/// Seed 004, figure 4: processes in a ring, each statement one step.
#[test]
fn rings() {
    let statement = |process: u8, processes: u8| {
        let copy = Op::Copy { to: (process + 1) % processes, from: process };
        vec![Op::AtomicBegin, copy, Op::AtomicEnd]
    };
    let count = |processes: u8, rounds: usize| {
        traces((0..processes).map(|process| statement(process, processes).repeat(rounds)).collect())
    };
    assert_eq!([2, 3, 4, 5, 9].map(|processes| count(processes, 1)), [2, 6, 14, 30, 510]);
    assert_eq!([2, 3, 4, 5].map(|processes| count(processes, 2)), [6, 90, 786, 5730]);
}

/// The same with branches.
#[test]
fn branching() {
    let worker = |process: u8, processes: u8| {
        let set = [write((process + 1) % processes)];
        [vec![read(process)], when(0, 0, &set, &[])].concat().repeat(2)
    };
    let count = |processes: u8| traces((0..processes).map(|process| worker(process, processes)).collect());
    assert_eq!([2, 3, 4, 5, 6].map(count), [11, 28, 103, 311, 1010]);
}
