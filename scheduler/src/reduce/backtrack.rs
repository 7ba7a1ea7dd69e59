//! Going back to the last state with something left to explore.

use super::Reduction;
use super::history::EventIndex;
use super::reversal::{Race, Second};

impl Reduction {
    /// Goes back to the last state with something left to explore, and plans that. None if there is none.
    pub(super) fn backtrack(&mut self) -> Option<()> {
        if self.planner.keeps_nothing() {
            self.leave_explored();
        }
        loop {
            if (self.history.len() as usize) < self.owned {
                return None; // what is left there, others explore
            }
            let node = self.nodes.last_mut()?;
            if node.tree.is_empty()
                && let Some(sequence) = self.planner.more(node, &self.history, &mut self.counts)
            {
                node.tree.insert(&sequence);
            }
            if !node.tree.is_empty() {
                self.planned = node.tree.take_first_line();
                return Some(());
            }
            let last = self.history.len().checked_sub(1)?;
            self.note_explored(last as usize);
            self.nodes.pop();
            let taken = self.history.event(last);
            let (start, footprint) = (taken.step as usize, taken.footprint);
            self.give_back_steps(start);
            let node = self.nodes.last_mut()?;
            node.done.push(footprint.token);
            if self.planner.may_sleep(&self.history) {
                node.sleep.push(footprint);
            }
            self.history.truncate(last);
            self.forget_races(last);
        }
    }

    /// Goes back to behind the event that the path takes from the last state with something left to explore: there is
    /// nothing to be said about the states behind it any more.
    fn leave_explored(&mut self) {
        let open = self.nodes.iter().rposition(|node| !node.tree.is_empty()).unwrap_or(0);
        let count = open.max(self.owned.saturating_sub(1)) + 1;
        if count < self.history.len() as usize {
            self.note_explored_from(count);
            self.retract_to(count);
        }
    }

    /// Forgets the races of events that were taken back, all but the first ones.
    pub(super) fn forget_races(&mut self, count: EventIndex) {
        let is_left =
            |race: &Race| matches!(race.second, Second::Executed(second) | Second::Late(second) if second < count);
        while self.races.last().is_some_and(|race| !is_left(race)) {
            self.races.pop();
        }
    }
}
