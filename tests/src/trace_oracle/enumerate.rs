//! Enumerating all interleavings, and counting those that differ.

use super::machine::Machine;
use super::past::{Events, Past};
use super::program::Program;
use std::collections::{BTreeSet, HashMap, HashSet};

/// How a program can go.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Enumeration {
    /// Traces of complete executions, those that end in a deadlock among them.
    pub traces: u64,
    /// Traces that end in a deadlock.
    pub deadlocks: u64,
    /// What the others print.
    pub outcomes: BTreeSet<String>,
}

/// What is too large to enumerate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Traces of complete executions.
    pub traces: u64,
    /// Traces of all their beginnings, which is what enumerating costs.
    pub beginnings: usize,
}

/// Every trace; None if there are too many.
///
/// The same beginning is gone on from once: what has happened determines the state, whatever the interleaving was.
#[must_use]
pub fn enumerate(program: &Program, limits: Limits) -> Option<Enumeration> {
    let mut enumeration = Enumeration::default();
    let initial = Machine::initial(program);
    let past = Past::new(initial.thread_count());
    let (mut events, mut known) = (Events::default(), HashSet::new());
    let mut left = vec![(initial, past)];
    while let Some((machine, past)) = left.pop() {
        let steps = machine.steps(program);
        if steps.is_empty() {
            enumeration.end(&machine);
        }
        for step in steps {
            let (mut next, mut past) = (machine.clone(), past.clone());
            let effect = next.take(program, step);
            past.extend(&mut events, step.thread, effect);
            if known.insert(past.canonical().to_vec()) {
                left.push((next, past));
            }
        }
        if known.len() > limits.beginnings || enumeration.traces > limits.traces {
            return None;
        }
    }
    Some(enumeration)
}

/// How many interleavings there are. Very large numbers are cut.
#[must_use]
pub fn count_paths(program: &Program) -> u64 {
    count_from(&Machine::initial(program), program, &mut HashMap::new())
}

fn count_from(machine: &Machine, program: &Program, known: &mut HashMap<Machine, u64>) -> u64 {
    if let Some(&count) = known.get(machine) {
        return count;
    }
    let steps = machine.steps(program);
    let mut count = u64::from(steps.is_empty());
    for step in steps {
        let mut next = machine.clone();
        next.take(program, step);
        count = count_from(&next, program, known).saturating_add(count);
    }
    known.insert(machine.clone(), count);
    count
}

impl Enumeration {
    /// Adds a trace that ends in this state.
    pub(super) fn end(&mut self, machine: &Machine) {
        self.traces += 1;
        match machine.outcome() {
            Some(outcome) => {
                self.outcomes.insert(outcome);
            }
            None => self.deadlocks += 1,
        }
    }
}
