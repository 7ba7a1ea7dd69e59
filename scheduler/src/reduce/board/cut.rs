//! What was cut at a bound behind shared states.
//!
//! Where something is cut behind an event, that event may not go to sleep, unless it is known to sleep in any case
//! ([`crate::reduce::bounded`]). So a state hands out nothing else until it is known what becomes of the last event
//! that was taken from it: something has been cut behind it, or all behind it has been explored.

use super::{Board, ItemId, NodeId, Shared, Slumber};
use rscale_protocol::arena::Token;

impl Board {
    /// Something was cut at a bound behind the first state of an item.
    pub fn note_cut(&mut self, item: ItemId) -> Option<()> {
        self.is_bounded = true;
        let mut place = Some(*self.items.get(&item)?);
        while let Some(id) = place {
            let shared = self.nodes.get_mut(&id)?;
            if shared.slumber == Slumber::UnlessCut {
                shared.slumber = Slumber::Never;
            }
            place = shared.parent;
            place.into_iter().for_each(|parent| self.update(parent));
        }
        Some(())
    }

    /// What is explored from the states on the way to one, or is going to be, by the number of events before them.
    pub(super) fn explored_on_way_to(&self, place: NodeId) -> Vec<(usize, Vec<Token>)> {
        let planned = |shared: &Shared| shared.tree.firsts().map(|first| first.token).collect::<Vec<_>>();
        let explored = |(shared, _): (&Shared, _)| (shared.at, [shared.taken.clone(), planned(shared)].concat());
        self.ancestors(place).map(explored).collect()
    }
}

impl Shared {
    /// Whether the event that leads here need not be taken again behind what comes after it, as far as is known.
    pub(super) fn goes_to_sleep(&self) -> bool {
        match self.slumber {
            Slumber::Sure => true,
            Slumber::UnlessCut => self.is_explored(),
            Slumber::Never => false,
        }
    }

    /// Whether that can not change any more.
    pub(super) fn is_settled(&self) -> bool {
        self.slumber != Slumber::UnlessCut || self.is_explored()
    }
}
