//! The board as bytes, for a journal.

use super::{Awaited, Board, NodeId, Numbered, ROOT, Shared, Slumber};
use crate::explore::Order;
use crate::reduce::eager::Ahead;
use crate::reduce::plan::Wanted;
use crate::reduce::wakeup::Tree;
use crate::reduce::wire::{Reader, Wire, Writer};
use rscale_protocol::arena::Token;
use std::collections::{BTreeMap, BTreeSet};

impl Wire for Board {
    fn write(&self, to: &mut Writer) {
        let nodes: BTreeMap<&NodeId, &Shared> = self.nodes.iter().collect();
        nodes.len().write(to);
        for (id, shared) in nodes {
            id.write(to);
            shared.write(to);
        }
        let items: BTreeMap<u64, u64> = self.items.iter().map(|(&item, &node)| (item, node)).collect();
        items.into_iter().collect::<Vec<_>>().write(to);
        self.next_id.write(to);
        self.sections_vary.write(to);
        self.order.write(to);
        self.is_bounded.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Option<Board> {
        let nodes: Numbered<Shared> = Vec::read(from)?.into_iter().collect();
        let items: Numbered<NodeId> = Vec::read(from)?.into_iter().collect();
        let (next_id, sections_vary, order) = (u64::read(from)?, bool::read(from)?, Order::read(from)?);
        let (open, is_bounded) = (BTreeSet::new(), bool::read(from)?);
        let planned = nodes.values().map(|shared| shared.tree.len()).sum();
        let empty = Board::new(sections_vary, order).0;
        let mut board = Board { nodes, items, open, next_id, is_bounded, planned, ..empty };
        if !board.makes_sense() {
            return None;
        }
        let places: Vec<NodeId> = board.nodes.keys().copied().collect();
        places.into_iter().for_each(|place| board.update(place));
        Some(board)
    }
}

impl Board {
    /// Whether what refers to something finds it, and every state is counted where it should be.
    fn makes_sense(&self) -> bool {
        let is_known = |id: &NodeId| self.nodes.contains_key(id) && *id <= self.next_id;
        let is_sound = |(id, shared): (&NodeId, &Shared)| {
            let items = self.items.values().filter(|place| *place == id).count();
            let is_child = |parent: &NodeId| self.nodes.get(parent).is_some_and(|above| above.children.contains(id));
            let comes_from = shared.parent.as_ref().map_or(*id == ROOT, is_child);
            let is_parent = |child: &NodeId| self.nodes.get(child).is_some_and(|below| below.parent == Some(*id));
            let lingers = shared.lingering <= shared.sleep.len();
            lingers && comes_from && shared.items == items && shared.children.iter().all(is_parent)
        };
        self.nodes.contains_key(&ROOT)
            && self.items.iter().all(|(item, place)| *item <= self.next_id && is_known(place))
            && self.nodes.iter().all(is_sound)
    }
}

const SLUMBERS: [Slumber; 3] = [Slumber::Sure, Slumber::UnlessCut, Slumber::Never];

impl Wire for Shared {
    fn write(&self, to: &mut Writer) {
        self.parent.write(to);
        self.at.write(to);
        self.came_by.write(to);
        self.steps.write(to);
        self.is_leaf.write(to);
        self.sleep.write(to);
        self.inherited.write(to);
        self.lingering.write(to);
        self.is_crowded.write(to);
        self.taken.write(to);
        self.vain.write(to);
        self.slumber.write(to);
        self.children.write(to);
        self.tree.write(to);
        self.items.write(to);
        self.awaited.write(to);
        self.deferred.write(to);
        self.ahead.write(to);
        self.record.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Option<Shared> {
        Some(Shared {
            parent: Option::read(from)?,
            at: usize::read(from)?,
            came_by: Option::read(from)?,
            steps: Vec::read(from)?,
            is_leaf: bool::read(from)?,
            sleep: Vec::read(from)?,
            inherited: usize::read(from)?,
            lingering: usize::read(from)?,
            is_crowded: bool::read(from)?,
            taken: Vec::read(from)?,
            vain: Vec::read(from)?,
            slumber: Slumber::read(from)?,
            children: Vec::read(from)?,
            tree: Tree::read(from)?,
            items: usize::read(from)?,
            awaited: Option::read(from)?,
            deferred: Vec::<Wanted>::read(from)?,
            ahead: Ahead::read(from)?,
            record: Vec::read(from)?,
        })
    }
}

impl Wire for Slumber {
    fn write(&self, to: &mut Writer) {
        let place = SLUMBERS.iter().position(|slumber| slumber == self);
        place.unwrap_or(SLUMBERS.len()).write(to);
    }

    fn read(from: &mut Reader<'_>) -> Option<Slumber> {
        SLUMBERS.get(usize::read(from)?).copied()
    }
}

impl Wire for Awaited {
    fn write(&self, to: &mut Writer) {
        let beginning = match *self {
            Awaited::Owner => None,
            Awaited::Beginning { token, is_leaf } => Some((is_leaf, token)),
        };
        beginning.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Option<Awaited> {
        let beginning = Option::<(bool, Token)>::read(from)?;
        Some(beginning.map_or(Awaited::Owner, |(is_leaf, token)| Awaited::Beginning { token, is_leaf }))
    }
}
