//! The least number of preemptions that each trace needs, over all its interleavings.
//!
//! A preemption is a step of one thread where the one that took the step before could take another. rscale's threads
//! have two steps that there are none of here: they start and they end. That makes no difference to the least number: a
//! thread can start directly before its first step, without another switch, and end directly behind its last one, so
//! that it can go on no more just where it can not go on here. rscale may do with fewer, where a thread has not ended
//! yet and so another one blocks that waits for it; it never needs more.

use super::enumerate::Enumeration;
use super::machine::Machine;
use super::past::{Events, Past};
use super::program::Program;
use std::collections::{HashMap, HashSet, VecDeque};

/// An interleaving so far.
struct Prefix {
    machine: Machine,
    past: Past,
    running: Option<usize>,
    preemptions: usize,
}

/// What can happen with at most 0, 1, ... preemptions, up to the bound.
///
/// Prefixes are gone on from in the order of their preemptions, so each trace is first ended with the least number.
#[must_use]
pub fn enumerate_within(program: &Program, bound: usize) -> Vec<Enumeration> {
    let mut within = vec![Enumeration::default(); bound + 1];
    let machine = Machine::initial(program);
    let past = Past::new(machine.thread_count());
    let (mut events, mut known, mut ended) = (Events::default(), HashMap::new(), HashSet::new());
    let mut left = VecDeque::from([Prefix { machine, past, running: None, preemptions: 0 }]);
    while let Some(prefix) = left.pop_front() {
        let key = (prefix.past.canonical().to_vec(), prefix.running);
        if known.get(&key).is_some_and(|&least| least <= prefix.preemptions) {
            continue;
        }
        known.insert(key, prefix.preemptions);
        let steps = prefix.machine.steps(program);
        if steps.is_empty() && ended.insert(prefix.past.canonical().to_vec()) {
            within[prefix.preemptions..].iter_mut().for_each(|enumeration| enumeration.end(&prefix.machine));
        }
        let can_go_on = |thread| steps.iter().any(|step| step.thread == thread);
        for &step in &steps {
            let is_preempted = prefix.running.is_some_and(|running| running != step.thread && can_go_on(running));
            let preemptions = prefix.preemptions + usize::from(is_preempted);
            if preemptions > bound {
                continue;
            }
            let (mut machine, mut past) = (prefix.machine.clone(), prefix.past.clone());
            let effect = machine.take(program, step);
            past.extend(&mut events, step.thread, effect);
            let next = Prefix { machine, past, running: Some(step.thread), preemptions };
            if is_preempted { left.push_back(next) } else { left.push_front(next) }
        }
    }
    within
}

#[cfg(test)]
mod tests {
    use super::super::program::Op;
    use super::*;

    fn traces(workers: Vec<Vec<Op>>) -> Vec<u64> {
        enumerate_within(&Program::of_workers(workers), 3).iter().map(|within| within.traces).collect()
    }

    /// The program of the paper's figure 4.1: every order of whole threads is free, and there are no other traces.
    #[test]
    fn a_writer_and_two_readers_need_none() {
        let read = vec![Op::Load { register: 0, variable: 1 }, Op::Load { register: 0, variable: 0 }];
        assert_eq!(traces(vec![vec![Op::Store { variable: 0, value: 1 }], read.clone(), read]), [4, 4, 4, 4]);
    }

    /// Two increments, one inside the other: the outer one is stopped between its load and its store.
    #[test]
    fn what_is_torn_needs_one() {
        let increase = vec![Op::Increase { variable: 0, by: 1 }];
        assert_eq!(traces(vec![increase.clone(), increase]), [2, 4, 4, 4]);
    }

    /// A thread that blocks is not preempted: the section of the other one is entered at its lock, for nothing.
    #[test]
    fn a_thread_that_blocks_is_not_preempted() {
        let locked = vec![Op::Lock(0), Op::Load { register: 0, variable: 0 }, Op::Unlock(0)];
        assert_eq!(traces(vec![locked.clone(), locked]), [2, 2, 2, 2]);
    }

    #[test]
    fn with_enough_preemptions_it_is_everything() {
        let alternating = vec![Op::Increase { variable: 0, by: 1 }; 2];
        let bounded = enumerate_within(&Program::of_workers(vec![alternating.clone(), alternating]), 8);
        let counts: Vec<u64> = bounded.iter().map(|within| within.traces).collect();
        assert!(counts.is_sorted() && counts[0] == 2 && counts[8] == 34, "{counts:?}");
    }
}
