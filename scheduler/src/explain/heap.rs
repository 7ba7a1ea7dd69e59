//! The program's heap as the shim lays it out: which block an address lies in, and where that was allocated.

use crate::backend::Memory;
use std::cell::Cell;
use std::ops::Range;

/// Where the heap lies, and how much of it each thread has (`preload/src/heap`).
const HEAP: Range<u64> = 0x6100_0000_0000..0x6180_0000_0000;
const PER_THREAD: u64 = 4 << 30;
/// Bytes before the data of a block: its whole size, the size asked for, its state, its call site.
const HEADER: u64 = 32;
/// The state of a block that the program uses.
const LIVE: u64 = 0x4c49_5645_b10c_0001;
/// Blocks that are looked at for one report. Reading the memory of another process takes time, and a limit by the clock
/// would make two reports differ.
const MOST_BLOCKS: usize = 1_000_000;

/// A block of the heap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// Where its data begins.
    pub data: u64,
    /// Bytes that were asked for.
    pub size: u64,
    /// Whether it is in use.
    pub is_live: bool,
    /// Return address of the call that allocated it.
    pub site: u64,
}

/// Whether the address belongs to the heap.
pub fn contains(address: u64) -> bool {
    HEAP.contains(&address)
}

/// The thread whose part of the heap it is, and how far into it.
pub fn place(address: u64) -> (u64, u64) {
    let offset = address - HEAP.start;
    (offset / PER_THREAD, offset % PER_THREAD)
}

/// Finds blocks, until the work for one report is done.
pub struct Finder {
    left: Cell<usize>,
}

impl Finder {
    /// Has not looked at anything yet.
    pub fn new() -> Finder {
        Finder { left: Cell::new(MOST_BLOCKS) }
    }

    /// May look at as much as at first.
    pub fn begin_report(&self) {
        self.left.set(MOST_BLOCKS);
    }

    /// The block that an address lies in: blocks follow each other without gaps from the start of each thread's part.
    pub fn block_around(&self, memory: &Memory, address: u64) -> Option<Block> {
        let (thread, _) = place(address);
        let mut header = HEAP.start + thread * PER_THREAD;
        loop {
            self.left.set(self.left.get().checked_sub(1)?);
            let mut bytes = [0; HEADER as usize];
            if !memory.read(header, &mut bytes) {
                return None;
            }
            let word = |index: usize| u64::from_ne_bytes(std::array::from_fn(|byte| bytes[index * 8 + byte]));
            let next = header.checked_add(word(0)).filter(|_| word(0) >= HEADER)?;
            if address < next {
                let block = Block { data: header + HEADER, size: word(1), is_live: word(2) == LIVE, site: word(3) };
                return (address >= block.data).then_some(block);
            }
            header = next;
        }
    }
}
