//! Where something can be planned: states of the search itself, and shared ones, about which others decide.

use super::footprint::Footprint;
use super::history::EventIndex;
use super::plan::{Node, Wanted};
use super::wishes::Wishes;
use rscale_protocol::arena::Token;

/// The states of the path.
pub struct Places<'a> {
    nodes: &'a mut [Node],
    /// The first state that belongs to this search alone.
    owned: usize,
    wishes: &'a mut Wishes,
}

impl Places<'_> {
    /// These states, all but the first of which belong to the search alone.
    pub fn new<'a>(nodes: &'a mut [Node], owned: usize, wishes: &'a mut Wishes) -> Places<'a> {
        Places { nodes, owned, wishes }
    }

    /// A state, as far as it is known: what others do from a shared one may be news.
    #[must_use]
    pub fn node(&self, at: EventIndex) -> &Node {
        &self.nodes[at as usize]
    }

    /// How many states are shared.
    #[must_use]
    pub fn shared(&self) -> usize {
        self.owned
    }

    /// A state of the search's own.
    pub fn own(&mut self, at: EventIndex) -> &mut Node {
        &mut self.nodes[at as usize]
    }

    /// A state of the search's own, with those before and behind it.
    pub fn own_among(&mut self, at: EventIndex) -> (&[Node], &mut Node, &[Node]) {
        let (before, others) = self.nodes.split_at_mut(at as usize);
        let (own, after) = others.split_at_mut(1);
        (before, &mut own[0], after)
    }

    /// Plans an event, one of several of which one is to be explored from a state.
    pub fn add_one_of(&mut self, event: &Footprint, all: &[&Footprint], at: EventIndex) {
        if (at as usize) < self.owned {
            let others = all.iter().filter(|other| other.token != event.token);
            self.wishes.ask_for_one([event].into_iter().chain(others.copied()), at);
        } else {
            self.own(at).tree.add(*event);
        }
    }

    /// Plans an event of which nothing else is known.
    pub fn add(&mut self, token: Token, at: EventIndex) {
        if (at as usize) < self.owned {
            self.wishes.push(at as usize, Wanted::Event(token));
            // Others see to it, unless they have already.
            self.nodes[at as usize].done.push(token);
        } else {
            self.own(at).tree.add(Footprint::unknown(token));
        }
    }
}
