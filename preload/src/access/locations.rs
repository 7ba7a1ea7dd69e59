//! The communication variables: ranges of memory that the scheduler process found to matter.

use super::clocks::Own;
use super::records;
use super::shadow::{FOR_EVER, GRANULE, Granule, Word};
use crate::arena;
use core::cell::Cell;
use core::sync::atomic::Ordering::Relaxed;
use rscale_protocol::arena::MAX_LOCATIONS;

/// A range of bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Location {
    pub start: u64,
    pub length: u64,
}

/// Marks a range of which the [order](super::order) of parts is open. No address of a program has this bit.
const OPEN: u64 = 1 << 62;
/// Marks memory that is [watched closely](super::widening), as above.
const CLOSE: u64 = 1 << 61;

impl Location {
    /// As what says that the order of its parts is open.
    pub fn opened(self) -> Location {
        Location { start: self.start | OPEN, ..self }
    }

    /// As what is to be watched closely.
    pub fn closely(self) -> Location {
        Location { start: self.start | CLOSE, ..self }
    }

    /// The first byte behind it.
    pub fn end(self) -> u64 {
        self.start.saturating_add(self.length)
    }

    /// Whether they have bytes in common.
    pub fn overlaps(self, other: Location) -> bool {
        self.start < other.end() && other.start < self.end()
    }

    /// The bytes that both have.
    pub fn common(self, other: Location) -> Location {
        let start = self.start.max(other.start);
        Location { start, length: self.end().min(other.end()).saturating_sub(start) }
    }

    /// The bytes of the granule that contains the address which belong to the range.
    pub fn bytes_in(self, address: u64) -> u8 {
        let granule = address & !(GRANULE - 1);
        let first = self.start.max(granule) - granule;
        let end = self.end().min(granule + GRANULE).saturating_sub(granule);
        if first < end { (0xff << first) & (0xff >> (GRANULE - end)) } else { 0 }
    }

    /// The start of each granule that it touches.
    pub fn granules(self) -> impl Iterator<Item = u64> {
        (self.start & !(GRANULE - 1)..self.end()).step_by(GRANULE as usize)
    }
}

static VERSION: Own<u32> = Own(Cell::new(0));
static COUNT: Own<usize> = Own(Cell::new(0));

fn location(index: usize) -> Location {
    let (start, length) = arena::get().locations[index].load();
    Location { start, length }
}

/// Marks the locations in the shadow if they have changed.
pub fn refresh() {
    let request = &arena::get().request;
    let version = request.locations_version.load(Relaxed);
    if version == VERSION.0.replace(version) {
        return;
    }
    // Marks stay: locations are only ever added while a process lives.
    COUNT.0.set((request.locations.load(Relaxed) as usize).min(MAX_LOCATIONS));
    for location in (0..COUNT.0.get()).map(location).filter(|location| location.start & OPEN == 0) {
        let is_close = location.start & CLOSE != 0;
        for address in location.granules() {
            mark(Granule::of(address), if is_close { 0 } else { location.bytes_in(address) });
        }
    }
    records::keep();
}

fn mark(granule: Granule, bytes: u8) {
    let known = granule.written();
    let record = match known.as_record() {
        Some(number) if known.clock() == FOR_EVER => {
            granule.set_both(known); // what was done beside it is over
            records::get(number)
        }
        _ => {
            let (number, record) = records::allocate();
            if known.as_freed().is_some() && known.clock() == FOR_EVER {
                record.set_freed_for_ever();
            }
            granule.set_both(Word::record(FOR_EVER, number));
            record
        }
    };
    record.add_communication(bytes);
}

/// Whether the parts of an access to this range may take place in any order.
pub fn is_open(range: Location) -> bool {
    touched_by(range.opened()).next().is_some()
}

/// The communication variables that a range touches, in order.
pub fn touched_by(range: Location) -> impl Iterator<Item = Location> {
    let (mut low, mut high) = (0, COUNT.0.get());
    while low < high {
        let middle = (low + high) / 2;
        if location(middle).end() <= range.start { low = middle + 1 } else { high = middle }
    }
    (low..COUNT.0.get()).map(location).take_while(move |location| location.start < range.end())
}
