//! What an item leaves behind when it has been explored, and what can be forgotten then.

use super::{Awaited, Board, ItemId, NodeId, Shared};
use crate::reduce::item::Explored;

impl Board {
    /// An item has been explored, and in it these planned events.
    pub fn finish(&mut self, item: ItemId, record: Vec<Explored>) -> Option<()> {
        let place = self.items.remove(&item)?;
        let shared = self.nodes.get_mut(&place)?;
        shared.items -= 1;
        if shared.awaited.take_if(|awaited| *awaited == Awaited::Owner).is_some() {
            if shared.deferred.is_empty() {
                shared.record = record;
            } else {
                self.add_explored(place, record);
                self.grant_deferred(place, 0)?;
            }
        }
        // Whatever can be forgotten lies between the last leaf before it and itself; a leaf that is done, in its
        // parent.
        let mut region = Some(self.region_of(place)?);
        while let Some(leaf) = region {
            self.forget_explored(leaf);
            let shared = self.nodes.get(&leaf)?;
            region = match shared.parent {
                Some(parent) if shared.is_explored() => {
                    self.update(parent);
                    Some(self.region_of(parent)?)
                }
                _ => None,
            };
        }
        Some(())
    }

    /// The last leaf on the way to a state.
    fn region_of(&self, place: NodeId) -> Option<NodeId> {
        let mut place = place;
        while !self.nodes.get(&place)?.is_leaf {
            place = self.nodes[&place].parent?;
        }
        Some(place)
    }

    /// Forgets the first children for as long as they are explored: nothing that is ordered before them is left then.
    fn forget_explored(&mut self, place: NodeId) {
        while let Some(&child) = self.nodes[&place].children.first() {
            if !self.nodes[&child].is_leaf {
                self.forget_explored(child);
            }
            if !self.nodes[&child].is_explored() {
                return;
            }
            let explored = self.nodes.remove(&child).filter(Shared::goes_to_sleep).and_then(|child| child.came_by);
            let shared = self.nodes.get_mut(&place).expect("the parent of a state");
            shared.children.remove(0);
            shared.sleep.extend(explored);
        }
    }
}
