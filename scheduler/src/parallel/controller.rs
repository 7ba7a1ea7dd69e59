//! The controller: gives out items, and knows who explores what.

use crate::explore::{Branches, Order};
use crate::reduce::{Begun, Board, Explored, Item, ItemId, Released, Wish};
use std::collections::HashMap;

/// What a worker has done with its item.
#[derive(Clone, PartialEq, Debug)]
pub enum Report {
    /// It knows the first event of the item, unless it was cut there.
    Begun(Option<Begun>),
    /// It has found what is to be explored from shared states.
    Wishes(Vec<Wish>),
    /// Something was cut at a bound.
    Cut,
    /// It shares its first states from now on.
    Released(Released),
    /// Nothing is left of the item, in which these planned events were explored.
    Finished(Vec<Explored>),
}

/// A worker reported what can not be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Nonsense;

/// Knows what every worker does, and what is left.
pub struct Controller {
    pub(super) board: Board,
    /// Items that are ready to be explored: the search as it was handed over, and what was given away of it.
    pub(super) ready: Vec<(ItemId, Item)>,
    /// Which part of the search each item is, where that is known, and how much is done.
    pub(super) weights: HashMap<ItemId, f64>,
    pub(super) done: f64,
    /// What each worker explores.
    pub(super) items: Vec<Option<ItemId>>,
    pub(super) order: Order,
}

impl Controller {
    /// A controller of so many workers, the first of which to ask gets the whole search.
    #[must_use]
    pub fn new(workers: usize, whole: Item, order: Order) -> Controller {
        let (board, id) = Board::new(whole.sections_vary(), order);
        Controller {
            board,
            ready: vec![(id, whole)],
            weights: HashMap::new(),
            done: 0.0,
            items: vec![None; workers],
            order,
        }
    }

    /// A controller of a search that the first worker has begun, and goes on with.
    #[must_use]
    pub fn begun(workers: usize, order: Order, sections_vary: bool) -> Controller {
        let mut controller = Controller::new(workers, Item::Fresh(sections_vary), order);
        let _ = controller.next(0); // which the worker has
        controller
    }

    /// Whether everything has been explored.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.board.is_done()
    }

    /// The part of the search that is done, as far as can be told.
    #[must_use]
    pub fn explored(&self) -> Option<f64> {
        if self.weights.is_empty() { self.board.explored() } else { Some(self.done) }
    }

    /// The workers that have an item.
    pub fn busy(&self) -> impl Iterator<Item = usize> {
        self.items.iter().enumerate().filter(|(_, item)| item.is_some()).map(|(worker, _)| worker)
    }

    /// Whether others wait for a worker to share what it has.
    #[must_use]
    pub fn is_waited_for(&self, worker: usize) -> bool {
        self.items[worker].is_some_and(|item| self.board.is_waited_for(item))
    }

    /// Whether there is something for a worker that asks.
    #[must_use]
    pub fn has_more(&self) -> bool {
        !self.ready.is_empty() || self.board.has_more()
    }

    /// What a worker is to explore next, if there is something.
    pub fn next(&mut self, worker: usize) -> Option<Item> {
        let (id, item) = self.ready.pop().or_else(|| self.board.hand_out())?;
        self.items[worker] = Some(id);
        Some(item)
    }

    /// A worker says what it has done.
    ///
    /// # Errors
    /// Where that can not be.
    pub fn hear(&mut self, worker: usize, report: Report) -> Result<(), Nonsense> {
        let item = self.items[worker].ok_or(Nonsense)?;
        match report {
            Report::Begun(begun) => self.board.begin(item, begun),
            Report::Wishes(wishes) => wishes.into_iter().try_for_each(|wish| self.board.wish(item, wish)),
            Report::Cut => self.board.note_cut(item),
            Report::Released(Released::States(nodes)) => self.board.release(item, nodes),
            Report::Released(Released::Branches(branches)) => self.split(item, branches),
            Report::Finished(explored) => {
                self.items[worker] = None;
                self.done += self.weights.remove(&item).unwrap_or(0.0);
                self.board.finish(item, explored)
            }
        }
        .ok_or(Nonsense)
    }

    fn split(&mut self, item: ItemId, branches: Box<Branches>) -> Option<()> {
        let part = self.board.split(item)?;
        let left = 1.0 - self.done;
        *self.weights.entry(item).or_insert(left) -= branches.weight;
        self.weights.insert(part, branches.weight);
        self.ready.push((part, Item::Branches(branches)));
        Some(())
    }
}
