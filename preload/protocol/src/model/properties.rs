//! Properties of the whole model, under random actions.

use super::testing::Bench;
use super::{Model, ObjectState, Outcome, Semaphore};
use crate::action::{Action, Choice, Extent};
use crate::ops::{Family, Op};
use crate::thread_set::{ThreadId, ThreadSet};
use crate::variable::Variable;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// One address for each kind of object, two mutexes, and what is no address at all.
fn any_variable() -> impl Strategy<Value = Variable> {
    prop_oneof![
        4 => (1u64..10).prop_map(|object| Variable(object * 64)),
        1 => (0u16..12).prop_map(|thread| Variable::thread(ThreadId(thread))),
        1 => (0u32..3).prop_map(Variable::descriptor),
        1 => prop_oneof![Just(0), Just(u64::MAX >> 1), any::<u64>().prop_map(|n| n >> 2)].prop_map(Variable),
    ]
}

fn any_action() -> impl Strategy<Value = (Action, Choice)> {
    let count = prop_oneof![0u32..4, Just(i32::MAX as u32), Just(u32::MAX), any::<u32>()];
    let deadline = prop_oneof![Just(Action::NEVER), 0u64..100, any::<u64>()];
    let op = prop::sample::select(Op::ALL);
    let choice = (0u8..3).prop_map(|code| Choice::from_code(code).unwrap_or_default());
    let thread = (0u16..8).prop_map(ThreadId);
    (op, any::<u8>(), thread, count, any_variable(), any_variable(), deadline, choice).prop_map(
        |(op, flags, thread, count, object, second, deadline, choice)| {
            (Action { op, flags, thread, count, object, second, deadline, pc: 0, extent: Extent::ALL }, choice)
        },
    )
}

fn assert_locks_exclude_each_other(model: &Model) {
    for object in model.objects.iter() {
        match object.state {
            ObjectState::RwLock(lock) => {
                assert!(lock.writer().is_none() || lock.readers().is_empty(), "{lock:?}");
            }
            ObjectState::Semaphore(semaphore) => assert!(semaphore.value() <= Semaphore::MAX),
            ObjectState::Mutex(mutex) => assert_eq!(mutex.owner().is_some(), mutex.depth > 0, "{mutex:?}"),
            _ => {}
        }
    }
}

/// Threads that do one thing after another, as programs do: an operation that has begun goes on before another begins.
struct Program {
    bench: Bench,
    pending: BTreeMap<ThreadId, Action>,
    /// Who holds which mutex, to judge by what the operations returned.
    holders: BTreeMap<Variable, ThreadId>,
}

const MUTEXES: [u64; 2] = [64, 128];
const CONDITION: u64 = 192;

impl Program {
    fn new() -> Program {
        let mut bench = Bench::with_threads(8);
        for mutex in MUTEXES {
            bench.run(0, Op::MutexInit, mutex);
        }
        for (op, object, count) in
            [(Op::RwInit, 256, 0), (Op::SpinInit, 320, 0), (Op::BarrierInit, 384, 2), (Op::SemInit, 448, 1)]
        {
            bench.model.perform(&Action { count, ..Bench::action(0, op, object) }, Choice::Proceed);
        }
        Program { bench, pending: BTreeMap::new(), holders: BTreeMap::new() }
    }

    /// The action on the object of its family, with the rest as it is.
    fn adapted(mut action: Action) -> Option<Action> {
        use Op::{BarrierLeave, CondRetake, CondWake, FutexResume, OnceLeave, ProcessExit};
        let address = match action.op.family() {
            Family::Mutex => MUTEXES[action.count as usize % 2],
            Family::Condition => CONDITION,
            Family::RwLock => 256,
            Family::Spin => 320,
            Family::Barrier => 384,
            Family::Semaphore => 448,
            Family::Once => 512,
            Family::Futex => 576,
            Family::Memory => 704,
            Family::Thread | Family::Descriptor | Family::Process => return None,
        };
        let only_later =
            matches!(action.op, BarrierLeave | CondWake | CondRetake | FutexResume | OnceLeave | ProcessExit);
        let changes_life = action.op.name().ends_with("init") || action.op.name().ends_with("destroy");
        if only_later || changes_life {
            return None;
        }
        action.object = Variable(address);
        action.second = Variable(if action.op == Op::FutexRequeue { 640 } else { MUTEXES[0] });
        action.flags &= Action::CANCELLATION_POINT | Action::INVALID_DEADLINE | Action::STALE;
        Some(action)
    }

    fn step(&mut self, wanted: Action, choice: Choice) {
        let Some(action) = self.pending.get(&wanted.thread).copied().or_else(|| Program::adapted(wanted)) else {
            return;
        };
        if !self.pending.contains_key(&wanted.thread) {
            self.bench.model.announce(&action);
        }
        self.pending.insert(action.thread, action);
        let is_its_turn = self.bench.model.candidates().is_none_or(|threads| threads.contains(action.thread));
        if is_its_turn && self.bench.model.choices(&action).allows(choice) {
            let outcome = self.bench.model.perform(&action, choice);
            self.follow(&action, outcome);
        }
    }

    fn follow(&mut self, action: &Action, outcome: Outcome) {
        self.pending.remove(&action.thread);
        if let Some(next) = outcome.next {
            self.pending.insert(action.thread, next);
        }
        let held = match action.op {
            Op::MutexLock | Op::MutexTryLock if outcome.result == 0 => Some(action.object),
            Op::CondRetake => Some(action.object),
            _ => None,
        };
        if let Some(mutex) = held {
            assert_eq!(self.holders.insert(mutex, action.thread), None, "{action:?}");
        }
        match action.op {
            Op::MutexUnlock if outcome.misuse.is_none() => drop(self.holders.remove(&action.object)),
            Op::CondWait if outcome.next.is_some() => drop(self.holders.remove(&action.second)),
            _ => {}
        }
        for pending in self.pending.values_mut() {
            let current = self.bench.model.current(pending);
            assert!(current == *pending || action.op.redirects_waiters(), "{action:?} changed {pending:?}");
            *pending = current;
        }
    }

    /// A thread waits on the condition variable exactly while it is about to wake up; and a signal has someone to wake.
    fn assert_waiters_match(&self) {
        let model = &self.bench.model;
        let about_to_wake =
            self.pending.values().filter(|action| action.op == Op::CondWake).map(|action| action.thread);
        let waiting: ThreadSet = model.threads.waiting_on(Variable(CONDITION)).map(|(thread, _)| thread).collect();
        assert_eq!(waiting, about_to_wake.collect());
        assert!(model.candidates().is_none_or(|threads| threads == waiting && threads.len() > 1));
    }
}

proptest! {
    #[test]
    fn no_action_whatever_makes_the_model_panic(actions in prop::collection::vec(any_action(), 1..150)) {
        let mut model = Box::new(Model::new());
        for (action, choice) in actions {
            let _ = model.choices(&action);
            model.announce(&action);
            let outcome = model.perform(&action, choice);
            prop_assert!(outcome.next.is_none_or(|next| next.thread == action.thread));
            let _ = model.holder(action.object.0);
        }
    }

    /// Whatever threads are about to do: a step that is said not to disturb an action leaves its choices alone.
    #[test]
    fn a_step_changes_the_choices_of_those_only_that_it_disturbs(actions in prop::collection::vec(any_action(), 1..150)) {
        let mut model = Box::new(Model::new());
        let mut pending = BTreeMap::new();
        for (action, choice) in actions {
            let before: Vec<_> = pending.values().map(|other| (*other, model.choices(other))).collect();
            let others = || before.iter().filter(|(other, _)| other.thread != action.thread);
            model.announce(&action);
            for (other, choices) in others().filter(|(other, _)| !model.disturbs(&action, other)) {
                prop_assert_eq!(model.choices(other), *choices, "{:?} announced, {:?}", action, other);
            }
            let is_possible = model.choices(&action).allows(choice);
            pending.insert(action.thread, action);
            if !is_possible {
                continue;
            }
            let before: Vec<_> = others().map(|(other, _)| (*other, model.choices(other))).collect();
            let outcome = model.perform(&action, choice);
            for (other, choices) in before.iter().filter(|(other, _)| !model.disturbs(&action, other)) {
                prop_assert_eq!(model.choices(other), *choices, "{:?} done, {:?}", action, other);
            }
            pending.remove(&action.thread);
            pending.extend(outcome.next.map(|next| (next.thread, next)));
        }
    }

    #[test]
    fn what_is_exclusive_stays_exclusive(actions in prop::collection::vec(any_action(), 1..300)) {
        let mut program = Program::new();
        for (action, choice) in actions {
            program.step(action, choice);
            assert_locks_exclude_each_other(&program.bench.model);
            program.assert_waiters_match();
            for (&mutex, &holder) in &program.holders {
                prop_assert_eq!(program.bench.model.holder(mutex.0), Some(holder));
            }
        }
    }
}
