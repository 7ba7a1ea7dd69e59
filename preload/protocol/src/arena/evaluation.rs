//! Evaluating functions of the program: what the process that evaluates says, and what is known of earlier evaluations.
//!
//! An evaluation is described by what it read, in order: as long as all of that is the same, so is its result. Whether
//! every read was seen is for those to know who add it.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Functions that can be invariants at a time.
pub const MAX_INVARIANTS: usize = 64;
/// Pieces of memory that an evaluation may read and still be remembered.
pub const MAX_PIECES: usize = 160;
/// Locations that evaluations of one execution can report.
pub const MAX_READS: usize = 1 << 10;

/// How far an evaluation has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Progress {
    /// It has not come to an end.
    Begun = 0,
    /// It returned.
    Returned = 1,
    /// It did what it must not; the text of the arena says what.
    Refused = 2,
}

/// What an evaluation looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Look {
    /// At memory.
    Memory = 0,
    /// At the state of a mutex.
    Mutex = 1,
}

/// Something that an evaluation looked at, and what it saw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// What kind of thing.
    pub look: Look,
    /// Where it is.
    pub address: u64,
    /// Bytes of memory, at most eight.
    pub length: u8,
    /// What was there.
    pub value: u64,
}

/// A list of pieces.
#[repr(C)]
pub struct Pieces {
    count: AtomicU32,
    words: [[AtomicU64; 3]; MAX_PIECES],
}

impl Pieces {
    /// Takes all out.
    pub fn clear(&self) {
        self.count.store(0, Relaxed);
    }

    /// Adds one; false if there is no room.
    pub fn push(&self, piece: Piece) -> bool {
        let count = self.count.load(Relaxed) as usize;
        let Some(place) = self.words.get(count) else { return false };
        [piece.address, head(&piece), piece.value]
            .iter()
            .zip(place)
            .for_each(|(&value, word)| word.store(value, Relaxed));
        self.count.store(count as u32 + 1, Relaxed);
        true
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = Piece> + '_ {
        self.words.iter().take(self.count.load(Relaxed) as usize).map(|words| {
            let [address, head, value] = [0, 1, 2].map(|index: usize| words[index].load(Relaxed));
            let (look, length) = parts(head);
            Piece { look, address, length, value }
        })
    }
}

/// What the process that evaluates a function says.
#[repr(C, align(64))]
pub struct Evaluation {
    /// [`Progress`].
    pub progress: AtomicU32,
    /// What the function returned.
    pub value: AtomicU32,
    /// Whether something else than the pieces may decide what it returns.
    pub is_open: AtomicU32,
    /// The process while it is there, else 0.
    pub process: AtomicU32,
    /// What it looked at.
    pub pieces: Pieces,
}

impl Evaluation {
    /// An evaluation begins.
    pub fn begin(&self) {
        self.progress.store(Progress::Begun as u32, Relaxed);
        self.is_open.store(0, Relaxed);
        self.pieces.clear();
    }
}

/// Evaluations that returned true, whichever process made them: a tree of what a function looks at next, given what it
/// has seen so far.
#[repr(C, align(64))]
pub struct Remembered {
    /// Nodes in use; the first one stands for none.
    used: AtomicU32,
    /// What is looked at: address and head of a [`Piece`], or [`HOLDS`].
    nodes: [[AtomicU64; 2]; MAX_NODES],
    /// Where a node and what was seen there lead: a hash table of node, value and next node. The root of a function has
    /// its address for a node.
    edges: [[AtomicU64; 3]; MAX_EDGES],
}

const MAX_NODES: usize = 1 << 14;
/// Twice as many, so that the table never fills up.
const MAX_EDGES: usize = 2 * MAX_NODES;
/// The head of a node at which the function returned true.
const HOLDS: u64 = 1 << 32;

impl Remembered {
    /// Forgets everything.
    pub fn clear(&self) {
        if self.used.swap(0, Relaxed) > 0 {
            self.nodes.iter().flatten().for_each(|word| word.store(0, Relaxed));
            self.edges.iter().flatten().for_each(|word| word.store(0, Relaxed));
        }
    }

    /// The function returned true, having looked at this.
    pub fn add(&self, function: u64, pieces: &Pieces) {
        let mut node = self.next_or_new(function, 0);
        for piece in pieces.iter() {
            let Some(current) = node else { return };
            if !self.is_or_becomes(current, [piece.address, head(&piece)]) {
                return; // it does not always do the same
            }
            node = self.next_or_new(current as u64, piece.value);
        }
        if let Some(last) = node {
            self.is_or_becomes(last, [0, HOLDS]);
        }
    }

    /// Whether the function returned true when everything that it looked at was as it is now. `now` says what is to be
    /// seen; it is only asked what the function would look at.
    pub fn holds(&self, function: u64, now: impl Fn(Look, u64, u8) -> u64) -> bool {
        let mut node = self.next(function, 0);
        for _ in 0..=MAX_PIECES {
            let Some(words) = node.and_then(|node| self.nodes.get(node)) else { return false };
            let [address, head] = [0, 1].map(|index: usize| words[index].load(Relaxed));
            if head == HOLDS {
                return true;
            }
            let (look, length) = parts(head);
            node = node.and_then(|node| self.next(node as u64, now(look, address, length)));
        }
        false
    }

    /// Whether the node is this one; one that is new becomes it.
    fn is_or_becomes(&self, node: usize, wanted: [u64; 2]) -> bool {
        let Some(words) = self.nodes.get(node) else { return false };
        if words.iter().all(|word| word.load(Relaxed) == 0) {
            words.iter().zip(wanted).for_each(|(word, value)| word.store(value, Relaxed));
        }
        words.iter().zip(wanted).all(|(word, value)| word.load(Relaxed) == value)
    }

    /// The place of an edge in the table: its own, or an empty one.
    fn place(&self, from: u64, value: u64) -> Option<&[AtomicU64; 3]> {
        let mixed = (from.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ value).wrapping_mul(0x94d0_49bb_1331_11eb);
        let first = (mixed >> 40) as usize;
        (0..MAX_EDGES).map(|distance| &self.edges[(first + distance) % MAX_EDGES]).find(|edge| {
            let known = edge[0].load(Relaxed);
            known == 0 || (known == from && edge[1].load(Relaxed) == value)
        })
    }

    fn next(&self, from: u64, value: u64) -> Option<usize> {
        let edge = self.place(from, value)?;
        (edge[0].load(Relaxed) != 0).then(|| edge[2].load(Relaxed) as usize)
    }

    /// Where an edge leads: to a new node if there was none. Where there is no more room, everything is forgotten.
    fn next_or_new(&self, from: u64, value: u64) -> Option<usize> {
        if let Some(known) = self.next(from, value) {
            return Some(known);
        }
        let node = self.used.fetch_add(1, Relaxed) as usize + 1;
        if node >= MAX_NODES {
            self.clear();
            return None;
        }
        let edge = self.place(from, value)?;
        [from, value, node as u64].iter().zip(edge).for_each(|(&value, word)| word.store(value, Relaxed));
        Some(node)
    }
}

/// What kind of thing a piece is, and its length, in one word that is not 0.
fn head(piece: &Piece) -> u64 {
    piece.look as u64 | u64::from(piece.length) << 8 | 1 << 16
}

fn parts(head: u64) -> (Look, u8) {
    (if head as u8 == Look::Memory as u8 { Look::Memory } else { Look::Mutex }, (head >> 8) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::boxed::Box;

    fn piece(address: u64, value: u64) -> Piece {
        Piece { look: Look::Memory, address, length: 4, value }
    }

    fn zeroed_list() -> Pieces {
        Pieces { count: AtomicU32::new(0), words: [const { [const { AtomicU64::new(0) }; 3] }; MAX_PIECES] }
    }

    #[test]
    fn a_list_takes_what_fits_and_gives_it_back() {
        let list = zeroed_list();
        let lock = Piece { look: Look::Mutex, address: 64, length: 0, value: 1 };
        assert!(list.push(piece(8, 7)) && list.push(lock));
        assert!(list.iter().eq([piece(8, 7), lock]));
        assert!((2..MAX_PIECES as u64).all(|value| list.push(piece(value, value))));
        assert!(!list.push(piece(1, 1)));
        list.clear();
        assert_eq!(list.iter().count(), 0);
    }

    fn nothing_remembered() -> Box<Remembered> {
        let nodes = [const { [const { AtomicU64::new(0) }; 2] }; MAX_NODES];
        let edges = [const { [const { AtomicU64::new(0) }; 3] }; MAX_EDGES];
        Box::new(Remembered { used: AtomicU32::new(0), nodes, edges })
    }

    /// Reads 8 and, if there is a 7, 16: as a function would that returns true.
    fn remember(known: &Remembered, function: u64, first: u64, second: u64) {
        let list = zeroed_list();
        assert!(list.push(piece(8, first)));
        assert!(first != 7 || list.push(piece(16, second)));
        known.add(function, &list);
    }

    #[test]
    fn an_evaluation_is_known_where_all_it_read_is_the_same() {
        let known = nothing_remembered();
        remember(&known, 0x1000, 7, 9);
        remember(&known, 0x1000, 7, 10);
        remember(&known, 0x1000, 6, 0);
        let holds =
            |function, first, second| known.holds(function, |_, address, _| if address == 8 { first } else { second });
        assert!(holds(0x1000, 7, 9) && holds(0x1000, 7, 10) && holds(0x1000, 6, 99));
        assert!(!holds(0x1000, 7, 11) && !holds(0x1000, 8, 9));
        assert!(!holds(0x2000, 7, 9), "another function");
        known.clear();
        assert!(!holds(0x1000, 7, 9));
    }

    #[test]
    fn a_function_that_reads_something_else_every_time_is_not_known() {
        let known = nothing_remembered();
        remember(&known, 0x1000, 7, 9);
        let list = zeroed_list();
        assert!(list.push(piece(24, 1)));
        known.add(0x1000, &list);
        assert!(!known.holds(0x1000, |_, address, _| if address == 24 { 1 } else { 0 }));
    }

    #[test]
    fn there_is_always_room() {
        let known = nothing_remembered();
        (0..3 * MAX_NODES as u64).for_each(|value| remember(&known, 0x1000, value + 100, 0));
        remember(&known, 0x1000, 6, 0);
        assert!(known.holds(0x1000, |_, _, _| 6));
        assert!(!known.holds(0x1000, |_, _, _| 5));
    }
}
