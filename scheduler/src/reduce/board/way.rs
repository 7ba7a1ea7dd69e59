//! The way to a shared state, as far as whoever goes there has to know it.

use super::{Board, NodeId, Shared};
use crate::reduce::eager::Ahead;
use crate::reduce::footprint::Footprint;
use rscale_protocol::arena::Token;

impl Board {
    /// The schedule that leads to a state, and what fell asleep on the way.
    pub(super) fn path_to(&self, place: NodeId) -> (Vec<Token>, Vec<(usize, Vec<Footprint>)>) {
        let mut path: Vec<(&Shared, Option<NodeId>)> = self.ancestors(place).collect();
        path.reverse();
        let schedule = path.iter().flat_map(|(shared, _)| shared.steps.iter().copied()).collect();
        let fell_asleep = |&(shared, next): &(&Shared, Option<NodeId>)| {
            let events: Vec<Footprint> = self.asleep(shared, next).skip(shared.inherited).copied().collect();
            (!events.is_empty()).then_some((shared.at, events))
        };
        (schedule, path.iter().filter_map(fell_asleep).collect())
    }

    /// The state and those before it, each with the child that leads there.
    pub(super) fn ancestors(&self, place: NodeId) -> impl Iterator<Item = (&Shared, Option<NodeId>)> {
        let first = self.nodes.get(&place).map(|shared| (shared, None, place));
        let before = move |&(shared, _, id): &(&Shared, Option<NodeId>, NodeId)| {
            let parent = shared.parent?;
            Some((self.nodes.get(&parent)?, Some(id), parent))
        };
        std::iter::successors(first, before).map(|(shared, next, _)| (shared, next))
    }

    /// What was planned ahead from the states on the way to one, by the number of events before them.
    pub(super) fn ahead_on_way_to(&self, place: NodeId) -> Vec<(usize, Ahead)> {
        let ahead =
            |(shared, _): (&Shared, _)| (shared.at, Ahead { is_crowded: shared.is_crowded, ..shared.ahead.clone() });
        let known = self.ancestors(place).map(ahead).filter(|(_, ahead)| !ahead.is_empty());
        let mut known: Vec<(usize, Ahead)> = known.collect();
        known.reverse();
        known
    }
}
