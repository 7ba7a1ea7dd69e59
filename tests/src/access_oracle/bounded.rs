//! Enumerating the interleavings that cost little, from the definition.

use super::buffers::Memory;
use super::enumerate::Enumeration;
use super::machine::{Copying, Machine, Stage, Step};
use super::program::Program;
use crate::oracle::Cost;
use std::collections::HashSet;

/// Whether to wait for the own stores is a step. It is one if they are of variables that threads share; a search that
/// has not seen that they are does without.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Waiting {
    /// Each time that a thread has stored something since it last waited.
    IsAStep,
    /// A thread that waits goes on when its stores are in memory.
    IsNone,
}

/// What is counted, up to how much, and how.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// What is counted.
    pub cost: Cost,
    /// How much of it there may be.
    pub bound: usize,
    /// How threads wait for their own stores.
    pub waiting: Waiting,
}

/// A way through the program, as far as it matters for how it goes on.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Way {
    machine: Machine,
    threads: Vec<Progress>,
    running: Option<usize>,
    left: usize,
}

/// What there is to know of a thread beside the state of the machine.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
struct Progress {
    /// It has stored something and not waited since.
    has_stored: bool,
    /// Its end, which is a step as well, is behind it.
    has_exited: bool,
}

/// What a way can go on with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// A step of the machine.
    Step(Step),
    /// A thread has waited for its stores.
    Waited(usize),
    /// A thread ends.
    Exit(usize),
}

impl Turn {
    /// The thread whose turn it is: nobody's, if a store gets to memory.
    fn thread(self) -> Option<usize> {
        match self {
            Turn::Step(step) => (!step.flushes).then_some(step.thread),
            Turn::Waited(thread) | Turn::Exit(thread) => Some(thread),
        }
    }
}

/// What can happen within a limit. That a store gets to memory is nobody's turn and costs nothing. So a thread that
/// waits for nothing but its own stores can go on, its end included.
///
/// A preemption is the step of another thread although the one that ran could have gone on. One that had to wait for a
/// store of another thread lets others run, whenever these begin. Delays are the threads that could go on and come
/// before the one that does: the one that ran, then the others by number.
#[must_use]
pub fn enumerate_within(program: &Program, memory: Memory, limit: Limit) -> Enumeration {
    let mut enumeration = Enumeration::default();
    let machine = Machine::initial(program, memory);
    let threads = vec![Progress::default(); program.threads.len()];
    let initial = Way { machine, threads, running: None, left: limit.bound };
    let mut known = HashSet::from([initial.clone()]);
    let mut left = vec![initial];
    while let Some(way) = left.pop() {
        let turns = way.turns(program);
        if turns.is_empty() {
            enumeration.end(program, &way.machine);
        }
        for next in turns.iter().filter_map(|&turn| way.after(program, turn, &turns, limit)) {
            if known.insert(next.clone()) {
                left.push(next);
            }
        }
    }
    Enumeration { states: known.len(), ..enumeration }
}

impl Way {
    fn turns(&self, program: &Program) -> Vec<Turn> {
        let machine = &self.machine;
        let can_be_taken = |step: &Step| {
            let (thread, op) = (step.thread, machine.op(program, step.thread));
            let joins = op.and_then(|op| op.joined()).is_none_or(|other| self.threads[other].has_exited);
            step.flushes || joins && !(self.threads[thread].has_stored && machine.drains_next(program, thread))
        };
        let steps = machine.steps(program, Copying::Words).into_iter().filter(can_be_taken).map(Turn::Step);
        let others = self.threads.iter().enumerate().filter_map(|(thread, progress)| {
            let has_ended = thread > 0 && machine.threads[thread].stage == Stage::Ended;
            let waits = progress.has_stored && (has_ended || machine.drains_next(program, thread));
            let turn = if waits { Turn::Waited(thread) } else { Turn::Exit(thread) };
            (machine.buffers.is_empty(thread) && (waits || has_ended && !progress.has_exited)).then_some(turn)
        });
        steps.chain(others).collect()
    }

    /// Whether a thread can go on, perhaps when stores of its own have got to memory.
    fn goes_on(&self, program: &Program, thread: usize, turns: &[Turn]) -> bool {
        let proceeds = turns.iter().any(|turn| turn.thread() == Some(thread));
        proceeds || self.machine.waits_for_own_stores(program, thread, Copying::Words)
    }

    /// Behind a turn, if it is within the limit.
    fn after(&self, program: &Program, turn: Turn, turns: &[Turn], limit: Limit) -> Option<Way> {
        let mut next = self.clone();
        let goes_on = |thread: usize| self.goes_on(program, thread, turns);
        let running = self.running.filter(|&running| goes_on(running));
        match turn.thread() {
            None if limit.cost == Cost::Preemptions => next.running = running,
            None => {}
            Some(thread) => {
                let able: Vec<usize> = (0..self.threads.len()).filter(|&thread| goes_on(thread)).collect();
                next.left = self.left.checked_sub(limit.cost.of(&able, running, thread))?;
                next.running = Some(thread);
            }
        }
        match turn {
            Turn::Waited(thread) => next.threads[thread].has_stored = false,
            Turn::Exit(thread) => next.threads[thread].has_exited = true,
            Turn::Step(step) => {
                next.machine.take(program, step, Copying::Words);
                let stores = !step.flushes && !next.machine.buffers.is_empty(step.thread);
                next.threads[step.thread].has_stored |= stores && limit.waiting == Waiting::IsAStep;
            }
        }
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

    fn within(program: &Program, model: Model, cost: Cost, bound: usize) -> Enumeration {
        enumerate_within(program, Memory::of(model), Limit { cost, bound, waiting: Waiting::IsAStep })
    }

    /// Without preemptions each thread runs to its end, for which its stores have to be in memory.
    #[test]
    fn a_delayed_store_shows_where_its_thread_is_preempted() {
        let outcomes = |model, bound| within(&store_buffering(), model, Cost::Preemptions, bound).outcomes.len();
        assert_eq!((outcomes(Model::Sc, 0), outcomes(Model::Sc, 1)), (2, 3));
        assert_eq!((outcomes(Model::Tso, 0), outcomes(Model::Tso, 1)), (2, 4));
    }

    /// Main creates one, is passed over, and the first thread is before the second one is.
    #[test]
    fn a_delay_lets_the_second_thread_come_before_the_first_store_is_seen() {
        let outcomes = |model, bound| within(&store_buffering(), model, Cost::Delays, bound).outcomes.len();
        assert_eq!([0, 1, 2].map(|bound| outcomes(Model::Sc, bound)), [1, 3, 3]);
        assert_eq!([0, 1, 2].map(|bound| outcomes(Model::Tso, bound)), [1, 4, 4]);
    }

    #[test]
    fn a_large_bound_cuts_nothing() {
        let mut random = Random::new(5);
        for _ in 0..30 {
            let program = generate_weak(&mut random);
            let memory = Memory::of(Model::Tso);
            if let Some(all) = enumerate(&program, memory, Copying::Words, 500) {
                for cost in [Cost::Preemptions, Cost::Delays] {
                    let within = within(&program, Model::Tso, cost, 1000);
                    assert_eq!((&within.outcomes, within.has_deadlock), (&all.outcomes, all.has_deadlock), "{program}");
                }
            }
        }
    }
}
