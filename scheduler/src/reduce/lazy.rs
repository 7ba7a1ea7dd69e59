//! Partial order reduction among the traces that need few preemptions (Sachinoglou, section 7.1: Lazy-BPOR).
//!
//! What counts is not how the execution at hand was interleaved, but the cheapest of all that are equivalent to it. So
//! no conservative branches are needed, and equivalent executions stay as redundant as they are without a bound. Only branches
//! are refused: an execution that was begun runs to its end, and the races that it shows count.
//!
//! It makes no promise: brute force knows a program (number 110 of `preemption_oracle.rs`, with a condition variable and no
//! preemption) of which an outcome is missed. Perhaps a race shows only behind a branch that was refused; this is not known.

use super::footprint::Footprint;
use super::least::{Least, Order};
use super::plan::{Node, Planner, initials};
use super::reversal::Reversal;
use crate::filters::Preserves;

/// Source sets among the traces that need at most so many preemptions.
pub struct Lazy {
    bound: u64,
    /// Branches that would have needed more.
    cut: u64,
    /// Branches that were explored because it was too hard to tell.
    estimated: u64,
}

impl Lazy {
    /// A search that has not begun.
    #[must_use]
    pub fn new(bound: u64) -> Lazy {
        Lazy { bound, cut: 0, estimated: 0 }
    }

    fn is_within(&mut self, member: usize, event: &Footprint, reversal: &Reversal<'_>) -> bool {
        let history = reversal.executed.history;
        let known = reversal.events().nth(member).or(reversal.second).map(|index| history.event(index));
        let least = Order::of(history, reversal.first, event, known).least(self.bound);
        self.cut += u64::from(least == Least::Beyond);
        self.estimated += u64::from(least == Least::Perhaps);
        least != Least::Beyond
    }
}

impl Planner for Lazy {
    fn plan(&mut self, nodes: &mut [Node], reversal: &Reversal<'_>) {
        let node = &mut nodes[reversal.first as usize];
        let sequence: Vec<&Footprint> = reversal.sequence().collect();
        let members = initials(&sequence);
        if members.iter().any(|&index| node.explores(reversal.taken(), sequence[index].token)) {
            return;
        }
        if let Some(index) = members.into_iter().find(|&index| self.is_within(index, sequence[index], reversal)) {
            node.tree.add(sequence[index].clone());
        }
    }

    fn preserves(&self) -> Vec<Preserves> {
        let Lazy { bound, cut, estimated } = *self;
        vec![Preserves::EveryTrace, Preserves::SomeWithin { preemptions: bound, cut, estimated }]
    }

    fn restart(&mut self) {
        *self = Lazy::new(self.bound);
    }
}
