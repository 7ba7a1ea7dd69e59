//! Items, and what is given away of them.

use super::{Reader, Wire, Writer};
use crate::explore::{Branches, Fork, Order, Way};
use crate::reduce::eager::Ahead;
use crate::reduce::item::{Begun, Item, Leaf, Released, ReleasedNode};
use crate::reduce::wakeup::Tree;
use rscale_protocol::arena::Token;
use rscale_protocol::{ThreadId, ThreadSet};

impl Wire for ReleasedNode {
    fn write(&self, to: &mut Writer) {
        self.sleep.write(to);
        self.inherited.write(to);
        self.lingering.write(to);
        self.is_crowded.write(to);
        self.done.write(to);
        self.explored.write(to);
        self.tree.write(to);
        self.taken.write(to);
        self.leads_inside.write(to);
        self.is_cut.write(to);
        self.ahead.write(to);
    }
    fn read(from: &mut Reader<'_>) -> Option<ReleasedNode> {
        Some(ReleasedNode {
            sleep: Vec::read(from)?,
            inherited: usize::read(from)?,
            lingering: usize::read(from)?,
            is_crowded: bool::read(from)?,
            done: Vec::read(from)?,
            explored: Vec::read(from)?,
            tree: Tree::read(from)?,
            taken: Begun::read(from)?,
            leads_inside: bool::read(from)?,
            is_cut: bool::read(from)?,
            ahead: Ahead::read(from)?,
        })
    }
}

impl Wire for Fork {
    fn write(&self, to: &mut Writer) {
        (self.depth, self.steps.clone()).write(to);
        (self.asleep, self.foreign).write(to);
        self.ended.write(to);
        self.forced.map(|thread| thread.index()).write(to);
        self.heritage.write(to);
    }
    fn read(from: &mut Reader<'_>) -> Option<Fork> {
        let (depth, steps) = <(usize, Vec<Token>)>::read(from)?;
        let (asleep, foreign) = <(ThreadSet, ThreadSet)>::read(from)?;
        let ended = ThreadSet::read(from)?;
        let forced = match Option::<usize>::read(from)? {
            Some(index) => Some(ThreadId::from_index(index)?),
            None => None,
        };
        Some(Fork { depth, steps, asleep, foreign, ended, forced, heritage: Vec::read(from)? })
    }
}

impl Wire for Branches {
    fn write(&self, to: &mut Writer) {
        (self.way.schedule.clone(), self.way.forks.clone()).write(to);
        self.order.write(to);
        self.weight.write(to);
    }
    fn read(from: &mut Reader<'_>) -> Option<Branches> {
        let (schedule, forks) = <(Vec<Token>, Vec<Fork>)>::read(from)?;
        Some(Branches { way: Way { schedule, forks }, order: Order::read(from)?, weight: f64::read(from)? })
    }
}

impl Wire for Released {
    fn write(&self, to: &mut Writer) {
        match self {
            Released::States(nodes) => (false, nodes.clone()).write(to),
            Released::Branches(branches) => (true, (**branches).clone()).write(to),
        }
    }
    fn read(from: &mut Reader<'_>) -> Option<Released> {
        Some(match bool::read(from)? {
            false => Released::States(Vec::read(from)?),
            true => Released::Branches(Box::new(Branches::read(from)?)),
        })
    }
}

impl Wire for Leaf {
    fn write(&self, to: &mut Writer) {
        self.schedule.write(to);
        self.asleep.write(to);
        self.at.write(to);
        self.lingering.write(to);
        self.planned.write(to);
        self.sleep.write(to);
        self.explored.write(to);
        self.ahead.write(to);
        self.sections_vary.write(to);
        self.order.write(to);
    }
    fn read(from: &mut Reader<'_>) -> Option<Leaf> {
        Some(Leaf {
            schedule: Vec::read(from)?,
            asleep: Vec::read(from)?,
            at: usize::read(from)?,
            lingering: usize::read(from)?,
            planned: Vec::read(from)?,
            sleep: ThreadSet::read(from)?,
            explored: Vec::read(from)?,
            ahead: Vec::read(from)?,
            sections_vary: bool::read(from)?,
            order: Order::read(from)?,
        })
    }
}

impl Wire for Item {
    fn write(&self, to: &mut Writer) {
        match self {
            Item::Fresh(vary) => (0u64, *vary).write(to),
            Item::Leaf(leaf) => (1u64, (**leaf).clone()).write(to),
            Item::Branches(branches) => (2u64, (**branches).clone()).write(to),
            // These are handed over once, from whoever began the search.
            Item::Whole(saved) => {
                to.number(3);
                to.json(saved);
            }
        }
    }
    fn read(from: &mut Reader<'_>) -> Option<Item> {
        Some(match from.number()? {
            0 => Item::Fresh(bool::read(from)?),
            1 => Item::Leaf(Box::new(Leaf::read(from)?)),
            2 => Item::Branches(Box::new(Branches::read(from)?)),
            3 => Item::Whole(from.json()?),
            _ => return None,
        })
    }
}
