//! Barriers.
//!
//! A thread that arrives and is not the last one waits in [`Wait`]; the last one ends all these waits. So a thread of
//! an earlier round that has not gone on yet is no part of the next round, nor of the life of the barrier.

use super::errno::{EBUSY, EINVAL};
use super::{Choices, Model, ObjectState, Outcome, Wait};
use crate::action::Action;
use crate::ending::Misuse;
use crate::ops::Op;
use crate::thread_set::{MAX_THREADS, ThreadId};
use crate::variable::Variable;

/// The state of a barrier.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Barrier {
    /// How many threads open it.
    pub needed: u32,
    /// How many have arrived in this round.
    pub arrived: u32,
}

impl Barrier {
    /// What the last thread to arrive gets (`PTHREAD_BARRIER_SERIAL_THREAD`).
    pub const SERIAL_THREAD: i32 = -1;
}

pub(super) fn choices(model: &Model, action: &Action) -> Choices {
    let waits = action.op == Op::BarrierLeave && model.threads.get(action.thread).wait.on == action.object;
    if waits { Choices::NONE } else { Choices::PROCEED }
}

pub(super) fn perform(model: &mut Model, action: &Action) -> Outcome {
    match action.op {
        Op::BarrierInit if action.count == 0 => return Outcome::returns(EINVAL),
        Op::BarrierInit => {
            let in_use = matches!(model.state(action.object), ObjectState::Barrier(barrier) if barrier.arrived > 0);
            let fresh = Barrier { needed: action.count, arrived: 0 };
            return model.initialise(action.object, ObjectState::Barrier(fresh), in_use);
        }
        Op::BarrierLeave => return Outcome::returns(0), // the barrier may be gone: the last thread may destroy it
        _ => {}
    }
    let Some(object) = model.objects.find_mut(action.object.0) else {
        return Outcome::wrong_object(ObjectState::Unknown);
    };
    let ObjectState::Barrier(barrier) = &mut object.state else { return Outcome::wrong_object(object.state) };
    match action.op {
        Op::BarrierArrive if barrier.arrived.saturating_add(1) >= barrier.needed => {
            barrier.arrived = 0;
            open(model, action.object);
            Outcome::returns(Barrier::SERIAL_THREAD)
        }
        Op::BarrierArrive => {
            barrier.arrived += 1;
            let left = i32::try_from(barrier.needed - barrier.arrived).unwrap_or(i32::MAX);
            model.threads.get_mut(action.thread).wait = Wait { on: action.object, ..Wait::default() };
            // The program does not see how many are missing; the dependence table does.
            Outcome { result: left, ..Outcome::continues(Action { op: Op::BarrierLeave, flags: 0, ..*action }) }
        }
        _ if barrier.arrived > 0 => Outcome::misuse(Misuse::BarrierDestroyBusy, EBUSY),
        _ => {
            object.state = ObjectState::Destroyed;
            Outcome::returns(0)
        }
    }
}

/// Lets everybody go on who waits.
fn open(model: &mut Model, barrier: Variable) {
    for thread in (0..MAX_THREADS as u16).map(ThreadId) {
        let wait = &mut model.threads.get_mut(thread).wait;
        if wait.on == barrier {
            *wait = Wait::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::*;
    use crate::action::Choice;

    const B: u64 = 0x1000;

    fn with_barrier(needed: u32) -> Bench {
        let mut bench = Bench::with_threads(5);
        let init = Action { count: needed, ..Bench::action(0, Op::BarrierInit, B) };
        assert_eq!(bench.model.perform(&init, Choice::Proceed), Outcome::returns(0));
        bench
    }

    fn arrive(bench: &mut Bench, thread: u16) {
        let outcome = bench.step(thread, Op::BarrierArrive, B);
        assert_eq!(outcome.next, Some(Bench::action(thread, Op::BarrierLeave, B)));
    }

    #[test]
    fn the_last_to_arrive_opens_it() {
        let mut bench = with_barrier(3);
        arrive(&mut bench, 1);
        arrive(&mut bench, 2);
        assert!(!bench.enabled(1, Op::BarrierLeave, B) && !bench.enabled(2, Op::BarrierLeave, B));
        assert_eq!(bench.step(3, Op::BarrierArrive, B), Outcome::returns(Barrier::SERIAL_THREAD));
        assert_eq!(bench.run(2, Op::BarrierLeave, B), 0);
        assert_eq!(bench.run(1, Op::BarrierLeave, B), 0);
    }

    #[test]
    fn late_leavers_do_not_disturb_the_next_round() {
        let mut bench = with_barrier(2);
        arrive(&mut bench, 1);
        bench.run(2, Op::BarrierArrive, B);
        arrive(&mut bench, 3);
        assert!(!bench.enabled(3, Op::BarrierLeave, B), "one of the first round has left neither");
        assert_eq!(bench.run(1, Op::BarrierLeave, B), 0);
        assert!(!bench.enabled(3, Op::BarrierLeave, B));
        assert_eq!(bench.run(1, Op::BarrierArrive, B), Barrier::SERIAL_THREAD);
        assert_eq!(bench.run(3, Op::BarrierLeave, B), 0);
    }

    #[test]
    fn it_can_be_destroyed_once_it_is_open() {
        let mut bench = with_barrier(2);
        arrive(&mut bench, 1);
        assert_eq!(bench.step(2, Op::BarrierDestroy, B), Outcome::misuse(Misuse::BarrierDestroyBusy, EBUSY));
        bench.run(2, Op::BarrierArrive, B);
        assert_eq!(bench.run(2, Op::BarrierDestroy, B), 0);
        assert_eq!(bench.run(1, Op::BarrierLeave, B), 0);
        assert_eq!(bench.step(1, Op::BarrierArrive, B), Outcome::misuse(Misuse::UseDestroyed, EINVAL));
    }

    #[test]
    fn a_barrier_for_nobody_is_an_error_and_one_for_one_is_open() {
        let mut bench = with_barrier(1);
        assert_eq!(bench.run(1, Op::BarrierArrive, B), Barrier::SERIAL_THREAD);
        assert_eq!(bench.run(0, Op::BarrierInit, B + 64), EINVAL);
        assert_eq!(bench.step(0, Op::BarrierArrive, B + 64).misuse, Some(Misuse::Uninitialised));
    }

    #[test]
    fn initialising_it_while_threads_wait_is_a_misuse() {
        let mut bench = with_barrier(2);
        arrive(&mut bench, 1);
        let init = Action { count: 2, ..Bench::action(0, Op::BarrierInit, B) };
        assert_eq!(bench.model.perform(&init, Choice::Proceed).misuse, Some(Misuse::InitInUse));
    }

    #[test]
    fn arriving_is_no_cancellation_point_and_does_not_become_one() {
        let mut bench = with_barrier(2);
        let outcome = bench.step(1, Op::BarrierArrive, B);
        assert_eq!(outcome.next.map(|next| next.flags), Some(0));
    }
}
