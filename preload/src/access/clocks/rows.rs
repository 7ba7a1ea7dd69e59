//! Where the clocks lie: a row for each thread, and two for each variable.
//!
//! Rows have room for all threads that there may be, but few programs have as many: only the entries of the threads of
//! this execution are looked at. Variables are found by hashing. Nothing is cleared from one execution to the next: a
//! slot of an earlier one is known by its base.

use super::{Own, base};
use crate::{access, buffer};
use core::cell::Cell;
use rscale_protocol::{MAX_THREADS, ThreadId, Variable};

/// Variables that an execution can have; a power of two.
pub(super) const SLOTS: usize = 1 << 17;
/// How many threads the rows have room for.
pub(super) static WIDTH: Own<usize> = Own(Cell::new(0));
/// How many entries of a row mean something: those of the threads of this execution. The others of rows that are read
/// are zero, and need not be looked at.
pub(super) static ACTIVE: Own<usize> = Own(Cell::new(0));
/// How many it ever were.
pub(super) static MOST_ACTIVE: Own<usize> = Own(Cell::new(0));
pub(super) static TABLE: Own<u64> = Own(Cell::new(0));

/// Slots of this execution that are known: enough for those that can be saved.
pub(super) const MOST_SAVED: usize = 1024;
pub(super) static SLOTS_USED: [Own<u64>; MOST_SAVED] = [const { Own(Cell::new(0)) }; MOST_SAVED];
pub(super) static SLOT_COUNT: Own<usize> = Own(Cell::new(0));

/// What steps left at a variable; two rows follow: of the writes, and of all accesses.
#[repr(C)]
pub(super) struct Slot {
    variable: u64,
    /// The base of the execution that filled it.
    pub(super) base: u64,
}

pub(super) type Row = *mut u64;

/// Reserves rows and slots for this many threads.
pub(super) fn map(threads: usize) -> bool {
    WIDTH.0.set(threads);
    let length = (rows() * row_bytes() + (SLOTS + 1) * slot_bytes()) as u64;
    let Some(table) = access::reserve(0, length.next_multiple_of(4096)) else { return false };
    TABLE.0.set(table);
    true
}

/// One row for each thread. Under weak memory also for each shadow thread, and for each store in a buffer.
pub(super) fn rows() -> usize {
    if buffer::is_on() { MAX_THREADS + buffer::CAPACITY } else { WIDTH.0.get() }
}

pub(super) fn row_bytes() -> usize {
    WIDTH.0.get() * 8
}

/// Bytes of the part of a row that means something.
pub(super) fn active_bytes() -> u64 {
    ACTIVE.0.get() as u64 * 8
}

/// The rows of a slot.
pub(super) fn rows_at(slot: u64) -> [Row; 2] {
    let first = slot + size_of::<Slot>() as u64;
    [first as Row, (first + row_bytes() as u64) as Row]
}

pub(super) fn slot_bytes() -> usize {
    size_of::<Slot>() + 2 * row_bytes()
}

/// The row of a thread.
pub(super) fn row(thread: ThreadId) -> Row {
    (TABLE.0.get() + (thread.index() * row_bytes()) as u64) as Row
}

pub(super) fn row_of_store(slot: usize) -> Row {
    (TABLE.0.get() + ((MAX_THREADS + slot) * row_bytes()) as u64) as Row
}

pub(super) fn set_active(count: usize) {
    ACTIVE.0.set(count);
    MOST_ACTIVE.0.set(MOST_ACTIVE.0.get().max(count));
}

pub(super) fn join(into: Row, from: Row) {
    // SAFETY: both are rows of the same width, and different ones.
    (0..ACTIVE.0.get()).for_each(|index| unsafe { *into.add(index) = (*into.add(index)).max(*from.add(index)) });
}

#[inline(always)]
pub(super) fn copy(into: Row, from: Row, entries: usize) {
    // SAFETY: as in `join`. Word by word: rows are short.
    (0..entries).for_each(|index| unsafe { *into.add(index) = *from.add(index) });
}

/// The two rows of a variable, empty if this execution has not accessed it before.
pub(super) fn slot(variable: Variable) -> [Row; 2] {
    let slots = TABLE.0.get() + (rows() * row_bytes()) as u64;
    let base = base();
    let mut index = (variable.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 47) as usize % SLOTS;
    for _ in 0..SLOTS {
        let slot = (slots + (index * slot_bytes()) as u64) as *mut Slot;
        // SAFETY: the slot lies in the reserved memory, followed by its two rows.
        unsafe {
            let rows = rows_at(slot as u64);
            if (*slot).base == base && (*slot).variable == variable.0 {
                return rows;
            }
            if (*slot).base != base {
                *slot = Slot { variable: variable.0, base };
                note_slot(slot as u64);
                rows[0].write_bytes(0, 2 * WIDTH.0.get());
                return rows;
            }
        }
        index = (index + 1) % SLOTS;
    }
    crate::finish::unsupported(b"synchronises through more variables than rscale can watch")
}

/// A slot is filled for the first time in this execution.
pub(super) fn note_slot(slot: u64) {
    let count = SLOT_COUNT.0.get();
    if let Some(place) = SLOTS_USED.get(count) {
        place.0.set(slot);
    }
    SLOT_COUNT.0.set((count + 1).min(MOST_SAVED + 1));
}

pub(super) fn slots_used(first: usize) -> impl Iterator<Item = u64> {
    SLOTS_USED[first..SLOT_COUNT.0.get()].iter().map(|slot| slot.0.get())
}

/// Whether all slots of this execution are known.
pub fn can_go_back() -> bool {
    SLOT_COUNT.0.get() <= MOST_SAVED
}
