//! Freed memory: whoever accesses it makes a mistake, whatever it finds there.
//!
//! The shadow of a block that is freed says so, and every access of it then takes the slow path, where it ends the
//! execution. Blocks are not used again for long, so a pointer that is kept too long meets its own block and not
//! another one.

use super::clocks::{self, Own};
use super::detect::Kind;
use super::locations::Location;
use super::records::{self, Record};
use super::shadow::{FOR_EVER, Granule, Word};
use super::vast;
use crate::{finish, heap, prologue, world};
use core::cell::Cell;
use rscale_protocol::ThreadId;
use rscale_protocol::ending::HeapError;

/// Whether the shadow says for good what was freed before the first decision.
static IS_KEPT: Own<bool> = Own(Cell::new(false));

/// A block has been freed by the running thread.
pub fn mark(block: Location) {
    if super::is_watching() {
        let thread = world::get().current.get();
        mark_all(block, Word::freed(clocks::known(thread, thread), thread));
    }
}

/// An execution arrives at its first decision: what was freed on the way stays freed, though all else that was noted is
/// forgotten. Where executions begin here from now on, once and for all.
pub fn keep() {
    if !super::is_on() || (prologue::is_over() && IS_KEPT.0.replace(true)) {
        return;
    }
    let clock = if prologue::is_over() { FOR_EVER } else { clocks::base() };
    heap::for_each_freed(|start, length| mark_all(Location { start, length }, Word::freed(clock, ThreadId::MAIN)));
}

fn mark_all(block: Location, word: Word) {
    vast::for_each_part(block, |part, is_untouched| {
        if !(is_untouched && vast::set_all(part, word)) {
            mark_each(part, word);
        }
    });
}

fn mark_each(block: Location, word: Word) {
    for granule in block.granules().map(Granule::of) {
        match kept_record(granule) {
            Some(record) => record.set_freed(true),
            None => granule.set_both(word),
        }
    }
}

/// A block is used again.
pub fn unmark(block: Location) {
    if !super::is_watching() {
        return;
    }
    for granule in block.granules().map(Granule::of) {
        match kept_record(granule) {
            Some(record) => record.set_freed(false),
            None if granule.written().as_freed().is_some() => granule.set_both(Word::NONE),
            None => {}
        }
    }
}

/// The record of a granule with communication variables: it has to stay.
fn kept_record(granule: Granule) -> Option<Record> {
    let word = granule.written();
    word.as_record().filter(|_| word.clock() == FOR_EVER).map(records::get)
}

/// Whether some of the bytes are freed memory.
pub fn is_freed(range: Location) -> bool {
    range.granules().any(|address| {
        let granule = Granule::of(address);
        let word = granule.written();
        match kept_record(granule) {
            Some(record) => record.freed() & range.bytes_in(address) != 0,
            None => word.as_freed().is_some() && !word.is_stale(clocks::base()),
        }
    })
}

/// An access is about to happen: ends the execution if it must not.
#[inline(always)]
pub fn check(kind: Kind, range: Location) {
    if is_freed(range) {
        refuse(kind, range);
    }
}

#[cold]
fn refuse(kind: Kind, range: Location) {
    let error = if kind == Kind::Read { HeapError::UseAfterFree } else { HeapError::WriteAfterFree };
    finish::heap_error(error, block_around(range));
}

/// A store is about to become visible by a step of this shadow thread: ends the execution if it comes too late.
pub fn check_flush(shadow: ThreadId, range: Location) {
    if is_freed(range) {
        finish::late_store(shadow, block_around(range));
    }
}

fn block_around(range: Location) -> u64 {
    range.granules().find_map(heap::freed_block_around).unwrap_or(range.start)
}
