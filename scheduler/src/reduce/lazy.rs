//! Partial order reduction among the traces that need few preemptions (Sachinoglou, section 7.1: Lazy-BPOR).
//!
//! What counts is not how the execution at hand was interleaved, but the cheapest of all that are equivalent to it. This is
//! a property of the trace, so events may go to sleep as without a bound: equivalent executions are not repeated. Only
//! branches are refused: an execution that was begun runs to its end, and the races that it shows count.
//!
//! The paper does without conservative branches. Brute force has shown that this is not enough: a race shows only in an
//! execution that has its events in the other order, and that may need more preemptions than the one that is looked for.
//! So a thread is tried where the others try it too ([`super::conservative`]), if the trace so far needs few enough.
//!
//! It makes no promise all the same: brute force knows a program (number 110 of `preemption_oracle.rs`, with a condition
//! variable and no preemption) of which an outcome is missed. If fewer events sleep it is found, but then a ring of four
//! takes two million runs instead of three thousand.

use super::conservative::{try_early, try_waiting};
use super::footprint::Footprint;
use super::history::{EventIndex, History};
use super::least::{Least, Order};
use super::plan::{Node, Planner, initials};
use super::reversal::{Executed, Reversal};
use crate::filters::Preserves;
use rscale_protocol::arena::Token;

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

    fn is_member_within(&mut self, member: usize, event: &Footprint, reversal: &Reversal<'_>) -> bool {
        let history = reversal.executed.history;
        let known = reversal.events().nth(member).or(reversal.second).map(|index| history.event(index));
        self.is_within(&Order::of(history, reversal.first, event, known))
    }

    /// Whether a thread may go on before an event of the execution: with what it does next there, if that is known.
    fn is_within_before(&mut self, token: Token, at: EventIndex, history: &History) -> bool {
        let next = history.events()[at as usize..].iter().find(|event| event.footprint.thread() == token.thread);
        let Some(event) = next else { return true };
        self.is_within(&Order::of(history, at, &event.footprint, Some(event)))
    }

    fn is_within(&mut self, order: &Order) -> bool {
        let least = order.least(self.bound);
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
        if !members.iter().any(|&index| node.explores(reversal.taken(), sequence[index].token))
            && let Some(index) =
                members.into_iter().find(|&index| self.is_member_within(index, sequence[index], reversal))
        {
            node.tree.add(sequence[index].clone());
        }
        if let Some(second) = sequence.last() {
            let executed = reversal.executed;
            let is_within = |token, at| self.is_within_before(token, at, executed.history);
            try_early(second.token, reversal.first, nodes, executed, is_within);
        }
    }

    fn plan_wait(&mut self, nodes: &mut [Node], event: EventIndex, executed: Executed<'_>) {
        try_waiting(event, nodes, executed, |token, at| self.is_within_before(token, at, executed.history));
    }

    fn preserves(&self) -> Vec<Preserves> {
        let Lazy { bound, cut, estimated } = *self;
        let within = Preserves::SomeWithin { preemptions: bound, cut };
        let estimates = (cut > 0 && estimated > 0).then_some(Preserves::Estimated(estimated));
        [Preserves::EveryTrace, within].into_iter().chain(estimates).collect()
    }

    fn restart(&mut self) {
        *self = Lazy::new(self.bound);
    }
}
