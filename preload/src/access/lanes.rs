//! Instructions that access memory lane by lane: gathers, and moves of those lanes that a vector chooses.
//!
//! Only chosen lanes are accessed: what lies where the others would be is nobody's business, and need not even be
//! there. Nothing is promised about the order of lanes, or that two of them belong together. Where none is in a
//! communication variable, nobody can tell, and the processor carries the instruction out. Otherwise it is carried out
//! here, each lane behind its own scheduling point, from the lowest to the highest, and the instruction is passed over.

use super::locations::Location;
use super::point::{self, Place};
use super::strings::Progress;
use super::vectors::{self, Upper};
use super::{careful, element};
use rscale_protocol::region::{Lanes, SiteKind};

/// Most lanes: the bytes of the narrower registers.
const MOST: usize = 16;
/// Keeps the places of lanes apart.
const PER_LANE: u64 = 8;

/// A vector register of thirty-two bytes.
type Vector = [u8; 32];

/// An instruction, and the registers that it finds.
pub struct LaneInstruction {
    lanes: Lanes,
    kind: SiteKind,
    /// Where addresses count from.
    base: u64,
    data: Vector,
    mask: Vector,
    index: Vector,
}

impl LaneInstruction {
    /// `lower`: what the stub has saved of the vector registers.
    pub fn new(lanes: Lanes, kind: SiteKind, base: u64, lower: &[[u8; 16]; 16]) -> LaneInstruction {
        let upper = vectors::upper_halves();
        let register = |number: u8| {
            let mut vector = [0; 32];
            vector[..16].copy_from_slice(&lower[usize::from(number)]);
            vector[16..].copy_from_slice(&upper[usize::from(number)]);
            vector
        };
        let index = lanes.gathered.map_or([0; 32], |gathered| register(gathered.index));
        LaneInstruction { lanes, kind, base, data: register(lanes.data), mask: register(lanes.mask), index }
    }

    fn size(&self) -> usize {
        usize::from(self.lanes.element).clamp(1, 8)
    }

    /// The lanes that are chosen.
    fn chosen(&self) -> impl Iterator<Item = usize> + use<> {
        let (size, mask) = (self.size(), self.mask);
        let count = usize::from(self.lanes.count).min(MOST).min(mask.len() / size);
        (0..count).filter(move |lane| mask[lane * size + size - 1] & 0x80 != 0)
    }

    /// What a lane accesses.
    fn range(&self, lane: usize) -> Location {
        let offset = match self.lanes.gathered {
            None => (lane * self.size()) as u64,
            Some(gathered) => {
                let index = if gathered.is_wide { self.word(lane) } else { self.half_word(lane) };
                (index << gathered.shift) as u64
            }
        };
        Location { start: self.base.wrapping_add(offset), length: self.size() as u64 }
    }

    fn word(&self, lane: usize) -> i64 {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&self.index[8 * (lane % 4)..][..8]);
        i64::from_le_bytes(bytes)
    }

    fn half_word(&self, lane: usize) -> i64 {
        let mut bytes = [0; 4];
        bytes.copy_from_slice(&self.index[4 * (lane % 8)..][..4]);
        i32::from_le_bytes(bytes).into()
    }

    /// What it accesses.
    pub fn for_each_access(&self, mut act: impl FnMut(Location)) {
        self.chosen().for_each(|lane| act(self.range(lane)));
    }

    /// The instruction is about to be carried out: makes its accesses known. If it meets communication variables,
    /// carries it out. `local` is a hash of the thread's local state.
    pub fn run(&mut self, pc: u64, local: &dyn Fn() -> u64) -> Progress {
        if !self.chosen().any(|lane| point::is_communication(self.range(lane))) {
            self.for_each_access(|range| point::part(self.kind, range, Place::whole(pc), local));
            return Progress::None;
        }
        for lane in self.chosen() {
            let range = self.range(lane);
            let is_there = match self.kind {
                SiteKind::Read => careful::is_readable(range.start, range.length),
                _ => careful::is_writable(range.start, range.length),
            };
            if !is_there {
                // The processor finds out. Lanes that a gather has done are not chosen any more.
                return if self.lanes.gathered.is_some() { Progress::Faults } else { Progress::None };
            }
            self.carry_out(lane, range, pc, local);
        }
        self.finish();
        Progress::Done
    }

    fn carry_out(&mut self, lane: usize, range: Location, pc: u64, local: &dyn Fn() -> u64) {
        let bytes = lane * self.size()..(lane + 1) * self.size();
        let place = Place { pc, part: PER_LANE * lane as u64, is_torn: false };
        // What earlier lanes have found is a part of the thread's state.
        let data = self.data;
        let local = || data.iter().fold(local(), |hash, &byte| hash.rotate_left(5) ^ u64::from(byte));
        if self.kind == SiteKind::Read {
            let found = element::read(range, place, &local).to_le_bytes();
            self.data[bytes.clone()].copy_from_slice(&found[..bytes.len()]);
        } else {
            let mut stored = [0; 8];
            stored[..bytes.len()].copy_from_slice(&self.data[bytes]);
            element::write(range, u64::from_le_bytes(stored), place, &local);
        }
        if self.lanes.gathered.is_some() {
            let last = (lane + 1) * self.size() - 1;
            self.mask[last] = 0;
        }
    }

    /// What no lane has loaded is cleared: lanes that were not chosen, unless they are those of a gather, and all
    /// beyond the last.
    fn finish(&mut self) {
        let (size, mask) = (self.size(), self.mask);
        let end = (usize::from(self.lanes.count) * size).min(self.data.len());
        match self.lanes.gathered {
            Some(_) => self.mask = [0; 32],
            None => self.data[..end].chunks_exact_mut(size).zip(mask.chunks_exact(size)).for_each(|(lane, mask)| {
                if mask[size - 1] & 0x80 == 0 {
                    lane.fill(0);
                }
            }),
        }
        self.data[end..].fill(0);
    }

    /// Puts the registers in place that it changes.
    pub fn leave(&self, lower: &mut [[u8; 16]; 16]) {
        if self.kind != SiteKind::Read {
            return;
        }
        let mut upper: Upper = vectors::upper_halves();
        let mut set = |number: u8, vector: &Vector| {
            lower[usize::from(number)].copy_from_slice(&vector[..16]);
            upper[usize::from(number)].copy_from_slice(&vector[16..]);
        };
        set(self.lanes.data, &self.data);
        if self.lanes.gathered.is_some() {
            set(self.lanes.mask, &self.mask);
        }
        vectors::set_upper_halves(&upper);
    }
}
