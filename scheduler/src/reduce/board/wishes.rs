//! What items ask to be explored from shared states, and where that becomes something to hand out.

use super::{Awaited, Board, ItemId, NodeId};
use crate::reduce::footprint::{Footprint, Precedes};
use crate::reduce::item::Wish;
use crate::reduce::plan::Wanted;
use crate::reduce::sequence::Sequence;
use crate::reduce::wakeup::{Inserted, Room};
use rscale_protocol::arena::Token;

impl Board {
    /// Sees to the wishes that have waited at a state; they have gone past the first children.
    pub(super) fn grant_deferred(&mut self, place: NodeId, first: usize) -> Option<()> {
        for wanted in std::mem::take(&mut self.nodes.get_mut(&place)?.deferred) {
            match wanted {
                Wanted::Sequence(sequence) => self.send_down(place, first, sequence)?,
                other => self.grant(place, other, None)?,
            }
        }
        Some(())
    }

    /// An item asks for something to be explored from a shared state. None if that makes no sense.
    pub fn wish(&mut self, item: ItemId, wish: Wish) -> Option<()> {
        let (mut place, mut from) = (*self.items.get(&item)?, None);
        while self.nodes.get(&place)?.at > wish.at {
            (from, place) = (Some(place), self.nodes[&place].parent?);
        }
        self.grant(place, wish.wanted, from)
    }

    /// Plans what is wanted in a state, unless it was explored, or is going to be.
    fn grant(&mut self, place: NodeId, wanted: Wanted, from: Option<NodeId>) -> Option<()> {
        if let Wanted::Sequence(sequence) = wanted {
            let shared = self.nodes.get(&place)?;
            let covers = |(index, sleeper): (usize, &Footprint)| match index < shared.lingering {
                true => sleeper.is_first_of(sequence.iter()),
                false => sleeper.precedes(sequence.iter()).is_some(),
            };
            let is_covered = self.asleep(shared, from).enumerate().any(covers);
            return if is_covered { Some(()) } else { self.send_down(place, shared.up_to(from), sequence) };
        }
        let shared = self.nodes.get_mut(&place)?;
        if shared.awaited.is_some() {
            shared.deferred.push(wanted);
            return Some(());
        }
        let is_planned =
            |token: Token| shared.taken.contains(&token) || shared.tree.firsts().any(|first| first.token == token);
        let event = match wanted {
            Wanted::Sequence(_) => None,
            Wanted::OneOf(events) if events.iter().any(|event| is_planned(event.token)) => None,
            Wanted::OneOf(events) => events.into_iter().next(),
            Wanted::Event(token) if is_planned(token) || shared.vain.contains(&token) => None,
            Wanted::Event(token) if shared.sleep.iter().any(|sleeper| sleeper.token == token) => None,
            Wanted::Event(token) => Some(Footprint::unknown(token)),
        };
        if let Some(event) = event {
            self.change_plans(place, |plans| plans.add(event))?;
        }
        self.update(place);
        Some(())
    }

    /// Lets a sequence go its way from a state, past the children from a place on.
    fn send_down(&mut self, place: NodeId, first: usize, mut sequence: Vec<Footprint>) -> Option<()> {
        let (mut place, mut first) = (place, first);
        while let Some(child) = self.way(place, first, &mut sequence) {
            let shared = self.nodes.get_mut(&child)?;
            if shared.is_leaf || sequence.is_empty() {
                return Some(());
            }
            if shared.awaited == Some(Awaited::Owner) {
                shared.deferred.push(Wanted::Sequence(sequence));
                return Some(());
            }
            let record = std::mem::take(&mut shared.record);
            self.add_explored(child, record);
            (place, first) = (child, 0);
        }
        let shared = self.nodes.get_mut(&place)?;
        if shared.awaited.is_some() {
            shared.deferred.push(Wanted::Sequence(sequence));
        } else {
            self.plan(place, &sequence)?;
        }
        Some(())
    }

    /// Plans a sequence in a state, if there is room for it.
    fn plan(&mut self, place: NodeId, sequence: &[Footprint]) -> Option<()> {
        let is_many = self.nodes.get(&place)?.tree.sequences() >= self.many;
        let is_crowd = is_many && self.planned >= self.most;
        let room = Room { only_firsts: &|| is_crowd, ..Room::default() };
        let mut events: Sequence = sequence.iter().copied().collect();
        let inserted = self.change_plans(place, |plans| plans.insert_where(&mut events, room))?;
        self.nodes.get_mut(&place)?.is_crowded |= inserted == Inserted::Dropped;
        self.update(place);
        Some(())
    }

    /// The first of these children that a sequence can begin with; its event is taken out.
    fn way(&self, place: NodeId, first: usize, sequence: &mut Vec<Footprint>) -> Option<NodeId> {
        for &child in self.nodes[&place].children.get(first..)? {
            match self.nodes[&child].came_by.as_ref()?.precedes(sequence.iter()) {
                None => continue,
                Some(Precedes::As(index)) => drop(sequence.remove(index)),
                Some(Precedes::Beside) => {}
            }
            return Some(child);
        }
        None
    }
}
