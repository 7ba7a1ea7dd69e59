//! Going on where an execution did not do what was planned.

use super::Reduction;
use super::event::is_half_section;
use super::footprint::Footprint;
use super::plan::{Node, Wanted};
use super::preemptions::State;
use crate::explore::Candidates;
use crate::frontend::Execution;
use rscale_protocol::arena::Token;
use rscale_protocol::{Ending, ThreadSet};

impl Reduction {
    /// The program took an event that need not be taken, or took none: plans another one, if there is one.
    pub(super) fn go_on_otherwise(&mut self, enabled: &[ThreadSet; 3], execution: &Execution) {
        let Some(node) = self.nodes.last().filter(|node| node.tree.is_empty()) else { return };
        let later = execution.steps.get(self.steps.len()..).unwrap_or_default();
        let (at, pending) = (self.history.len(), &execution.pending[..]);
        let state = State { at, enabled: *enabled, event: None, is_pick: false, later, pending };
        let mut others = Candidates::all(*enabled).iter().filter(|&token| node.is_open(token));
        if let Some(token) = others.find(|&token| self.planner.admits(token, &state, &self.history)) {
            self.plan_event(token);
        }
    }

    /// What was planned was not possible, and other plans may have been dropped because of it: plans whatever is
    /// possible.
    pub(super) fn go_on_in_all_ways(&mut self, enabled: &[ThreadSet; 3]) {
        self.nodes.last_mut().into_iter().for_each(Node::end_plan);
        for token in Candidates::all(*enabled).iter() {
            if self.nodes.last().is_some_and(|node| node.is_open(token)) {
                self.plan_event(token);
            }
        }
    }

    /// Whether the execution was left in the middle of an atomic section, because somebody else was to come next: the
    /// section was not foreseen. Half of it is no event, or it would sleep as one that touches half as much; all of it
    /// is planned anew. The first event of what others have handed out is theirs to plan.
    pub(super) fn is_left_inside_section(&self, execution: &Execution) -> bool {
        execution.ending() == Some(Ending::Diverged)
            && self.sees_accesses
            && self.history.len() as usize >= self.owned
            && is_half_section(&execution.steps[self.steps.len()..])
    }

    /// Plans an event of which nothing else is known, from the last state.
    fn plan_event(&mut self, token: Token) {
        let at = self.nodes.len().saturating_sub(1);
        if at < self.owned {
            self.wishes.push(at, Wanted::Event(token));
        } else if let Some(node) = self.nodes.last_mut() {
            node.tree.add(Footprint::unknown(token));
        }
    }
}
