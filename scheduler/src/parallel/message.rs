//! Messages between a controller and workers: a version, what is said, and a checksum.
//!
//! In this process nothing is sent but the journal's copy; `docs/scale.md` says what a cluster would have to carry.

use super::{Controller, Report};
use crate::reduce::{
    Begun, Board, Explored, Item, ItemId, Names, Reader, Released, Wire, Wish, Writer, decode, encode,
};
use std::collections::{BTreeMap, HashMap};

/// Changes with what messages say.
pub const VERSION: u8 = 7;

/// Bytes of a checksum.
const CHECKSUM: usize = 8;

/// Work for a worker.
#[derive(Clone, PartialEq, Debug)]
pub struct Assignment {
    /// The name of the item: whoever has it owns what lies behind it.
    pub item: ItemId,
    /// The world that it belongs to.
    pub epoch: u64,
    /// Runs after which the worker has to report; None for any number.
    pub budget: Option<u64>,
    /// What is to be explored.
    pub what: Item,
}

/// What a worker has done with its item.
#[derive(Clone, PartialEq, Debug)]
pub struct Account {
    /// The name of the item.
    pub item: ItemId,
    /// The world that it belongs to.
    pub epoch: u64,
    /// Runs, and those that came to their end.
    pub runs: (u64, u64),
    /// What it says.
    pub reports: Vec<Report>,
}

/// Why bytes are no message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unreadable {
    /// They were written by another version.
    Version(u8),
    /// They are not what was written.
    Damaged,
}

/// The bytes of a message.
#[must_use]
pub fn seal(message: &impl Wire, names: &Names) -> Vec<u8> {
    let mut bytes = vec![VERSION];
    bytes.extend(encode(message, names));
    let checksum = blake3::hash(&bytes);
    bytes.extend_from_slice(&checksum.as_bytes()[..CHECKSUM]);
    bytes
}

/// The message that the bytes are.
///
/// # Errors
/// Where they are none.
pub fn open<T: Wire>(bytes: &[u8], names: &Names) -> Result<T, Unreadable> {
    let split = bytes.len().checked_sub(CHECKSUM).filter(|&length| length > 0).ok_or(Unreadable::Damaged)?;
    let (text, checksum) = bytes.split_at(split);
    if blake3::hash(text).as_bytes()[..CHECKSUM] != *checksum {
        return Err(Unreadable::Damaged);
    }
    if text[0] != VERSION {
        return Err(Unreadable::Version(text[0]));
    }
    decode(&text[1..], names).ok_or(Unreadable::Damaged)
}

impl Wire for Report {
    fn write(&self, to: &mut Writer) {
        match self {
            Report::Begun(begun) => (0u64, begun.clone()).write(to),
            Report::Wishes(wishes) => (1u64, wishes.clone()).write(to),
            Report::Released(released) => (2u64, released.clone()).write(to),
            Report::Finished(explored) => (3u64, explored.clone()).write(to),
            Report::Cut => 4u64.write(to),
        }
    }

    fn read(from: &mut Reader<'_>) -> Option<Report> {
        match u64::read(from)? {
            0 => Option::<Begun>::read(from).map(Report::Begun),
            1 => Vec::<Wish>::read(from).map(Report::Wishes),
            2 => Released::read(from).map(Report::Released),
            3 => Vec::<Explored>::read(from).map(Report::Finished),
            4 => Some(Report::Cut),
            _ => None,
        }
    }
}

impl Wire for Assignment {
    fn write(&self, to: &mut Writer) {
        (self.item, self.epoch).write(to);
        self.budget.write(to);
        self.what.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Option<Assignment> {
        let (item, epoch) = <(u64, u64)>::read(from)?;
        Some(Assignment { item, epoch, budget: Option::read(from)?, what: Item::read(from)? })
    }
}

impl Wire for Account {
    fn write(&self, to: &mut Writer) {
        (self.item, self.epoch).write(to);
        self.runs.write(to);
        self.reports.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Option<Account> {
        let (item, epoch) = <(u64, u64)>::read(from)?;
        Some(Account { item, epoch, runs: <(u64, u64)>::read(from)?, reports: Vec::read(from)? })
    }
}

/// All that a controller knows, with the items of workers as they stand.
struct Whole {
    board: Board,
    items: Vec<(ItemId, Item)>,
    weights: Vec<(ItemId, f64)>,
    done: f64,
}

impl Wire for Whole {
    fn write(&self, to: &mut Writer) {
        self.board.write(to);
        self.items.write(to);
        self.weights.write(to);
        self.done.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Option<Whole> {
        let (board, items) = (Board::read(from)?, Vec::read(from)?);
        Some(Whole { board, items, weights: Vec::read(from)?, done: f64::read(from)? })
    }
}

impl Controller {
    /// Everything that is left, as bytes: each worker says how its item stands. None if one that has an item does not.
    #[must_use]
    pub fn saved(&mut self, standing: &BTreeMap<usize, Item>, names: &Names) -> Option<Vec<u8>> {
        let mut items = self.ready.clone();
        for (worker, item) in self.items.iter().enumerate() {
            if let Some(id) = item {
                items.push((*id, standing.get(&worker)?.clone()));
            }
        }
        let weights = self.weights.iter().map(|(&item, &weight)| (item, weight)).collect();
        let board = std::mem::replace(&mut self.board, Board::new(false, self.order).0);
        let whole = Whole { board, items, weights, done: self.done };
        let bytes = seal(&whole, names);
        self.board = whole.board;
        Some(bytes)
    }

    /// A controller of so many workers that goes on with what was saved.
    ///
    /// # Errors
    /// Where that makes no sense.
    pub fn restored(bytes: &[u8], names: &Names, workers: usize) -> Result<Controller, Unreadable> {
        let Whole { board, items, weights, done } = open(bytes, names)?;
        let is_expected = |id: &ItemId| items.iter().any(|(other, _)| other == id);
        if items.len() != board.items().count() || !board.items().all(|id| is_expected(&id)) {
            return Err(Unreadable::Damaged);
        }
        let (order, weights) = (board.order(), weights.into_iter().collect::<HashMap<_, _>>());
        Ok(Controller { board, ready: items, weights, done, items: vec![None; workers], order })
    }
}
