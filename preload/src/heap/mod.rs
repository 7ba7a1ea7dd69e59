//! The heap of the program: deterministic, and it notices misuse.
//!
//! Each thread allocates from a sub-arena of its own, upwards, and freed blocks are not used again before the sub-arena
//! has grown past a limit. So the address of a block depends on what its thread did and not on the interleaving: it is
//! a name. Freed blocks are filled with a pattern, ends are marked: what a program does wrong shows.

mod block;
mod check;
mod reuse;

pub use block::is_poison;
pub use check::at_exit;

use crate::access::{freed, region};
use crate::{arena, control, finish, gate, sys, syscalls, world};
use block::{ALIGNMENT, Block, HEADER};
use core::cell::Cell;
use core::sync::atomic::Ordering::Relaxed;
use rscale_protocol::ending::HeapError;
use rscale_protocol::{MAX_THREADS, ThreadId};

/// Where the heap lies: far from where the kernel puts mappings.
const BASE: u64 = 0x6100_0000_0000;
/// Room for one thread.
const STRIDE: u64 = 4 << 30;
const END: u64 = BASE + MAX_THREADS as u64 * STRIDE;
/// Freed blocks are used again once a sub-arena has grown by this much.
const QUARANTINE: u64 = 64 << 20;

/// The heap's part of the world.
pub struct State {
    /// Whether the region is mapped.
    mapped: Cell<bool>,
    /// Where each sub-arena ends, as an offset from its start.
    tops: [Cell<u64>; MAX_THREADS],
    /// Bytes of all sub-arenas together.
    total: Cell<u64>,
    bins: reuse::Bins,
}

impl State {
    /// Nothing allocated.
    pub const fn new() -> State {
        State {
            mapped: Cell::new(false),
            tops: [const { Cell::new(0) }; MAX_THREADS],
            total: Cell::new(0),
            bins: reuse::Bins::new(),
        }
    }
}

fn state() -> &'static State {
    &world::get().heap
}

/// Allocates; the result is a multiple of `alignment`, a power of two. Null if there is no room.
pub fn allocate(size: usize, alignment: usize) -> *mut u8 {
    let alignment = (alignment as u64).max(ALIGNMENT);
    if size as u64 > STRIDE / 2 || alignment > STRIDE / 4 || !ensure_mapped() {
        return core::ptr::null_mut();
    }
    let thread = world::get().current.get().index();
    let block = match reuse::take(thread, size as u64, alignment) {
        Some(block) => {
            freed::unmark(block.location());
            Some(block)
        }
        None => extend(thread, size as u64, alignment),
    };
    block.map_or(core::ptr::null_mut(), |block| block.start_life(size as u64, site()))
}

/// Does what libc allocates memory for, and the program does not: how many threads there are, and of which kind, must
/// not change where the blocks of the program lie. They lie where the last thread would have its own.
pub fn apart<R>(act: impl FnOnce() -> R) -> R {
    let current = &world::get().current;
    let thread = current.replace(ThreadId(MAX_THREADS as u16 - 1));
    let result = act();
    current.set(thread);
    result
}

/// Who asked for the block. Where a library did it on behalf of the program, as `operator new` does, the program; what
/// streams need is their own business.
fn site() -> u64 {
    let caller = gate::caller();
    match region::is_watched(caller) || check::allocates_for_streams(caller) {
        true => caller,
        false => syscalls::caller::of(caller, gate::caller_stack()),
    }
}

/// A new block at the end of the thread's sub-arena.
fn extend(thread: usize, size: u64, alignment: u64) -> Option<Block> {
    let top = &state().tops[thread];
    let start = BASE + thread as u64 * STRIDE + top.get();
    let mut data = (start + HEADER).next_multiple_of(alignment);
    // A gap before an aligned block is a block of its own, so that the sub-arena can be walked.
    if data != start + HEADER && data - start < 2 * HEADER {
        data += alignment;
    }
    let gap = data - HEADER - start;
    let total = HEADER + block::room_for(size);
    let all = state().total.get() + gap + total;
    let limit = control::get().heap_limit.get();
    if top.get() + gap + total > STRIDE || all > limit {
        arena::get().mailbox.heap.refused_beyond.store(limit.min(STRIDE), Relaxed);
        return None;
    }
    if all >> 20 != state().total.get() >> 20 {
        arena::get().mailbox.heap.mebibytes.store(all >> 20, Relaxed);
    }
    state().total.set(all);
    if gap > 0 {
        // SAFETY: the gap lies in the mapped sub-arena, beyond every block.
        unsafe { Block::at(start) }.make_gap(gap);
    }
    top.set(top.get() + gap + total);
    // SAFETY: as above.
    let block = unsafe { Block::at(data - HEADER) };
    block.set_total(total);
    Some(block)
}

/// An eighth of the machine's memory: a program that eats all it can get meets the end of the heap, not the kernel's
/// out-of-memory killer.
fn limit() -> u64 {
    // SAFETY: an all-zero structure is a valid one, and the call fills it in.
    unsafe {
        let mut info: libc::sysinfo = core::mem::zeroed();
        sys::call(libc::SYS_sysinfo, [&raw mut info as u64, 0, 0, 0, 0, 0]);
        info.totalram * u64::from(info.mem_unit) / 8
    }
}

fn ensure_mapped() -> bool {
    if !state().mapped.get() {
        control::get().heap_limit.set(limit());
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        state().mapped.set(sys::map(BASE, END - BASE, protection).is_some());
    }
    state().mapped.get()
}

/// Frees a block that [`allocate`] gave; anything else is an error of the program.
pub fn free(pointer: *mut u8) {
    if pointer.is_null() {
        return;
    }
    match find(pointer as u64) {
        Ok(block) => {
            if block.is_overflown() {
                finish::heap_error(HeapError::Overflow, pointer as u64);
            }
            block.end_life(world::get().current.get(), gate::caller());
            freed::mark(block.location());
            reuse::give((pointer as u64 - BASE) as usize / STRIDE as usize, block);
        }
        Err(error) => finish::heap_error(error, pointer as u64),
    }
}

/// The live block that begins here.
fn find(address: u64) -> Result<Block, HeapError> {
    if !(BASE + HEADER..END).contains(&address) || !address.is_multiple_of(ALIGNMENT) || !is_below_top(address) {
        return Err(HeapError::InvalidFree);
    }
    // SAFETY: the address lies in a used part of the heap, where the header can be read whatever it holds.
    let block = unsafe { Block::at(address - HEADER) };
    if block.is_live() {
        Ok(block)
    } else if block.is_freed() {
        Err(HeapError::DoubleFree)
    } else {
        Err(HeapError::InvalidFree)
    }
}

fn is_below_top(address: u64) -> bool {
    let offset = address - BASE;
    offset % STRIDE < state().tops[(offset / STRIDE) as usize].get()
}

/// What is known of a block.
#[derive(Default)]
pub struct Origin {
    /// Where it was allocated.
    pub site: u64,
    pub size: u64,
    /// Who freed it and where, if it is freed.
    pub freed_by: Option<(ThreadId, u64)>,
}

/// What is known of the block with this data; nothing of what is no block.
pub fn origin(data: u64) -> Origin {
    if !(BASE + HEADER..END).contains(&data) || !data.is_multiple_of(ALIGNMENT) || !is_below_top(data) {
        return Origin::default();
    }
    // SAFETY: the address lies in a used part of the heap, where the header can be read whatever it holds.
    let block = unsafe { Block::at(data - HEADER) };
    if !block.is_live() && !block.is_freed() {
        return Origin::default();
    }
    Origin { site: block.site(), size: block.size(), freed_by: block.freed_by() }
}

/// The size that was asked for; 0 for what is not a live block.
pub fn size_of_block(pointer: *const u8) -> usize {
    find(pointer as u64).map_or(0, |block| block.size() as usize)
}

/// Changes the size of a block, moving it.
pub fn reallocate(pointer: *mut u8, size: usize) -> *mut u8 {
    if pointer.is_null() {
        return allocate(size, ALIGNMENT as usize);
    }
    let old = match find(pointer as u64) {
        Ok(block) => block.size() as usize,
        Err(error) => finish::heap_error(error, pointer as u64),
    };
    let moved = allocate(size, ALIGNMENT as usize);
    if !moved.is_null() {
        // SAFETY: both blocks are live and at least this large, and they do not overlap.
        unsafe { core::ptr::copy_nonoverlapping(pointer, moved, old.min(size)) };
        free(pointer);
    }
    moved
}

/// Whether the address lies in a block that has been freed. The pattern that fills freed blocks is looked at first:
/// finding the block takes time.
pub fn is_in_freed_block(address: u64) -> bool {
    let is_heap = (BASE..END).contains(&address) && is_below_top(address);
    // SAFETY: the address lies in a used part of the heap.
    is_heap && unsafe { block::is_poisoned(address) } && check::freed_block_around(address).is_some()
}

/// The data of the freed block around an address.
pub fn freed_block_around(address: u64) -> Option<u64> {
    let is_heap = (BASE..END).contains(&address) && is_below_top(address);
    if is_heap { check::freed_block_around(address).map(|block| block.data()) } else { None }
}

/// Tells of the data of every freed block: its address and size.
pub fn for_each_freed(mut act: impl FnMut(u64, u64)) {
    check::freed_blocks().for_each(|block| act(block.data(), block.size()));
}

/// The part of a sub-arena around this page that nothing had used when `main` began: whose, and its limits. Does not
/// look at the world, whose pages may be protected: the fault handler asks.
pub fn fresh_part(page: u64) -> Option<(usize, u64, u64)> {
    if !(BASE..END).contains(&page) {
        return None;
    }
    let thread = ((page - BASE) / STRIDE) as usize;
    let base = BASE + thread as u64 * STRIDE;
    let start = (base + control::get().fresh_floors[thread].get()).next_multiple_of(4096);
    (page >= start).then_some((thread, start, base + STRIDE))
}

/// `main` begins: what was allocated before is not checked at its end.
pub fn mark_start_of_main() {
    let floors = &control::get().heap_floors;
    floors.iter().zip(&state().tops).for_each(|(floor, top)| floor.set(top.get()));
    mark_end_of_prologue();
}

/// The snapshot is taken here: what was allocated before has contents.
pub fn mark_end_of_prologue() {
    let floors = &control::get().fresh_floors;
    floors.iter().zip(&state().tops).for_each(|(floor, top)| floor.set(top.get()));
}
