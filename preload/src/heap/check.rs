//! What the heap tells at the end of an execution.

use super::block::{Block, HEADER};
use super::{BASE, STRIDE, state};
use crate::{arena, control, finish};
use core::sync::atomic::Ordering::Relaxed;
use rscale_protocol::ending::HeapError;

/// The blocks of a sub-arena that were made since `main` began, oldest first.
fn blocks(thread: usize) -> impl Iterator<Item = Block> {
    let start = BASE + thread as u64 * STRIDE;
    let (floor, top) = (control::get().heap_floors[thread].get(), state().tops[thread].get());
    let mut offset = floor;
    core::iter::from_fn(move || {
        if offset >= top {
            return None;
        }
        // SAFETY: offsets below the top are in the mapped heap.
        let block = unsafe { Block::at(start + offset) };
        let total = block.total();
        // A header that the program has overwritten ends the walk.
        let plausible = total >= HEADER && total <= top - offset && total % 16 == 0;
        offset = if plausible { offset + total } else { top };
        Some(block)
    })
}

fn all_blocks() -> impl Iterator<Item = Block> {
    (0..control::get().pool_size.get()).flat_map(blocks)
}

/// The program ends: ends the execution with an error if it misused the heap.
pub fn at_exit() {
    for block in all_blocks() {
        if block.is_live() && block.is_overflown() {
            finish::heap_error(HeapError::Overflow, block.data());
        }
        if block.is_freed() && block.was_written_after_free() {
            finish::heap_error(HeapError::WriteAfterFree, block.data());
        }
    }
    if arena::get().setup.leaks.load(Relaxed) != 0 {
        report_leak();
    }
}

/// Every block that is still live at the end counts as leaked, but for the buffers of libc's own streams.
fn report_leak() {
    if let Some(block) = all_blocks().find(|block| block.is_live() && !allocates_for_streams(block.site())) {
        finish::heap_error(HeapError::Leak, block.data());
    }
}

/// Whether this lies in the one function that allocates the buffers of streams.
pub fn allocates_for_streams(site: u64) -> bool {
    const LENGTH: u64 = 256;
    let function = control::get().stream_allocator.get();
    (function..function + LENGTH).contains(&site)
}

/// The freed block around an address of the heap.
pub fn freed_block_around(address: u64) -> Option<Block> {
    let thread = ((address - BASE) / STRIDE) as usize;
    blocks(thread).find(|block| block.is_freed() && (block.data()..block.data() + block.size()).contains(&address))
}

/// All freed blocks.
pub fn freed_blocks() -> impl Iterator<Item = Block> {
    all_blocks().filter(Block::is_freed)
}
