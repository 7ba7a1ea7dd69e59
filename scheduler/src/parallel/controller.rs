//! The controller: gives out items, and knows who explores what.

use crate::explore::Order;
use crate::reduce::{Begun, Board, Item, ItemId, Released, Wish};

/// What a worker has done with its item.
#[derive(Clone, PartialEq, Debug)]
pub enum Report {
    /// It knows the first events of the item: as many as planned, unless it was cut there.
    Begun(Vec<Begun>),
    /// It has found what is to be explored from shared states.
    Wishes(Vec<Wish>),
    /// It shares its first states from now on.
    Released(Released),
    /// Nothing is left of the item.
    Finished,
}

/// A worker reported what can not be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Nonsense;

/// Knows what every worker does, and what is left.
pub struct Controller {
    board: Board,
    /// The search as it was handed over, and its name, until a worker takes it.
    whole: Option<(ItemId, Item)>,
    /// What each worker explores.
    items: Vec<Option<ItemId>>,
}

impl Controller {
    /// A controller of so many workers, the first of which to ask gets the whole search.
    #[must_use]
    pub fn new(workers: usize, whole: Item, order: Order) -> Controller {
        let (board, id) = Board::new(whole.sections_vary(), order);
        Controller { board, whole: Some((id, whole)), items: vec![None; workers] }
    }

    /// Whether everything has been explored.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.board.is_done()
    }

    /// The part of the search that is done, as far as can be told.
    #[must_use]
    pub fn explored(&self) -> Option<f64> {
        self.board.explored()
    }

    /// Whether there is something for a worker that asks.
    #[must_use]
    pub fn has_more(&self) -> bool {
        self.whole.is_some() || self.board.has_more()
    }

    /// What a worker is to explore next, if there is something.
    pub fn next(&mut self, worker: usize) -> Option<Item> {
        let (id, item) = self.whole.take().or_else(|| self.board.hand_out())?;
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
            Report::Begun(begun) => self.board.begin(item, &begun),
            Report::Wishes(wishes) => wishes.into_iter().try_for_each(|wish| self.board.wish(item, wish)),
            Report::Released(released) => self.board.release(item, &released),
            Report::Finished => {
                self.items[worker] = None;
                self.board.finish(item)
            }
        }
        .ok_or(Nonsense)
    }
}
