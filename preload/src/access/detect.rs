//! Finds accesses of different threads to the same bytes that nothing orders.
//!
//! The idea is FastTrack's: of the accesses so far only those matter that are not ordered before a later one of the
//! same or a stronger kind. As long as that is one read and one write, the two shadow words hold them; else a record
//! does. What is found here need not be exact to be sound: an access that seems later than it was can only show too
//! many races, and a race only makes a location a scheduling point.

use super::clocks;
use super::locations::Location;
use super::records::{self, Entry, Record};
use super::shadow::{FOR_EVER, GRANULE, Granule, Word};
use super::{pieces, widening};
use crate::{arena, world};
use core::sync::atomic::Ordering::Relaxed;
use rscale_protocol::ThreadId;
use rscale_protocol::arena::MAX_RACES;

/// How memory is accessed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Seen.
    Read,
    /// Changed.
    Write,
}

/// The access at hand.
#[derive(Clone, Copy)]
struct Access {
    thread: ThreadId,
    epoch: u64,
    kind: Kind,
    /// All its bytes.
    range: Location,
    /// Whether other threads may come between its bytes.
    is_divisible: bool,
}

/// One instruction of the running thread accesses a range: looks for races, and remembers the access.
pub fn instruction(kind: Kind, range: Location) {
    access(kind, range, false);
}

/// As [`instruction`], where the range is accessed bit by bit.
pub fn divisible(kind: Kind, range: Location) {
    access(kind, range, true);
}

/// Remembers an access of which the shadow words alone show that nobody else was there: most ranges pass here. False if
/// there is more to it; then the access, perhaps remembered in part, is still to be made known.
pub fn quiet(kind: Kind, range: Location) -> bool {
    let epoch = clocks::EPOCH.0.get();
    let me = Word(epoch).thread();
    let is_known = |word: Word| {
        word.is_stale(clocks::base()) || word.thread() == me || word.clock() <= clocks::known(me, word.thread())
    };
    range.granules().all(|address| {
        let (granule, bytes) = (Granule::of(address), range.bytes_in(address));
        let (own, other) = match kind {
            Kind::Read => (granule.read(), granule.written()),
            Kind::Write => (granule.written(), granule.read()),
        };
        let is_now = own.0 & !0xff == epoch;
        if is_now && bytes & !own.bytes() == 0 {
            return true;
        }
        let is_simple = own.is_access() && other.is_access();
        let is_covered = own.is_stale(clocks::base()) || own.bytes() & !bytes == 0;
        let is_widened = is_now || (widening::is_on() && own.thread() == me);
        if !is_simple || !is_known(own) || !is_known(other) || !(is_widened || is_covered) {
            return false;
        }
        let word = Word::new(epoch, if is_covered { bytes } else { own.bytes() | bytes });
        match kind {
            Kind::Read => granule.set_read(word),
            Kind::Write => granule.set_written(word),
        }
        true
    })
}

fn access(kind: Kind, range: Location, is_divisible: bool) {
    let thread = world::get().current.get();
    let access = Access { thread, epoch: clocks::EPOCH.0.get(), kind, range, is_divisible };
    for address in range.granules() {
        access.visit_granule(address, range.bytes_in(address));
    }
}

impl Access {
    fn visit_granule(&self, address: u64, bytes: u8) {
        let granule = Granule::of(address);
        if !granule.written().is_access() && granule.written().is_stale(clocks::base()) {
            granule.set_both(Word::NONE);
        }
        let (written, read) = (granule.written(), granule.read());
        if let Some(number) = written.as_record() {
            let is_exact = written.clock() == FOR_EVER || !widening::is_on();
            self.visit_record(records::get(number), address, bytes, is_exact);
            return self.note_done(granule, records::get(number), bytes);
        }
        if let Some(thread) = written.as_freed() {
            return self.visit_freed(thread, written.clock(), address, bytes);
        }
        if self.is_unordered(written, bytes) || (self.kind == Kind::Write && self.is_unordered(read, bytes)) {
            return self.inflate(granule, address, bytes);
        }
        let done = match self.kind {
            Kind::Read => self.replaced(granule.read(), bytes).map(|word| granule.set_read(word)),
            Kind::Write => self.replaced(granule.written(), bytes).map(|word| granule.set_written(word)),
        };
        if done.is_none() {
            self.inflate(granule, address, bytes);
        }
    }

    /// Freed memory is for nobody to access, which ends the execution. Whether it could have come before it was freed
    /// is for the search to find out.
    fn visit_freed(&self, thread: ThreadId, clock: u64, address: u64, bytes: u8) {
        let is_ordered = clock == FOR_EVER || thread == self.thread || clock <= clocks::known(self.thread, thread);
        if !is_ordered {
            self.report(address, bytes, bytes);
        }
    }

    /// Whether the remembered access is another thread's, of some of these bytes, and not ordered before this one.
    fn is_unordered(&self, other: Word, bytes: u8) -> bool {
        !other.is_stale(clocks::base())
            && other.thread() != self.thread
            && other.bytes() & bytes != 0
            && other.clock() > clocks::known(self.thread, other.thread())
    }

    /// The word that remembers this access instead of the old one, if the old one matters no more.
    fn replaced(&self, old: Word, bytes: u8) -> Option<Word> {
        if old.is_stale(clocks::base()) {
            return Some(Word::new(self.epoch, bytes));
        }
        if old.0 & !0xff == self.epoch {
            return Some(Word(old.0 | u64::from(bytes)));
        }
        let is_covered = old.bytes() & !bytes == 0;
        if !is_covered && old.thread() == self.thread && widening::is_on() {
            return Some(Word::new(self.epoch, old.bytes() | bytes));
        }
        let is_ordered = old.thread() == self.thread || old.clock() <= clocks::known(self.thread, old.thread());
        (is_covered && is_ordered).then_some(Word::new(self.epoch, bytes))
    }

    /// The two words are not enough any more.
    fn inflate(&self, granule: Granule, address: u64, bytes: u8) {
        let (written, read) = (granule.written(), granule.read());
        let (number, record) = records::allocate();
        for (word, is_write) in [(written, true), (read, false)] {
            if !word.is_stale(clocks::base()) {
                record.push(Entry::new(word, is_write));
            }
        }
        granule.set_both(Word::record(clocks::base(), number));
        self.visit_record(record, address, bytes, !widening::is_on());
        self.note_done(granule, record, bytes);
    }

    /// Notes beside a record that this access need not be looked at again in this epoch.
    fn note_done(&self, granule: Granule, record: Record, bytes: u8) {
        if record.communication() == 0 {
            let (read, written) = granule.done(self.epoch);
            granule.set_read(match self.kind {
                Kind::Read => Word::done(self.epoch, read | bytes, written),
                Kind::Write => Word::done(self.epoch, read, written | bytes),
            });
        }
    }

    /// `is_exact`: what it remembers was not widened.
    fn visit_record(&self, record: Record, address: u64, bytes: u8, is_exact: bool) {
        record.refresh();
        let bytes = bytes & !record.communication();
        if bytes == 0 {
            return;
        }
        let is_write = self.kind == Kind::Write;
        // A word remembers all bytes that its thread accessed in the epoch: neighbours are none of this access's
        // business.
        let racing = record
            .entries()
            .iter()
            .filter(|entry| (is_write || entry.is_write()) && self.is_unordered(entry.word(), bytes))
            .fold(0, |racing, entry| racing | (entry.word().bytes() & bytes));
        if racing != 0 && record.report(racing | bytes) {
            match is_exact {
                true => self.report(address, racing, bytes),
                false => report(widening::page(address).closely()),
            }
        }
        record.retain(|entry| !self.supersedes(entry, bytes));
        record.push(Entry::new(Word::new(self.epoch, bytes), is_write));
    }

    /// Whether whoever races with the remembered access races with this one too.
    fn supersedes(&self, entry: Entry, bytes: u8) -> bool {
        let word = entry.word();
        let is_ordered = word.thread() == self.thread || word.clock() <= clocks::known(self.thread, word.thread());
        let is_as_strong = self.kind == Kind::Write || !entry.is_write();
        is_ordered && is_as_strong && word.bytes() & !bytes == 0
    }

    /// A race: the bytes of the access are one location from now on. An access that is not one step keeps its parts
    /// apart.
    fn report(&self, address: u64, racing: u8, bytes: u8) {
        if self.is_divisible {
            return self.report_parts(address & !7, racing);
        }
        let common = span(address & !7, racing | bytes);
        let (start, end) = (common.start.min(self.range.start), common.end().max(self.range.end()));
        report(Location { start, length: end - start });
    }

    /// What races of the parts that an access has in a granule.
    fn report_parts(&self, granule: u64, racing: u8) {
        let end = self.range.end().min(granule + GRANULE);
        let mut start = self.range.start.max(granule);
        while start < end {
            let part = Location { start, length: pieces::first_part(start, end) };
            let bytes = racing & part.bytes_in(granule);
            if bytes != 0 {
                report(span(granule, bytes));
            }
            start = part.end();
        }
    }
}

/// The range from the first to the last of these bytes of a granule.
fn span(granule: u64, bytes: u8) -> Location {
    let (first, last) = (u64::from(bytes.trailing_zeros()), 7 - u64::from(bytes.leading_zeros()));
    Location { start: granule + first, length: last - first + 1 }
}

/// Tells the scheduler process of a location that has to be a communication variable.
pub fn report(location: Location) {
    if world::get().forked_child.get() {
        return; // the arena belongs to the execution of the parent
    }
    let arena = arena::get();
    let count = arena.result.races.load(Relaxed) as usize;
    if let Some(place) = arena.races.get(count) {
        place.store(location.start, location.length);
    }
    arena.result.races.store((count + 1).min(MAX_RACES) as u32, Relaxed);
}

/// Whether this execution has found such a location.
pub fn has_found() -> bool {
    arena::get().result.races.load(Relaxed) > 0
}
