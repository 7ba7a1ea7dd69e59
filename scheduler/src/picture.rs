//! What a picture of an execution shows beside its steps: who acted on whom, who held what, and which stores nobody
//! else saw yet, when.

use rscale_protocol::arena::Step;
use rscale_protocol::{AccessKind, Action, Choice, Family, Op, ThreadId, Variable};
use std::collections::HashMap;

/// One step acts on a later one of another thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Arrow {
    /// The earlier step, by its index.
    pub from: usize,
    /// The later one.
    pub to: usize,
    /// Whether it made the other one possible: a creation, a signal, a post, an end that was waited for.
    pub is_wake_up: bool,
}

/// A thread holds a lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hold {
    /// Who.
    pub thread: ThreadId,
    /// Which lock.
    pub lock: Variable,
    /// The step that took it, by its index.
    pub from: usize,
    /// The step that gave it back; None if the execution ended before.
    pub to: Option<usize>,
}

/// A store lies in the buffer of its thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Buffered {
    /// Who made it.
    pub thread: ThreadId,
    /// The step behind which it was made, by its index.
    pub from: usize,
    /// The step by which it became visible; None if the execution ended before.
    pub to: Option<usize>,
}

/// Between each step and the last one of another thread that it depends on directly.
#[must_use]
pub fn arrows(steps: &[Step]) -> Vec<Arrow> {
    let mut last: HashMap<Variable, Vec<(usize, AccessKind)>> = HashMap::new();
    let mut arrows = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        for access in step.action.accesses().filter(|access| !is_general(access.variable)) {
            let earlier = last.entry(access.variable).or_default();
            let conflicts = |kind: AccessKind| kind == AccessKind::Write || access.kind == AccessKind::Write;
            let found = earlier.iter().rev().find(|(_, kind)| conflicts(*kind)).map(|&(from, _)| from);
            if let Some(from) = found.filter(|&from| steps[from].action.thread != step.action.thread) {
                arrows.push(Arrow { from, to: index, is_wake_up: wakes(&steps[from], step) });
            }
            if access.kind == AccessKind::Write {
                earlier.clear();
            }
            earlier.push((index, access.kind));
        }
    }
    arrows.sort_unstable();
    arrows.dedup();
    arrows
}

/// Memory as a whole orders things that have nothing to do with each other.
fn is_general(variable: Variable) -> bool {
    variable == Variable::MEMORY || variable == Variable::OBSERVED
}

fn wakes(from: &Step, to: &Step) -> bool {
    match from.action.op {
        Op::ThreadCreate | Op::ThreadExit | Op::SemPost | Op::FutexWake | Op::FutexRequeue | Op::BarrierArrive => true,
        Op::CondSignal | Op::CondBroadcast => matches!(to.action.op, Op::CondWake | Op::CondRetake),
        _ => false,
    }
}

/// Every time that a thread held a lock.
#[must_use]
pub fn holds(steps: &[Step]) -> Vec<Hold> {
    let mut holds: Vec<Hold> = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        let (thread, action) = (step.action.thread, &step.action);
        if let Some(lock) = given_back(step) {
            let open = |hold: &&mut Hold| (hold.thread, hold.lock, hold.to) == (thread, lock, None);
            if let Some(hold) = holds.iter_mut().rev().find(open) {
                hold.to = Some(index);
            }
        }
        if takes(step) {
            holds.push(Hold { thread, lock: action.object, from: index, to: None });
        }
    }
    holds
}

/// Every store that was in a buffer for a while; those that are left there at the end are given by what they would do
/// next.
#[must_use]
pub fn buffered(steps: &[Step], left: &[Action]) -> Vec<Buffered> {
    let flushed = steps.iter().enumerate().map(|(index, step)| (&step.action, Some(index)));
    let stores = flushed.chain(left.iter().map(|action| (action, None)));
    let buffered = |(action, to): (&Action, Option<usize>)| {
        let (thread, _) = action.second.as_store().filter(|_| action.op == Op::Flush)?;
        let from = (action.origin()?.steps as usize).saturating_sub(1);
        Some(Buffered { thread, from, to })
    };
    stores.filter_map(buffered).collect()
}

fn takes(step: &Step) -> bool {
    let is_lock = matches!(step.action.op.family(), Family::Mutex | Family::Spin | Family::RwLock);
    let is_taking = step.action.op.may_wait() || step.action.op.is_attempt();
    let is_done = step.choice == Choice::Proceed && step.result == 0;
    is_done && ((is_lock && is_taking) || step.action.op == Op::CondRetake)
}

fn given_back(step: &Step) -> Option<Variable> {
    match step.action.op {
        Op::MutexUnlock | Op::MutexAbandon | Op::SpinUnlock | Op::RwUnlock => Some(step.action.object),
        Op::CondWait => Some(step.action.second),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rscale_protocol::ThreadSet;
    use rscale_protocol::action::Origin;

    const LOCK: Variable = Variable(64);
    const CONDITION: Variable = Variable(128);

    fn step(thread: u16, op: Op, object: Variable) -> Step {
        let action = Action { second: LOCK, ..Action::new(ThreadId(thread), op, object) };
        Step { action, choice: Choice::Proceed, result: 0, enabled: [ThreadSet::EMPTY; 3] }
    }

    fn arrow(from: usize, to: usize, is_wake_up: bool) -> Arrow {
        Arrow { from, to, is_wake_up }
    }

    #[test]
    fn arrows_come_from_the_last_one_that_matters() {
        let counter = Variable(256);
        let reads = [step(1, Op::Read, counter), step(2, Op::Read, counter), step(1, Op::Write, counter)];
        assert_eq!(arrows(&reads), [arrow(1, 2, false)], "reads do not act on each other");
        let thread = Variable::thread(ThreadId(1));
        let life = [
            step(0, Op::ThreadCreate, thread),
            step(1, Op::ThreadStart, thread),
            step(1, Op::ThreadExit, thread),
            step(0, Op::ThreadJoin, thread),
        ];
        assert_eq!(arrows(&life), [arrow(0, 1, true), arrow(2, 3, true)]);
        let handed = [step(1, Op::MutexLock, LOCK), step(1, Op::MutexUnlock, LOCK), step(2, Op::MutexLock, LOCK)];
        assert_eq!(arrows(&handed), [arrow(1, 2, false)]);
    }

    #[test]
    fn a_wait_gives_its_lock_back_and_takes_it_again() {
        let steps = [
            step(1, Op::MutexLock, LOCK),
            step(1, Op::CondWait, CONDITION),
            step(2, Op::CondSignal, CONDITION),
            step(1, Op::CondWake, CONDITION),
            step(1, Op::CondRetake, LOCK),
        ];
        let hold = |from, to| Hold { thread: ThreadId(1), lock: LOCK, from, to };
        assert_eq!(holds(&steps), [hold(0, Some(1)), hold(4, None)]);
        assert!(arrows(&steps).contains(&arrow(2, 3, true)), "a signal wakes");
    }

    #[test]
    fn stores_lie_in_a_buffer_until_they_are_flushed() {
        let flush = |steps| {
            let action =
                Action::new(ThreadId(65), Op::Flush, Variable(64)).of_store(Origin { steps, ..Origin::default() });
            Action { second: Variable::store(ThreadId(1), 0), ..action }
        };
        let read = step(1, Op::Read, Variable(256));
        let flushed = Step { action: flush(1), ..read };
        let found = buffered(&[read, read, flushed], &[flush(2), read.action]);
        let store = |from, to| Buffered { thread: ThreadId(1), from, to };
        assert_eq!(found, [store(0, Some(2)), store(1, None)]);
    }

    #[test]
    fn an_attempt_in_vain_holds_nothing() {
        let failed = Step { result: 16, ..step(1, Op::MutexTryLock, LOCK) };
        assert_eq!(holds(&[failed]), []);
    }
}
