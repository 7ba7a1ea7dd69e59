//! A test of the dependence table by brute force: neighbours that it calls independent are swapped.
//!
//! After each execution by chance, some of its neighbouring events that do not depend on each other change places, and
//! the rest of the schedule stays. The swapped schedule must be possible, both events must do the same, the same steps
//! must be possible behind them, and all that follows must be the same, up to the end, with what was written to the
//! standard output. Where it is not, the run is reported as one that did something else under the same schedule.

use super::event::Event;
use super::footprint::Reach;
use super::history::{EventIndex, History, Predecessor};
use crate::explore::{Absorbed, Counts, Divergence, Plan, Strategy, Stream};
use crate::filters::{Preserves, Terms};
use crate::frontend::Execution;
use crate::sample::Sampled;
use rscale_protocol::arena::{Beyond, Policy, Step, Token};
use rscale_protocol::{Action, Ending, MemoryModel, Op, ThreadSet};
use std::ops::Range;

/// Pairs of one execution that are swapped.
const MOST_PAIRS: usize = 16;

/// Executions by chance, and swaps in them.
pub struct Swaps {
    stream: Stream,
    sees_accesses: bool,
    memory_model: MemoryModel,
    /// The execution that pairs are swapped of.
    base: Base,
    /// The pairs that are left, by the steps that they are.
    pairs: Vec<Pair>,
    /// The pair that is being swapped.
    swapped: Option<Pair>,
    schedule: Vec<Token>,
    /// What the run that is about to be added has written.
    output: Vec<u8>,
    counts: Counts,
}

/// An execution.
#[derive(Default)]
struct Base {
    steps: Vec<Step>,
    /// Who could go on where it ended, how it did, and with what.
    end: Option<([ThreadSet; 3], Ending, u64)>,
    output: Vec<u8>,
}

/// Two neighbouring events.
#[derive(Clone, Debug)]
struct Pair {
    first: Range<usize>,
    second: Range<usize>,
}

impl Swaps {
    /// A test that has not begun.
    #[must_use]
    pub fn new(terms: Terms) -> Swaps {
        Swaps {
            stream: Stream::new(terms.seed),
            sees_accesses: terms.sees_accesses,
            memory_model: terms.memory,
            base: Base::default(),
            pairs: Vec::new(),
            swapped: None,
            schedule: Vec::new(),
            output: Vec::new(),
            counts: Counts::default(),
        }
    }

    /// Takes an execution to swap pairs of.
    fn begin_with(&mut self, execution: &Execution) {
        let Some(end) = execution.end.as_ref() else { return };
        if matches!(end.ending, Ending::StepBudget | Ending::Diverged | Ending::Assumption) {
            return;
        }
        if has_rounds(&execution.steps) {
            return;
        }
        let output = std::mem::take(&mut self.output);
        self.base = Base { steps: execution.steps.to_vec(), end: Some((end.enabled, end.ending, end.value)), output };
        // What ended the execution for all threads at once depends on everything. Where main returns and others are
        // left, it is the last step of main: functions that are called at exit come behind the exit.
        let ends_for_all = end.ending == Ending::Exit || execution.ends_early();
        let steps = self.base.steps.len() - usize::from(ends_for_all && !self.base.steps.is_empty());
        let history = History::under(self.memory_model);
        self.pairs = independent_neighbours(&self.base.steps[..steps], history, self.sees_accesses);
        while self.pairs.len() > MOST_PAIRS {
            let place = self.stream.next_number() as usize % self.pairs.len();
            self.pairs.swap_remove(place);
        }
    }
}

impl Strategy for Swaps {
    fn next_schedule(&mut self) -> Option<Plan<'_>> {
        self.swapped = self.pairs.pop();
        self.schedule.clear();
        let Some(pair) = &self.swapped else {
            let order = Beyond::by_chance(Policy::Random, self.stream.next_number());
            return Some(Plan { order, ..Plan::of(&[]) });
        };
        self.schedule.extend(pair.swapped(self.base.steps.len()).map(|index| self.base.steps[index].token()));
        Some(Plan::of(&self.schedule))
    }

    fn absorb(&mut self, execution: &Execution) -> Absorbed {
        match self.swapped.take() {
            None => self.begin_with(execution),
            Some(_) if has_rounds(&execution.steps) => {}
            Some(pair) => {
                self.counts.race_checks += 1;
                if let Some(divergence) = self.base.difference(&pair, execution, &self.output) {
                    return Absorbed::Diverged(Box::new(divergence));
                }
            }
        }
        self.counts.add_run(execution.ending(), true);
        self.counts.transitions += execution.steps.len() as u64;
        self.counts.max_depth = self.counts.max_depth.max(execution.steps.len() as u64);
        Absorbed::Added
    }

    fn give_up(&mut self) {
        self.swapped = None;
        self.counts.add_run(None, false);
    }

    fn begin_anew(&mut self, discarded: u64) {
        self.counts.discarded += discarded;
        self.pairs.clear();
    }

    fn reads_output(&self) -> bool {
        true
    }

    fn note_output(&mut self, output: &[u8]) {
        self.output.clear();
        self.output.extend_from_slice(output);
    }

    fn counts(&self) -> Counts {
        self.counts
    }

    fn preserves(&self) -> Vec<Preserves> {
        vec![Preserves::Sampled(Sampled::Random)]
    }

    fn memory(&self) -> usize {
        self.base.steps.capacity() * size_of::<Step>()
    }
}

impl Pair {
    /// The order of all steps in which the two events have changed places.
    fn swapped(&self, length: usize) -> impl Iterator<Item = usize> + use<> {
        let Pair { first, second } = self.clone();
        (0..first.start).chain(second.clone()).chain(first).chain(second.end..length)
    }
}

impl Base {
    /// Where an execution in which a pair was swapped is not what it should be.
    fn difference(&self, pair: &Pair, execution: &Execution, output: &[u8]) -> Option<Divergence> {
        let order: Vec<usize> = pair.swapped(self.steps.len()).collect();
        for (index, &expected) in order.iter().enumerate() {
            let expected = self.steps[expected];
            let got = execution.steps.get(index).copied();
            let is_between = (pair.first.start..pair.second.end).contains(&index);
            if !got.is_some_and(|got| is_same(&expected, &got, !is_between)) {
                return Some(Divergence { index, expected, got });
            }
        }
        let end = execution.end.as_ref().map(|end| (end.enabled, end.ending, end.value));
        let is_same_end = end == self.end && execution.steps.len() == self.steps.len() && output == self.output;
        let index = self.steps.len();
        let last = self.steps.last().copied().filter(|_| !is_same_end)?;
        Some(Divergence { index, expected: last, got: execution.steps.get(index).copied() })
    }
}

/// Whether two steps are the same, and the states before them, as far as it matters.
fn is_same(expected: &Step, got: &Step, is_same_state: bool) -> bool {
    // How many are missing at a barrier is no secret, but nobody sees it.
    let returned = |step: &Step| if step.action.op == Op::BarrierArrive { step.result.min(1) } else { step.result };
    expected.action.same_effect(&got.action)
        && expected.choice == got.choice
        && returned(expected) == returned(got)
        && (!is_same_state || expected.enabled == got.enabled)
}

/// Whether a thread waits in a loop. How many rounds it takes is no part of a state: they are counted by what was
/// written in between, and not by their order with other steps.
fn has_rounds(steps: &[Step]) -> bool {
    steps.iter().any(|step| step.action.flags & Action::WAITING != 0)
}

/// The neighbours that the dependence table calls independent, given a history without events. Whom a signal wakes
/// belongs to the signal.
fn independent_neighbours(steps: &[Step], mut history: History, sees_accesses: bool) -> Vec<Pair> {
    let mut predecessors: Vec<Predecessor> = Vec::new();
    let mut at = 0;
    while let Some(event) = Event::at(steps, at, &mut history, sees_accesses) {
        at += event.footprint.steps as usize;
        history.predecessors(&event, &mut predecessors);
        history.push(event, &predecessors);
    }
    let steps_of = |index: EventIndex| {
        let event = history.event(index);
        event.step as usize..(event.step + event.footprint.steps) as usize
    };
    let is_pick = |index: EventIndex| index < history.len() && history.event(index).is_pick();
    let can_be_swapped = |&second: &EventIndex| {
        let first = second - 1;
        let reaches = history.event(second).footprint.reach != Reach::Own;
        !reaches
            && !history.happens_before(first, second)
            && !is_pick(first)
            && !is_pick(second)
            && !is_pick(second + 1)
    };
    let pair = |second| Pair { first: steps_of(second - 1), second: steps_of(second) };
    (1..history.len()).filter(can_be_swapped).map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::super::scripted::step;
    use super::*;
    use crate::backend::{Block, RunEnd};
    use rscale_protocol::ThreadId;

    fn execution(steps: &[Step]) -> Execution {
        let end = RunEnd {
            ending: Ending::Exit,
            value: 0,
            address: 0,
            block: Block::default(),
            thread: ThreadId::MAIN,
            enabled: [ThreadSet::EMPTY; 3],
            live: ThreadSet::EMPTY,
            races: Vec::new(),
            reads: Vec::new(),
            text: String::new(),
        };
        Execution { steps: steps.to_vec().into(), end: Some(end), ..Execution::default() }
    }

    fn read(thread: u16, variable: u64, possible: &[u16]) -> Step {
        step(thread, Op::Read, variable, possible)
    }

    #[test]
    fn neighbours_that_depend_on_nothing_are_swapped_and_compared() {
        let steps = [read(0, 8, &[0, 1]), read(1, 8, &[0, 1]), read(1, 16, &[1])];
        let mut swaps =
            Swaps::new(Terms { seed: 0, sees_accesses: true, memory: MemoryModel::Sc, has_invariants: false });
        assert!(swaps.reads_output());
        assert_eq!(swaps.next_schedule().expect("a run by chance").schedule, []);
        swaps.absorb(&execution(&steps));
        let schedule: Vec<u16> =
            swaps.next_schedule().expect("a swap").schedule.iter().map(|token| token.thread.0).collect();
        assert_eq!(schedule, [1, 0, 1]);
        assert!(matches!(swaps.absorb(&execution(&[steps[1], steps[0], steps[2]])), Absorbed::Added));
        assert_eq!(swaps.counts().race_checks, 1);
        assert_eq!(swaps.next_schedule().expect("a run by chance").schedule, [], "there is no other pair");
    }

    #[test]
    fn what_comes_out_differently_is_noticed() {
        let steps = [read(0, 8, &[0, 1]), read(1, 8, &[0, 1]), read(1, 16, &[1])];
        let with_other_state = [steps[1], steps[0], read(1, 16, &[0, 1])];
        let with_other_step = [steps[1], read(0, 24, &[0, 1]), steps[2]];
        for (others, index) in [(&with_other_state[..], 2), (&with_other_step, 1), (&with_other_state[..2], 2)] {
            let mut swaps =
                Swaps::new(Terms { seed: 0, sees_accesses: true, memory: MemoryModel::Sc, has_invariants: false });
            swaps.next_schedule();
            swaps.absorb(&execution(&steps));
            swaps.next_schedule();
            let absorbed = swaps.absorb(&execution(others));
            assert!(matches!(&absorbed, Absorbed::Diverged(found) if found.index == index), "{absorbed:?}");
        }
    }

    #[test]
    fn what_is_written_in_another_order_is_noticed() {
        let steps = [read(0, 8, &[0, 1]), read(1, 8, &[0, 1]), read(1, 16, &[1])];
        let mut swaps =
            Swaps::new(Terms { seed: 0, sees_accesses: true, memory: MemoryModel::Sc, has_invariants: false });
        swaps.next_schedule();
        swaps.note_output(b"ab");
        swaps.absorb(&execution(&steps));
        swaps.next_schedule();
        swaps.note_output(b"ba");
        let absorbed = swaps.absorb(&execution(&[steps[1], steps[0], steps[2]]));
        assert!(matches!(&absorbed, Absorbed::Diverged(found) if found.index == 3), "{absorbed:?}");
    }

    #[test]
    fn neighbours_that_depend_on_each_other_stay() {
        let write = step(1, Op::Write, 8, &[0, 1]);
        assert!(independent_neighbours(&[read(0, 8, &[0, 1]), write], History::default(), true).is_empty());
        assert!(
            independent_neighbours(&[read(0, 8, &[0, 1]), read(0, 16, &[0, 1])], History::default(), true).is_empty()
        );
    }
}
