//! Enumerating all schedules.

use super::machine::Machine;
use super::program::Program;
use std::collections::{BTreeSet, HashMap};

/// All schedules of a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Enumeration {
    /// How many there are.
    pub paths: u64,
    /// How many of them end in a deadlock.
    pub deadlocks: u64,
    /// What the others print, all texts in one.
    pub total: BTreeSet<String>,
    /// What they print, thread by thread.
    pub joined: BTreeSet<String>,
}

/// The number of schedules, quickly: states that are equal are counted once. Very large numbers are cut.
#[must_use]
pub fn count_paths(program: &Program) -> u64 {
    count_from(&Machine::initial(program, false), program, &mut HashMap::new())
}

fn count_from(machine: &Machine, program: &Program, known: &mut HashMap<Machine, u64>) -> u64 {
    if let Some(&count) = known.get(machine) {
        return count;
    }
    let enabled = machine.enabled(program);
    let after = |thread: usize| {
        let mut next = machine.clone();
        next.step(program, thread);
        next
    };
    let count = match enabled.as_slice() {
        [] => 1,
        threads => {
            threads.iter().fold(0u64, |sum, &thread| sum.saturating_add(count_from(&after(thread), program, known)))
        }
    };
    known.insert(machine.clone(), count);
    count
}

/// Every schedule, one by one.
#[must_use]
pub fn enumerate(program: &Program) -> Enumeration {
    let mut enumeration = Enumeration::default();
    visit(&Machine::initial(program, true), program, &mut enumeration);
    enumeration
}

fn visit(machine: &Machine, program: &Program, enumeration: &mut Enumeration) {
    let enabled = machine.enabled(program);
    for &thread in &enabled {
        let mut next = machine.clone();
        next.step(program, thread);
        visit(&next, program, enumeration);
    }
    if enabled.is_empty() {
        enumeration.end(machine);
    }
}

impl Enumeration {
    /// A schedule ends here.
    pub(super) fn end(&mut self, machine: &Machine) {
        self.paths += 1;
        match &machine.outcome {
            Some(outcome) if machine.over => {
                self.total.insert(outcome.total.clone());
                self.joined.insert(outcome.joined.clone());
            }
            _ => self.deadlocks += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::machine::Stage;
    use super::super::program::Op;
    use super::*;

    fn with_two(first: &[Op], second: &[Op]) -> Program {
        let main = vec![Op::Create(1), Op::Create(2), Op::Join(1), Op::Join(2)];
        let values = vec![('s', 0), ('t', 1), ('x', 2)];
        Program { values, threads: vec![main, first.to_vec(), second.to_vec()] }
    }

    /// Sequences of m and n steps can be mixed in (m+n)!/(m!n!) ways.
    #[test]
    fn independent_threads_interleave_freely() {
        let alone = Program { values: Vec::new(), threads: vec![vec![Op::Create(1), Op::Join(1)], vec![]] };
        assert_eq!(count_paths(&alone), 1, "create, start, end, join");
        let beside =
            Program { threads: vec![vec![Op::Create(1), Op::Lock('a'), Op::Join(1)], vec![]], ..alone.clone() };
        assert_eq!(count_paths(&beside), 3, "the lock of main among start and end");
        let left = Program { threads: vec![vec![Op::Create(1)], vec![]], ..alone };
        assert_eq!(count_paths(&left), 3, "the end of the process among start and end");
    }

    #[test]
    fn opposite_orders_of_locks_deadlock() {
        let [a, b] = ['a', 'b'];
        let forth = [Op::Lock(a), Op::Lock(b), Op::Unlock(b), Op::Unlock(a)];
        let back = [Op::Lock(b), Op::Lock(a), Op::Unlock(a), Op::Unlock(b)];
        let crossed = enumerate(&with_two(&forth, &back));
        let ordered = enumerate(&with_two(&forth, &forth));
        assert!(crossed.deadlocks > 0 && ordered.deadlocks == 0);
        assert_eq!(crossed.joined, ordered.joined, "each takes its locks first or second");
        assert_eq!(crossed.joined, ["|00|11", "|11|00"].map(str::to_owned).into());
    }

    #[test]
    fn a_signal_that_comes_too_early_is_lost() {
        let waiter = [Op::Lock('a'), Op::CondWait('c'), Op::Unlock('a')];
        let signaller = [Op::Lock('a'), Op::Signal('c'), Op::Unlock('a')];
        let lost = enumerate(&with_two(&waiter, &signaller));
        assert!(lost.deadlocks > 0);
        assert_eq!(lost.joined, BTreeSet::from(["|02|1".to_owned()]));
    }

    /// Whoever is woken by the first signal, the second one is for the other; only who gets the mutex first is left
    /// open.
    #[test]
    fn a_signal_wakes_any_of_those_that_are_asleep() {
        let [lock, sleep, unlock, signal] = [Op::Lock('a'), Op::CondWait('c'), Op::Unlock('a'), Op::Signal('c')];
        let mut machine = Machine::new(&with_two(&[lock, sleep, unlock], &[lock, sleep, unlock]), false);
        let program = Program { values: Vec::new(), threads: vec![vec![signal, signal, lock, unlock], vec![], vec![]] };
        for thread in [1, 2] {
            machine.threads[thread].stage = Stage::Asleep('c');
        }
        machine.step(&program, 0);
        assert_eq!(machine.enabled(&program), [1, 2], "one of them is next, whatever main could do");
        for woken in [1, 2] {
            let mut chosen = machine.clone();
            chosen.step(&program, woken);
            assert_eq!(chosen.enabled(&program), [0, woken]);
            chosen.step(&program, 0);
            assert_eq!(chosen.enabled(&program), [0, 1, 2], "nothing is left to be chosen");
        }
    }

    #[test]
    fn a_barrier_opens_for_the_last_one() {
        let both = enumerate(&with_two(&[Op::Barrier('x')], &[Op::Barrier('x')]));
        assert_eq!(both.deadlocks, 0);
        assert_eq!(both.joined, ["|.|!", "|!|."].map(str::to_owned).into());
    }

    #[test]
    fn trying_always_returns() {
        let tries = enumerate(&with_two(&[Op::SemTryWait('t')], &[Op::SemTryWait('t'), Op::SemPost('t')]));
        assert_eq!(tries.deadlocks, 0);
        assert_eq!(tries.joined, ["|+|-", "|-|+", "|+|+"].map(str::to_owned).into());
    }

    #[test]
    fn both_ways_of_counting_agree() {
        let mut random = super::super::Random::new(99);
        for _ in 0..200 {
            let program = super::super::generate(&mut random);
            let count = count_paths(&program);
            if count <= 500 {
                assert_eq!(enumerate(&program).paths, count, "{program}");
            }
        }
    }
}
