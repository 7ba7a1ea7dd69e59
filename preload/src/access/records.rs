//! Records: what a shadow word can not hold. A list of accesses to a granule by several threads, or to several of its
//! bytes at different times; and which of its bytes are communication variables.
//!
//! Records of communication variables stay for as long as the set of these does. The others are made anew in every
//! execution, behind them.
//!
//! Programs that work on large tables have many records, and few of them have more than a few entries: these lie in the
//! record itself, which is a cache line. A record with more entries has room for all that it can have in a second
//! place.

use super::clocks::{self, Own};
use super::shadow::{MOST_RECORDS, Word};
use super::widening;
use crate::checkpoint::Tape;
use crate::sys;
use core::cell::Cell;

/// Entries of a record without a second place.
const FEW: usize = 5;

/// The records, and the second places of some of them.
static MEMORY: Own<u64> = Own(Cell::new(0));
static PLACES: Own<u64> = Own(Cell::new(0));
/// Most entries of a record.
static ENTRIES: Own<usize> = Own(Cell::new(0));
/// Records of communication variables, and of all.
static KEPT: Own<usize> = Own(Cell::new(0));
static USED: Own<usize> = Own(Cell::new(0));
/// Second places, all of this execution.
static PLACES_USED: Own<usize> = Own(Cell::new(0));

/// The part of a record before its entries.
#[repr(C)]
struct Head {
    /// Clock of the execution that its entries are about.
    base: u64,
    /// Bytes of the granule that belong to communication variables.
    communication: u8,
    /// Bytes on which a race was reported in this execution.
    reported: u8,
    length: u16,
    /// Bytes that were freed: in this execution, and before the first decision of all of them.
    freed: u8,
    freed_for_ever: u8,
    /// The number of its second place, from 1 on; 0 if it has none.
    place: u32,
}

impl Head {
    fn empty() -> Head {
        Head { base: clocks::base(), communication: 0, reported: 0, length: 0, freed: 0, freed_for_ever: 0, place: 0 }
    }
}

#[repr(C, align(64))]
struct Body {
    head: Head,
    entries: [Entry; FEW],
}

/// One record.
#[derive(Clone, Copy)]
pub struct Record {
    head: *mut Head,
}

/// One access in a record: a shadow word with a mark for writes.
#[derive(Clone, Copy)]
pub struct Entry(pub u64);

impl Entry {
    const WRITE: u64 = 1 << 8;

    pub fn new(word: Word, is_write: bool) -> Entry {
        Entry(word.0 | if is_write { Entry::WRITE } else { 0 })
    }

    pub fn word(self) -> Word {
        Word(self.0 & !Entry::WRITE)
    }

    pub fn is_write(self) -> bool {
        self.0 & Entry::WRITE != 0
    }
}

/// Reserves room for records of this many threads: each may have an entry for reads and one for writes.
pub fn reserve(threads: usize) -> bool {
    ENTRIES.0.set((2 * threads).max(FEW));
    let room = |each: usize| super::reserve(0, (MOST_RECORDS * each) as u64);
    let (Some(memory), Some(places)) = (room(size_of::<Body>()), room(place_bytes())) else { return false };
    MEMORY.0.set(memory);
    PLACES.0.set(places);
    true
}

/// There will be many.
pub fn expect_many() {
    // SAFETY: memory of the shim, all of it writable.
    unsafe { sys::prefer_huge_pages(MEMORY.0.get(), (MOST_RECORDS * size_of::<Body>()) as u64) };
}

fn place_bytes() -> usize {
    ENTRIES.0.get() * size_of::<Entry>()
}

/// An execution begins: only the records of communication variables are left.
pub fn begin() {
    USED.0.set(KEPT.0.get());
    PLACES_USED.0.set(0);
}

/// From here on, records are those of one execution.
pub fn keep() {
    KEPT.0.set(USED.0.get());
}

fn used() -> [(u64, u64); 2] {
    let records = (MEMORY.0.get(), (USED.0.get() * size_of::<Body>()) as u64);
    let places = (PLACES.0.get(), (PLACES_USED.0.get() * place_bytes()) as u64);
    [records, places]
}

/// Saves all records.
pub fn save(tape: &mut Tape) {
    tape.put((USED.0.get(), PLACES_USED.0.get()));
    used().into_iter().for_each(|(start, length)| tape.save(start, length));
}

/// Brings back the records that were saved, and no others.
pub fn bring_back(tape: &mut Tape) {
    let (records, places) = tape.take();
    USED.0.set(records);
    PLACES_USED.0.set(places);
    used().into_iter().for_each(|(start, length)| tape.bring_back(start, length));
}

/// A fresh record and its number.
pub fn allocate() -> (usize, Record) {
    let number = USED.0.get();
    if number == MOST_RECORDS {
        crate::finish::unsupported(b"shares more memory between threads than rscale can watch");
    }
    USED.0.set(number + 1);
    widening::note_records(number + 1 - KEPT.0.get());
    let record = get(number);
    // SAFETY: the record lies in the reserved memory.
    unsafe { *record.head = Head::empty() };
    (number, record)
}

/// The record with a number.
pub fn get(number: usize) -> Record {
    Record { head: (MEMORY.0.get() + (number * size_of::<Body>()) as u64) as *mut Head }
}

impl Record {
    fn head<'a>(self) -> &'a mut Head {
        // SAFETY: the record lies in the reserved memory; references to it do not overlap in time.
        unsafe { &mut *self.head }
    }

    /// Forgets what is about another execution.
    pub fn refresh(self) {
        let head = self.head();
        if head.base != clocks::base() {
            (head.base, head.length, head.reported, head.freed) = (clocks::base(), 0, 0, 0);
            head.place = 0;
        }
    }

    pub fn communication(self) -> u8 {
        self.head().communication
    }

    pub fn add_communication(self, bytes: u8) {
        self.head().communication |= bytes;
    }

    /// Which bytes are freed memory.
    pub fn freed(self) -> u8 {
        self.refresh();
        self.head().freed | self.head().freed_for_ever
    }

    /// All bytes have been freed, or are in use again.
    pub fn set_freed(self, is_freed: bool) {
        self.refresh();
        self.head().freed = if is_freed { 0xff } else { 0 };
        self.head().freed_for_ever &= self.head().freed;
    }

    /// All bytes have been freed before the first decision.
    pub fn set_freed_for_ever(self) {
        self.head().freed_for_ever = 0xff;
    }

    /// Marks bytes as reported; returns whether some of them were not yet.
    pub fn report(self, bytes: u8) -> bool {
        let head = self.head();
        let is_new = bytes & !head.reported != 0;
        head.reported |= bytes;
        is_new
    }

    /// The accesses.
    pub fn entries<'a>(self) -> &'a mut [Entry] {
        let length = usize::from(self.head().length);
        // SAFETY: `length` of the entries are filled.
        unsafe { core::slice::from_raw_parts_mut(self.first_entry(), length) }
    }

    fn first_entry(self) -> *mut Entry {
        match self.head().place {
            // SAFETY: the entries follow the head.
            0 => unsafe { self.head.add(1).cast() },
            place => (PLACES.0.get() + ((place as usize - 1) * place_bytes()) as u64) as *mut Entry,
        }
    }

    /// How many accesses it has room for, once it has a second place if it needs one.
    fn grown(self) -> usize {
        let head = self.head();
        if head.place == 0 && usize::from(head.length) == FEW {
            let (from, place) = (self.first_entry(), PLACES_USED.0.get() + 1);
            PLACES_USED.0.set(place);
            head.place = place as u32;
            // SAFETY: there are no more second places than records, and each has room for as many as are copied.
            unsafe { core::ptr::copy_nonoverlapping(from, self.first_entry(), FEW) };
        }
        if self.head().place == 0 { FEW } else { ENTRIES.0.get() }
    }

    /// Takes out the accesses for which `keep` does not hold.
    pub fn retain(self, keep: impl Fn(Entry) -> bool) {
        let entries = self.entries();
        let mut kept = 0;
        for index in 0..entries.len() {
            if keep(entries[index]) {
                entries[kept] = entries[index];
                kept += 1;
            }
        }
        self.head().length = kept as u16;
    }

    /// Adds an access. Where there is no room, it joins an older one of its thread and kind: that one then seems later
    /// than it was, which may show a race that is none, but hides none.
    pub fn push(self, entry: Entry) {
        let word = entry.word();
        let is_same = |other: &&mut Entry| (other.0 ^ entry.0) & !0xff == 0;
        if let Some(same) = self.entries().iter_mut().find(is_same) {
            same.0 |= entry.0; // the same epoch and kind: other bytes
            return;
        }
        let is_like =
            |other: &&mut Entry| other.word().thread() == word.thread() && other.is_write() == entry.is_write();
        if self.entries().len() == self.grown() {
            if let Some(older) = self.entries().iter_mut().find(is_like) {
                *older = Entry(entry.0 | u64::from(older.word().bytes()));
                return;
            }
            // Every thread has two entries at most then, so there are none of this thread: somebody has more.
            self.make_room();
        }
        let length = self.head().length;
        // SAFETY: there is room for one more entry.
        unsafe { *self.first_entry().add(length.into()) = entry };
        self.head().length = length + 1;
    }

    /// Joins two accesses of one thread and kind.
    fn make_room(self) {
        let entries = self.entries();
        for first in 0..entries.len() {
            for second in first + 1..entries.len() {
                let (one, other) = (entries[first], entries[second]);
                if one.word().thread() == other.word().thread() && one.is_write() == other.is_write() {
                    let later = if one.word().clock() > other.word().clock() { one } else { other };
                    entries[first] = Entry(later.0 | one.0 & 0xff | other.0 & 0xff);
                    entries[second] = entries[entries.len() - 1];
                    self.head().length -= 1;
                    return;
                }
            }
        }
    }
}
