//! Decisive orderings: which pairs of actions have to come in this order for the bug to show.
//!
//! An execution has many orders that do not matter. For two actions of different threads that depend on each other, the
//! execution is run again with the second one first, and all else as far as that is possible. If the finding is gone,
//! that order was decisive. The action that should have come first may lie beyond the end of the execution: then its
//! thread is let run until it has done it.

mod order;

use crate::explore::Plan;
use order::Order;
use rscale_protocol::arena::{Step, Token};
use rscale_protocol::{Action, Choice, ThreadSet};

/// Steps before the end among which pairs are looked for: what is decisive is near it.
const MOST_STEPS: usize = 400;
/// More pairs than a person reads.
const MOST_PAIRS: usize = 6;
/// How often a schedule is run again without the steps that were not possible.
const MOST_REFUSALS: usize = 32;

/// Runs schedules and looks whether the finding still shows.
pub trait Rerunner {
    /// Runs a schedule, and on to the end.
    fn rerun(&mut self, plan: Plan<'_>) -> Rerun;
}

/// What came of a schedule.
#[derive(Clone, Debug)]
pub enum Rerun {
    /// The execution came to its end without the finding; these are its steps.
    Gone(Vec<Step>),
    /// It shows the finding all the same, or it can not be told.
    Shows,
    /// The step with this number was not possible.
    Refused(usize),
    /// There is no time for more.
    NoTime,
}

/// Two actions in a decisive order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair {
    /// The step that comes first, by its index.
    pub first: usize,
    /// The one that has to come later.
    pub second: Second,
}

/// The later one of two actions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Second {
    /// A step of the execution, by its index.
    Step(usize),
    /// What a thread would have done if the execution had not ended before.
    Missing(Action),
}

/// The pairs of actions whose order is decisive for what these steps show, in the order of the first ones.
pub fn pairs(steps: &[Step], rerunner: &mut impl Rerunner) -> Vec<Pair> {
    let start = steps.len().saturating_sub(MOST_STEPS);
    let order = Order::new(steps, start);
    let mut search = Search { steps, order, rerunner, pairs: Vec::new() };
    // The last ones first: if there is no time for all, these say more.
    for later in (start..steps.len()).rev() {
        let time = search.with_step(later);
        if search.is_over(time) {
            break;
        }
    }
    for first in (start..steps.len()).rev() {
        let time = search.with_missing(first);
        if search.is_over(time) {
            break;
        }
    }
    let mut pairs = search.pairs;
    pairs.truncate(MOST_PAIRS);
    pairs.sort_by_key(|pair| pair.first);
    pairs
}

/// Whether there is time to go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Time {
    Left,
    Over,
}

struct Search<'a, R> {
    steps: &'a [Step],
    order: Order<'a>,
    rerunner: &'a mut R,
    pairs: Vec<Pair>,
}

impl<R: Rerunner> Search<'_, R> {
    fn add(&mut self, pair: Pair) {
        if !self.pairs.contains(&pair) {
            self.pairs.push(pair);
        }
    }

    /// Tries the step before each one that it depends on. The last one of a thread that makes a difference says it all:
    /// to come before an earlier one means to come before that one, too.
    fn with_step(&mut self, later: usize) -> Time {
        let mut told = ThreadSet::EMPTY;
        for first in self.order.reversible(later) {
            let thread = self.steps[first].action.thread;
            if told.contains(thread) {
                continue;
            }
            match self.reversed(first, later) {
                Rerun::Gone(_) => {
                    let (first, later) = self.order.content_of(first, later);
                    self.add(Pair { first, second: Second::Step(later) });
                    told.insert(thread);
                }
                Rerun::NoTime => return Time::Over,
                Rerun::Shows | Rerun::Refused(_) => {}
            }
        }
        Time::Left
    }

    /// The execution with the two steps in the other order, and everything else as it was if that is possible.
    fn reversed(&mut self, first: usize, later: usize) -> Rerun {
        let tokens = |indices: &[usize]| indices.iter().map(|&index| self.steps[index].token()).collect::<Vec<_>>();
        let (free, bound): (Vec<usize>, Vec<usize>) =
            (first + 1..later).partition(|&between| !self.order.is_before(first, between));
        let head: Vec<usize> = (0..first).chain(free).chain([later]).collect();
        let rest: Vec<usize> = std::iter::once(first).chain(bound).chain(later + 1..self.steps.len()).collect();
        let (head, rest) = (tokens(&head), tokens(&rest));
        self.run(head, rest)
    }

    /// Runs the head as it is, and the rest as far as it is possible.
    fn run(&mut self, head: Vec<Token>, rest: Vec<Token>) -> Rerun {
        let fixed = head.len();
        let mut schedule = [head, rest].concat();
        for _ in 0..MOST_REFUSALS {
            match self.rerunner.rerun(Plan::of(&schedule)) {
                Rerun::Refused(index) if index >= fixed && index < schedule.len() => {
                    schedule.remove(index);
                }
                other => return other,
            }
        }
        // Nothing of the rest is possible: the threads find their own way.
        schedule.truncate(fixed);
        self.rerunner.rerun(Plan::of(&schedule))
    }

    /// Holds a step back until another thread does something that depends on it and that the execution did not come to.
    fn with_missing(&mut self, first: usize) -> Time {
        let step = self.steps[first];
        if step.choice != Choice::Proceed || !self.order.is_worth_naming(first) {
            return Time::Left;
        }
        let schedule: Vec<Token> = self.steps[..first].iter().map(Step::token).collect();
        let sleep: ThreadSet = std::iter::once(step.action.thread).collect();
        match self.rerunner.rerun(Plan { sleep, ..Plan::of(&schedule) }) {
            Rerun::Gone(steps) => {
                if let Some(missing) = self.missing(first, &steps) {
                    self.add(Pair { first, second: Second::Missing(missing) });
                }
                Time::Left
            }
            Rerun::NoTime => Time::Over,
            Rerun::Shows | Rerun::Refused(_) => Time::Left,
        }
    }

    /// What another thread did before the step in an execution that held it back, and had not done in this one.
    fn missing(&self, first: usize, held_back: &[Step]) -> Option<Action> {
        let thread = self.steps[first].action.thread;
        let own = held_back.get(first..)?.iter().position(|step| step.action.thread == thread);
        let before = &held_back[first..own.map_or(held_back.len(), |own| first + own)];
        let dependent = before.iter().position(|step| order::share(&self.steps[first].action, &step.action))?;
        let found = before[dependent].action;
        let by_same = |steps: &[Step]| steps.iter().filter(|step| step.action.thread == found.thread).count();
        let number = by_same(&held_back[..first + dependent]);
        (number >= by_same(self.steps)).then_some(found)
    }
}

impl<R> Search<'_, R> {
    fn is_over(&self, time: Time) -> bool {
        time == Time::Over || self.pairs.len() >= MOST_PAIRS
    }
}

#[cfg(test)]
mod tests;
