//! What was explored inside a planned sequence, for those who come later.
//!
//! A search that owns all behind an event of a shared state explores what is planned there. Others, which are ordered
//! before it, may still ask for sequences that begin with that event. Had they come first, such a sequence would have
//! gone its way through what was planned: to the end of a planned sequence, behind which it is explored in any case, or
//! off the path. So the search keeps the planned events that it has explored, in their order, and says at its end what
//! they were.

use super::Reduction;
use super::item::Explored;

impl Reduction {
    /// The event that the path takes from a state has been explored.
    pub(super) fn note_explored(&mut self, at: usize) {
        if self.record.is_none() || at + 1 < self.owned || !self.is_planned_up_to(at) {
            return;
        }
        let behind = &mut self.nodes[at + 1];
        let inside = behind.is_inner.then(|| std::mem::take(&mut behind.explored));
        if at + 1 == self.owned {
            self.record = Some(inside.unwrap_or_default());
        } else {
            let taken = self.taken_at(at);
            self.nodes[at].explored.push(Explored { taken, inside });
        }
    }

    /// The events that the path takes from a state on have been explored.
    pub(super) fn note_explored_from(&mut self, at: usize) {
        if self.record.is_none() {
            return;
        }
        let end = (self.owned..self.history.len() as usize).find(|&at| !self.nodes[at].is_inner);
        let end = end.unwrap_or(self.history.len() as usize);
        (at.max(self.owned)..end).rev().for_each(|at| self.note_explored(at));
    }

    /// Whether all states from the first of its own to this one lie inside of planned sequences. What is planned behind
    /// the end of one concerns nobody else.
    fn is_planned_up_to(&self, at: usize) -> bool {
        self.nodes.get(self.owned..=at).is_none_or(|nodes| nodes.iter().all(|node| node.is_inner))
    }
}
