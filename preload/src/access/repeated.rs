//! Repeated string instructions: a range that is not accessed in one step, and that may end before its count does.

use super::detect::{self, Kind};
use super::locations::Location;
use super::point;
use rscale_protocol::region::Site;

/// The registers of such an instruction.
pub struct Repeated {
    pub source: u64,
    pub target: u64,
    pub accumulator: u64,
    pub count: u64,
    /// Bytes of one element.
    pub size: u64,
    pub is_backward: bool,
}

impl Repeated {
    /// The instruction is about to access memory at its source or its target.
    pub fn access(&self, kind: Kind, site: &Site, pc: u64) {
        const SOURCE: u8 = 6;
        let start = if site.register == SOURCE { self.source } else { self.target };
        let mut known = 0;
        // Where others have run, they may have moved what it looks for.
        loop {
            let found = self.rounds(site.flags);
            if found <= known {
                return;
            }
            let range = self.range(start, known, found);
            let passed = point::points(kind, range, pc);
            detect::divisible(kind, range);
            if !passed {
                return;
            }
            known = found;
        }
    }

    /// How often the instruction will be repeated.
    fn rounds(&self, flags: u8) -> u64 {
        let has = |flag| flags & flag != 0;
        if !has(Site::SCANS) && !has(Site::COMPARES) {
            return self.count;
        }
        let mask = u64::MAX >> (64 - 8 * self.size);
        let is_last = |&round: &u64| {
            let other = if has(Site::SCANS) { self.accumulator & mask } else { self.element(self.source, round) };
            (self.element(self.target, round) == other) != has(Site::WHILE_EQUAL)
        };
        (0..self.count).find(is_last).map_or(self.count, |last| last + 1)
    }

    fn place(&self, start: u64, round: u64) -> u64 {
        let distance = round.wrapping_mul(self.size);
        if self.is_backward { start.wrapping_sub(distance) } else { start.wrapping_add(distance) }
    }

    fn element(&self, start: u64, round: u64) -> u64 {
        let place = self.place(start, round);
        // SAFETY: the instruction that follows reads these bytes; if they are not there, it would fault as this does.
        unsafe {
            match self.size {
                1 => (place as *const u8).read().into(),
                2 => (place as *const u16).read_unaligned().into(),
                4 => (place as *const u32).read_unaligned().into(),
                _ => (place as *const u64).read_unaligned(),
            }
        }
    }

    /// The bytes of some rounds.
    fn range(&self, start: u64, first: u64, end: u64) -> Location {
        let low = self.place(start, if self.is_backward { end - 1 } else { first });
        Location { start: low, length: (end - first).saturating_mul(self.size) }
    }
}
