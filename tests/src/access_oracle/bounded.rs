//! Enumerating the interleavings with few preemptions, from the definition.

use super::buffers::Memory;
use super::enumerate::Enumeration;
use super::machine::{Copying, Machine, Step};
use super::program::Program;
use std::collections::HashSet;

/// A way through the program, as far as it matters for how it goes on.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Way {
    machine: Machine,
    running: Option<usize>,
    left: usize,
}

/// What can happen with so many preemptions at most: steps of another thread although the one that ran could have gone on.
/// That a store gets to memory is nobody's turn. So a thread that waits for nothing but its own stores can go on, its end included.
/// One that has to wait for a store of another thread lets others run, whenever these begin.
#[must_use]
pub fn enumerate_within(program: &Program, memory: Memory, bound: usize) -> Enumeration {
    let mut enumeration = Enumeration::default();
    let initial = Way { machine: Machine::initial(program, memory), running: None, left: bound };
    let mut known = HashSet::from([initial.clone()]);
    let mut left = vec![initial];
    while let Some(way) = left.pop() {
        let steps = way.machine.steps(program, Copying::Words);
        if steps.is_empty() {
            enumeration.end(program, &way.machine);
        }
        for next in steps.iter().filter_map(|&step| way.after(program, step, &steps)) {
            if known.insert(next.clone()) {
                left.push(next);
            }
        }
    }
    Enumeration { states: known.len(), ..enumeration }
}

impl Way {
    /// Behind a step, if it is within the bound.
    fn after(&self, program: &Program, step: Step, steps: &[Step]) -> Option<Way> {
        let mut next = self.clone();
        let goes_on = |running: usize| {
            let proceeds = steps.iter().any(|other| other.thread == running && !other.flushes);
            proceeds || self.machine.waits_for_own_stores(program, running, Copying::Words)
        };
        if step.flushes {
            next.running = self.running.filter(|&running| goes_on(running));
        } else {
            let is_preemption = self.running.is_some_and(|running| running != step.thread && goes_on(running));
            next.left = self.left.checked_sub(usize::from(is_preemption))?;
            next.running = Some(step.thread);
        }
        next.machine.take(program, step, Copying::Words);
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::super::buffers::Model;
    use super::super::program::{Kind, Op};
    use super::super::{enumerate, generate_weak};
    use super::*;
    use crate::oracle::Random;

    /// Store buffering: both threads are created, and each one runs to its end.
    fn store_buffering() -> Program {
        let half = |mine, other| vec![Op::access(Kind::Write, 8, mine, 1), Op::access(Kind::Read, 8, other, 0)];
        let main = [(Kind::Create, 1), (Kind::Create, 2), (Kind::Join, 1), (Kind::Join, 2)];
        let main = main.map(|(kind, thread)| Op::plain(kind, thread)).to_vec();
        Program { threads: vec![main, half(0, 8), half(8, 0)] }
    }

    /// Without preemptions each thread runs to its end, for which its stores have to be in memory.
    #[test]
    fn a_delayed_store_shows_where_its_thread_is_preempted() {
        let outcomes = |model, bound| enumerate_within(&store_buffering(), Memory::of(model), bound).outcomes.len();
        assert_eq!((outcomes(Model::Sc, 0), outcomes(Model::Sc, 1)), (2, 3));
        assert_eq!((outcomes(Model::Tso, 0), outcomes(Model::Tso, 1)), (2, 4));
    }

    #[test]
    fn a_large_bound_cuts_nothing() {
        let mut random = Random::new(5);
        for _ in 0..30 {
            let program = generate_weak(&mut random);
            let memory = Memory::of(Model::Tso);
            if let Some(all) = enumerate(&program, memory, Copying::Words, 500) {
                let within = enumerate_within(&program, memory, 1000);
                assert_eq!((within.outcomes, within.has_deadlock), (all.outcomes, all.has_deadlock), "{program}");
            }
        }
    }
}
