//! Where the clocks lie: a row for each thread, and two for each variable.
//!
//! Rows have room for all threads that there may be, but few programs have as many: only the entries of the threads of
//! this execution are looked at, two at a time.
//!
//! The slots of variables lie one behind the other, in the order in which an execution first accesses them, so that
//! those of one execution are near each other. They are found through an index, which is never cleared: an entry means
//! something if it names a slot in use that names the entry. Slots are given up in the opposite order, all at the
//! beginning of an execution and the last ones where it goes back to a checkpoint: so what is found by passing over
//! entries in use is found for as long as it is there.

use super::Own;
use crate::{access, buffer};
use core::arch::x86_64::{
    __m128i, _mm_add_epi64, _mm_andnot_si128, _mm_load_si128, _mm_setzero_si128, _mm_shuffle_epi32, _mm_srai_epi32,
    _mm_store_si128, _mm_sub_epi64,
};
use core::cell::Cell;
use rscale_protocol::{MAX_THREADS, ThreadId, Variable};

/// Variables that an execution can have.
const SLOTS: usize = 1 << 17;
/// Entries of the index; a power of two.
const INDEX: usize = 2 * SLOTS;
const INDEX_BITS: u32 = INDEX.trailing_zeros();

/// How many threads the rows have room for: an even number.
pub(super) static WIDTH: Own<usize> = Own(Cell::new(0));
/// How many entries of a row mean something: those of the threads of this execution. The others of rows that are read
/// are zero, and need not be looked at.
pub(super) static ACTIVE: Own<usize> = Own(Cell::new(0));
/// How many it ever were.
static MOST_ACTIVE: Own<usize> = Own(Cell::new(0));
/// The rows of threads, the index, and the slots.
static TABLE: Own<u64> = Own(Cell::new(0));
static ENTRIES: Own<u64> = Own(Cell::new(0));
static FIRST_SLOT: Own<u64> = Own(Cell::new(0));
/// How many slots are in use.
pub(super) static SLOT_COUNT: Own<usize> = Own(Cell::new(0));

/// What steps left at a variable; two rows follow: of the writes, and of all accesses.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(super) struct Slot {
    variable: u64,
    /// Its entry in the index.
    entry: u64,
}

pub(super) type Row = *mut u64;

/// Reserves rows and slots for this many threads.
pub(super) fn map(threads: usize) -> bool {
    const PAGE: usize = 4096;
    WIDTH.0.set(threads.next_multiple_of(2));
    let rows = (rows() * row_bytes()).next_multiple_of(PAGE);
    let index = INDEX * size_of::<u32>();
    let length = rows + index + (SLOTS * slot_bytes()).next_multiple_of(PAGE);
    let Some(table) = access::reserve(0, length as u64) else { return false };
    TABLE.0.set(table);
    ENTRIES.0.set(table + rows as u64);
    FIRST_SLOT.0.set(table + (rows + index) as u64);
    true
}

/// One row for each thread. Under weak memory also for each shadow thread, and for each store in a buffer.
fn rows() -> usize {
    if buffer::is_on() { MAX_THREADS + buffer::CAPACITY } else { WIDTH.0.get() }
}

fn row_bytes() -> usize {
    WIDTH.0.get() * 8
}

/// Bytes of the part of a row that means something, and perhaps of a zero behind it.
pub(super) fn active_bytes() -> u64 {
    pairs(ACTIVE.0.get()) as u64 * 16
}

/// The rows of a slot.
pub(super) fn rows_at(slot: *mut Slot) -> [Row; 2] {
    let first = slot as u64 + size_of::<Slot>() as u64;
    [first as Row, (first + row_bytes() as u64) as Row]
}

fn slot_bytes() -> usize {
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

/// Two entries of a row.
#[derive(Clone, Copy)]
struct Pair(__m128i);

impl Pair {
    /// The later ones of both. Clocks are far below the highest number, so that their difference has a sign.
    #[inline(always)]
    fn max(self, other: Pair) -> Pair {
        const UPPER_HALVES: i32 = 0b11_11_01_01;
        // SAFETY: every x86-64 processor has these instructions.
        unsafe {
            let lead = _mm_sub_epi64(other.0, self.0);
            let is_negative = _mm_srai_epi32::<31>(_mm_shuffle_epi32::<UPPER_HALVES>(lead));
            Pair(_mm_add_epi64(self.0, _mm_andnot_si128(is_negative, lead)))
        }
    }
}

/// How many pairs so many entries are, the last of which may have one entry more: it is zero in all rows.
fn pairs(entries: usize) -> usize {
    entries.div_ceil(2)
}

/// A pair of a row.
///
/// # Safety
/// The row must have so many pairs, as all rows have of those below their width.
#[inline(always)]
unsafe fn load(row: Row, pair: usize) -> Pair {
    // SAFETY: as the caller promises; rows begin at multiples of 16.
    Pair(unsafe { _mm_load_si128(row.cast::<__m128i>().add(pair)) })
}

/// # Safety
/// As [`load`].
#[inline(always)]
unsafe fn store(row: Row, pair: usize, value: Pair) {
    // SAFETY: as the caller promises.
    unsafe { _mm_store_si128(row.cast::<__m128i>().add(pair), value.0) };
}

/// Makes a row know what another one does.
pub(super) fn join(into: Row, from: Row) {
    // SAFETY: both are rows.
    (0..pairs(ACTIVE.0.get())).for_each(|pair| unsafe { store(into, pair, load(into, pair).max(load(from, pair))) });
}

/// As [`join`] of the first two, and then of the third with the first.
pub(super) fn join_through(row: Row, from: Row, into: Row) {
    for pair in 0..pairs(ACTIVE.0.get()) {
        // SAFETY: all are rows.
        unsafe {
            let joined = load(row, pair).max(load(from, pair));
            store(row, pair, joined);
            store(into, pair, load(into, pair).max(joined));
        }
    }
}

/// As [`join`] of the first two, which are then the same, and so is the third.
pub(super) fn join_all(row: Row, with: Row, also: Row) {
    for pair in 0..pairs(ACTIVE.0.get()) {
        // SAFETY: all are rows.
        unsafe {
            let joined = load(row, pair).max(load(with, pair));
            [row, with, also].into_iter().for_each(|row| store(row, pair, joined));
        }
    }
}

#[inline(always)]
pub(super) fn copy(into: Row, from: Row) {
    // SAFETY: both are rows.
    (0..pairs(WIDTH.0.get())).for_each(|pair| unsafe { store(into, pair, load(from, pair)) });
}

/// Puts the part of a row that means something where there is room for it.
pub(super) fn save(row: Row, place: u64) {
    // SAFETY: the first is a row, and there is room for as much behind the place, which is aligned.
    (0..pairs(ACTIVE.0.get())).for_each(|pair| unsafe { store(place as Row, pair, load(row, pair)) });
}

/// Brings back a row from there. Entries behind those that were saved may not be zero any more.
pub(super) fn bring_back(row: Row, place: u64) {
    let saved = pairs(ACTIVE.0.get());
    // SAFETY: as in `save`.
    (0..saved).for_each(|pair| unsafe { store(row, pair, load(place as Row, pair)) });
    clear(row, saved..pairs(MOST_ACTIVE.0.get()));
}

/// Makes a row know nothing.
pub(super) fn forget(row: Row) {
    clear(row, 0..pairs(WIDTH.0.get()));
}

#[inline(always)]
fn clear(row: Row, pairs: core::ops::Range<usize>) {
    // SAFETY: every x86-64 processor has the instruction.
    let zero = unsafe { _mm_setzero_si128() };
    for pair in pairs {
        // SAFETY: it is a row. Volatile, or the compiler makes a call of the loop, which takes longer.
        unsafe { row.cast::<__m128i>().add(pair).write_volatile(zero) };
    }
}

/// The two rows of a variable, empty if this execution has not accessed it before.
pub(super) fn slot(variable: Variable) -> [Row; 2] {
    // Neighbours in memory are neighbours in the index.
    let mixed = variable.0 ^ variable.0 >> INDEX_BITS ^ variable.0 >> (2 * INDEX_BITS);
    let mut entry = mixed as usize % INDEX;
    loop {
        let number = index_entry(entry).get() as usize;
        if number >= SLOT_COUNT.0.get() {
            return fill_slot(variable, entry);
        }
        let slot = slot_at(number);
        // SAFETY: a slot in use lies in the reserved memory.
        let known = unsafe { *slot };
        if known.entry != entry as u64 {
            return fill_slot(variable, entry);
        }
        if known.variable == variable.0 {
            return rows_at(slot);
        }
        entry = (entry + 1) % INDEX;
    }
}

fn index_entry(entry: usize) -> &'static Cell<u32> {
    // SAFETY: the index lies in the reserved memory, which is there for ever, zeroes are numbers, and only the kernel
    // thread that runs program and shim touches it.
    unsafe { &*(ENTRIES.0.get() as *const Cell<u32>).add(entry) }
}

/// The slot with a number.
pub(super) fn slot_at(number: usize) -> *mut Slot {
    (FIRST_SLOT.0.get() + (number * slot_bytes()) as u64) as *mut Slot
}

/// Takes the next slot.
#[inline(never)]
fn fill_slot(variable: Variable, entry: usize) -> [Row; 2] {
    let number = SLOT_COUNT.0.get();
    if number == SLOTS {
        crate::finish::unsupported(b"synchronises through more variables than rscale can watch");
    }
    SLOT_COUNT.0.set(number + 1);
    index_entry(entry).set(number as u32);
    let slot = slot_at(number);
    // SAFETY: the slot lies in the reserved memory, followed by its two rows.
    unsafe { *slot = Slot { variable: variable.0, entry: entry as u64 } };
    rows_at(slot).into_iter().for_each(forget);
    rows_at(slot)
}

/// The slots in use.
pub(super) fn slots_used() -> impl Iterator<Item = *mut Slot> {
    (0..SLOT_COUNT.0.get()).map(slot_at)
}
