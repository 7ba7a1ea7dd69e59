//! Enumerating the schedules within a bound, from its definition.

use super::enumerate::Enumeration;
use super::machine::Machine;
use super::program::Program;

/// What a schedule is charged for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cost {
    /// Steps of another thread although the one that ran could have gone on.
    Preemptions,
    /// Threads that are passed over: the one that runs comes first, then the others by number.
    Delays,
}

/// A way through the program, as far as it has come.
#[derive(Clone)]
struct Way {
    machine: Machine,
    running: Option<usize>,
    left: usize,
}

/// Every schedule that costs so much at most.
#[must_use]
pub fn enumerate_within(program: &Program, cost: Cost, bound: usize) -> Enumeration {
    let mut enumeration = Enumeration::default();
    let way = Way { machine: Machine::initial(program, true), running: None, left: bound };
    visit(&way, program, cost, &mut enumeration);
    enumeration
}

fn visit(way: &Way, program: &Program, cost: Cost, enumeration: &mut Enumeration) {
    let enabled = way.machine.enabled(program);
    for &thread in &enabled {
        let Some(left) = way.left.checked_sub(cost.of(&enabled, way.running, thread)) else { continue };
        let mut next = Way { left, ..way.clone() };
        // Who is woken is decided by a step of the waiter, but the thread that sent the signal goes on.
        next.running = if way.machine.undecided.is_some() { way.running } else { Some(thread) };
        next.machine.step(program, thread);
        visit(&next, program, cost, enumeration);
    }
    if enabled.is_empty() {
        enumeration.end(&way.machine);
    }
}

impl Cost {
    /// What it costs that a thread takes a step while these could, and this one of them ran.
    #[must_use]
    pub fn of(self, able: &[usize], running: Option<usize>, thread: usize) -> usize {
        let goes_on = running.filter(|running| able.contains(running));
        match (self, goes_on) {
            (_, Some(running)) if running == thread => 0,
            (Cost::Preemptions, Some(_)) => 1,
            (Cost::Preemptions, None) => 0,
            (Cost::Delays, _) => {
                let lower = able.iter().filter(|&&other| other < thread).count();
                lower + usize::from(goes_on.is_some_and(|running| running > thread))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::program::Op;
    use super::super::{Random, count_paths, generate};
    use super::*;

    fn crossed() -> Program {
        let main = vec![Op::Create(1), Op::Create(2), Op::Join(1), Op::Join(2)];
        let [forth, back] = [['a', 'b'], ['b', 'a']]
            .map(|[first, second]| vec![Op::Lock(first), Op::Lock(second), Op::Unlock(second), Op::Unlock(first)]);
        Program { values: Vec::new(), threads: vec![main, forth, back] }
    }

    #[test]
    fn a_deadlock_of_two_needs_one_preemption() {
        let deadlocks = |bound| enumerate_within(&crossed(), Cost::Preemptions, bound).deadlocks;
        assert_eq!(deadlocks(0), 0);
        assert!(deadlocks(1) > 0);
        assert_eq!(enumerate_within(&crossed(), Cost::Delays, 0).paths, 1, "the fixed schedule");
        assert!(enumerate_within(&crossed(), Cost::Delays, 1).deadlocks > 0);
    }

    #[test]
    fn a_large_bound_cuts_nothing() {
        let mut random = Random::new(3);
        for _ in 0..100 {
            let program = generate(&mut random);
            let all = count_paths(&program);
            if all <= 300 {
                for cost in [Cost::Preemptions, Cost::Delays] {
                    assert_eq!(enumerate_within(&program, cost, 1000).paths, all, "{program}");
                }
            }
        }
    }
}
