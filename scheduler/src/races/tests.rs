//! Small logs, with the races that they have.

use super::accesses::{Way, find};
use rscale_protocol::arena::Step;
use rscale_protocol::model::Barrier;
use rscale_protocol::{Action, Choice, Extent, Op, Origin, ThreadId, ThreadSet, Variable};

const X: u64 = 0x1000;
const FLAG: u64 = 0x2000;
const LOCK: u64 = 0x3000;

fn step(thread: u16, op: Op, object: u64) -> Step {
    let action = Action { count: 4, pc: u64::from(thread), ..Action::new(ThreadId(thread), op, Variable(object)) };
    Step { action, choice: Choice::Proceed, result: 0, enabled: [ThreadSet::EMPTY; 3] }
}

/// Creates threads 1 and 2, and then these steps.
fn log(steps: &[Step]) -> Vec<Step> {
    let create = |thread| {
        let create = step(0, Op::ThreadCreate, 0);
        Step { action: Action { object: Variable::thread(ThreadId(thread)), ..create.action }, ..create }
    };
    [create(1), create(2)].into_iter().chain(steps.iter().copied()).collect()
}

/// The steps of each race, counted behind the creations; everything at `FLAG` is atomic.
fn races(steps: &[Step]) -> Vec<(usize, usize)> {
    let found = find(&log(steps), &mut |_, action| action.object == Variable(FLAG));
    found.iter().map(|pair| (pair.first.step - 2, pair.second.step - 2)).collect()
}

#[test]
fn a_lock_orders_what_it_protects_and_nothing_else() {
    let section =
        |thread, op| [step(thread, Op::MutexLock, LOCK), step(thread, op, X), step(thread, Op::MutexUnlock, LOCK)];
    assert_eq!(races(&[section(1, Op::Write), section(2, Op::Write)].concat()), []);
    assert_eq!(races(&[&section(1, Op::Write)[..], &[step(2, Op::Read, X)]].concat()), [(1, 3)]);
    assert_eq!(races(&[step(1, Op::Read, X), step(2, Op::Read, X)]), [], "reads do not conflict");
}

#[test]
fn readers_hand_on_to_writers_only() {
    let section = |thread, lock, op| [step(thread, lock, LOCK), step(thread, op, X), step(thread, Op::RwUnlock, LOCK)];
    let (first, second) = (section(1, Op::RwRead, Op::Write), section(2, Op::RwRead, Op::Write));
    assert_eq!(races(&[first, second].concat()), [(1, 4)]);
    assert_eq!(races(&[first, section(2, Op::RwWrite, Op::Write)].concat()), []);
}

#[test]
fn atomic_accesses_hand_on_and_do_not_race_with_each_other() {
    let message = [step(1, Op::Write, X), step(1, Op::Write, FLAG), step(2, Op::Read, FLAG), step(2, Op::Read, X)];
    assert_eq!(races(&message), []);
    assert_eq!(races(&[message[2], message[0], message[1], message[3]]), [(1, 3)], "the flag was read too early");
}

#[test]
fn a_barrier_hands_on_within_its_round() {
    let arrive = |thread, result| Step { result, ..step(thread, Op::BarrierArrive, LOCK) };
    let (waits, opens) = (0, Barrier::SERIAL_THREAD);
    assert_eq!(
        races(&[step(1, Op::Write, X), arrive(1, waits), arrive(2, opens), step(2, Op::Write, X)]),
        [],
        "on both sides of it"
    );
    let late = [
        arrive(1, waits),
        arrive(2, opens),
        step(2, Op::Write, X),
        arrive(2, waits),
        step(1, Op::BarrierLeave, LOCK),
        step(1, Op::Write, X),
    ];
    assert_eq!(races(&late), [(2, 5)], "who leaves late knows nothing of the next round");
}

#[test]
fn only_the_same_bytes_conflict() {
    let part = |thread, offset| {
        let write = step(thread, Op::Write, X);
        Step { action: Action { extent: Extent::new(offset, 2), ..write.action }, ..write }
    };
    assert_eq!(races(&[part(1, 0), part(2, 2)]), []);
    assert_eq!(races(&[part(1, 0), part(2, 1)]), [(0, 1)]);
    assert_eq!(races(&[part(1, 0), step(2, Op::Write, X)]), [(0, 1)]);
}

#[test]
fn a_buffered_store_is_made_where_its_thread_makes_it() {
    let flush = |object, made: u32, number| {
        let shadow = step(65, Op::Flush, object);
        let origin = Origin { steps: made + 2, ..Origin::default() };
        let second = Variable::store(ThreadId(1), number);
        Step { action: Action { second, ..shadow.action }.of_store(origin), ..shadow }
    };
    // The data becomes visible after the flag, and after it was read; it was stored before the flag.
    let late = [flush(FLAG, 0, 1), step(2, Op::Read, FLAG), step(2, Op::Read, X), flush(X, 0, 0)];
    assert_eq!(races(&late), []);
    let found = find(&log(&[step(2, Op::Read, X), flush(X, 0, 0)]), &mut |_, _| false);
    assert_eq!((found.len(), found[0].first.thread, found[0].first.way), (1, ThreadId(1), Way::Write));
}
