//! Using freed blocks again, once a thread has allocated so much that keeping them apart would cost too much memory.

use super::block::{Block, HEADER, room_for};
use super::{BASE, QUARANTINE, STRIDE, state};
use crate::control;
use core::cell::Cell;
use rscale_protocol::MAX_THREADS;

/// Freed blocks of a sub-arena by the logarithm of their size, oldest first.
const CLASSES: usize = 34;
/// How many blocks of a class are looked at.
const LOOKS: usize = 8;

/// The freed blocks.
pub struct Bins {
    oldest: [[Cell<u64>; CLASSES]; MAX_THREADS],
    newest: [[Cell<u64>; CLASSES]; MAX_THREADS],
}

impl Bins {
    /// No freed blocks.
    pub const fn new() -> Bins {
        Bins {
            oldest: [const { [const { Cell::new(0) }; CLASSES] }; MAX_THREADS],
            newest: [const { [const { Cell::new(0) }; CLASSES] }; MAX_THREADS],
        }
    }
}

fn is_large(thread: usize) -> bool {
    state().tops[thread].get() - control::get().heap_floors[thread].get() > QUARANTINE
}

/// A freed block of the thread that fits, once reuse has begun.
pub fn take(thread: usize, size: u64, alignment: u64) -> Option<Block> {
    if !is_large(thread) {
        return None;
    }
    let needed = HEADER + room_for(size);
    let class = class_of(needed);
    let bins = &state().bins;
    let mut previous: Option<Block> = None;
    let mut current = bins.oldest[thread][class].get();
    for _ in 0..LOOKS {
        let block = block_at(current)?;
        if block.is_freed() && block.total() >= needed && block.data() % alignment == 0 {
            unlink(thread, class, previous, block);
            return Some(block);
        }
        current = block.site();
        previous = Some(block);
    }
    None
}

/// Keeps a freed block of the sub-arena for later. While reuse is far away, nothing is kept: lists would only be work.
pub fn give(thread: usize, block: Block) {
    if !is_large(thread) {
        return;
    }
    let class = class_of(block.total());
    let bins = &state().bins;
    let address = block.data() - HEADER;
    block.set_site(0);
    match block_at(bins.newest[thread][class].get()) {
        Some(newest) => newest.set_site(address),
        None => bins.oldest[thread][class].set(address),
    }
    bins.newest[thread][class].set(address);
}

fn unlink(thread: usize, class: usize, previous: Option<Block>, block: Block) {
    let bins = &state().bins;
    let next = block.site();
    match previous {
        Some(previous) => previous.set_site(next),
        None => bins.oldest[thread][class].set(next),
    }
    if next == 0 {
        bins.newest[thread][class].set(previous.map_or(0, |previous| previous.data() - HEADER));
    }
}

/// Blocks of a class fit requests of the same class or of lower ones; a request looks in its own class.
fn class_of(total: u64) -> usize {
    (u64::BITS - total.leading_zeros()) as usize % CLASSES
}

/// The block at an address from a list; None at its end, or where the program has overwritten the list.
fn block_at(address: u64) -> Option<Block> {
    let inside = (BASE..BASE + MAX_THREADS as u64 * STRIDE).contains(&address);
    // SAFETY: an address inside the mapped heap can be read as a header.
    (address != 0 && inside && address.is_multiple_of(16)).then(|| unsafe { Block::at(address) })
}
