//! String instructions: `movs`, `stos`, `lods`, `scas`, `cmps`, once or repeated.
//!
//! Such an instruction is no single step: other threads may come between any two of its elements, and between the read
//! and the write of one. Where it meets no communication variable, nobody can tell, and the processor carries it out.
//! Otherwise it is carried out here, element by element, each access right behind its own scheduling point, and the
//! instruction is passed over. Where memory is not there, the processor is left to find out.

use super::careful;
use super::detect::{self, Kind};
use super::locations::{self, Location};
use super::point::Place;
use super::{element, freed, spin};
use core::arch::asm;
use rscale_protocol::region::Site;

/// Bytes that are made known at a time: a wrong count must meet the end of memory before the shadow of all of it has
/// been written.
const LONGEST: u64 = 1 << 20;
/// The arithmetic flags.
const ARITHMETIC: u64 = 0x8d5;

/// Where a round is carried out that has scheduling points, and a hash of the thread's local state.
type Point<'a> = Option<(u64, &'a dyn Fn() -> u64)>;

/// What has become of an instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// The processor is to carry it out.
    None,
    /// All is done.
    Done,
    /// The processor is to carry out what is left, and will find that memory is not there.
    Faults,
}

/// What an instruction does and works on. Addresses and counts are those of what is left to do.
pub struct StringInstruction {
    /// [`Site::READS_SOURCE`] and the others.
    pub form: u8,
    pub source: u64,
    pub target: u64,
    pub count: u64,
    pub accumulator: u64,
    pub flags: u64,
    /// Bytes of one element.
    pub size: u64,
    pub is_backward: bool,
    /// Elements that were carried out.
    pub done: u64,
}

impl StringInstruction {
    /// The instruction is about to be carried out: makes its accesses known. If it meets communication variables,
    /// carries it out. `local` is a hash of the thread's local state.
    pub fn run(&mut self, pc: u64, local: &dyn Fn() -> u64) -> Progress {
        let quiet = self.quiet_rounds();
        let end = self.end_within(quiet);
        if end.is_some() || quiet == self.count {
            self.note(end.unwrap_or(quiet));
            return Progress::None;
        }
        let mut is_over = false;
        while self.count > 0 && !is_over {
            let quiet = self.quiet_rounds();
            if !self.is_there(0) {
                return Progress::Faults;
            }
            if quiet == 0 {
                is_over = self.round(Some((pc, local)));
                continue;
            }
            let rounds = self.end_within(quiet).unwrap_or(quiet);
            self.note(rounds);
            for _ in 0..rounds {
                if !self.is_there(0) {
                    return Progress::Faults;
                }
                is_over = self.round(None);
            }
        }
        Progress::Done
    }

    /// Whether the memory of one of the next elements is there.
    fn is_there(&self, round: u64) -> bool {
        let (source, target) = (self.place(self.source, round), self.place(self.target, round));
        (!self.has(Site::READS_SOURCE) || careful::is_readable(source, self.size))
            && (!self.has(Site::COMPARES) || careful::is_readable(target, self.size))
            && (!self.has(Site::WRITES_TARGET) || careful::is_writable(target, self.size))
    }

    fn has(&self, what: u8) -> bool {
        self.form & what != 0
    }

    fn uses_target(&self) -> bool {
        self.has(Site::COMPARES | Site::WRITES_TARGET)
    }

    /// How many of the next elements are in no communication variable. There may be more.
    fn quiet_rounds(&self) -> u64 {
        let most = self.count.min(if self.is_backward { 1 } else { LONGEST / self.size });
        let quiet = |start: u64| {
            let range = Location { start, length: most * self.size };
            locations::touched_by(range).next().map_or(most, |next| next.start.saturating_sub(start) / self.size)
        };
        let in_source = if self.has(Site::READS_SOURCE) { quiet(self.source) } else { most };
        let in_target = if self.uses_target() { quiet(self.target) } else { most };
        in_source.min(in_target)
    }

    /// With which of the next elements what is looked for is found, or memory ends. Nobody else can change these
    /// elements.
    fn end_within(&self, rounds: u64) -> Option<u64> {
        if !self.has(Site::COMPARES) {
            return None;
        }
        let is_last = |&round: &u64| {
            if !self.is_there(round) {
                return true;
            }
            let left = match self.has(Site::READS_SOURCE) {
                true => self.load(self.place(self.source, round)),
                false => self.accumulator,
            };
            self.is_found(left, self.load(self.place(self.target, round)))
        };
        (0..rounds).find(is_last).map(|last| last + 1)
    }

    fn is_found(&self, left: u64, right: u64) -> bool {
        let mask = u64::MAX >> (64 - 8 * self.size);
        (left & mask == right & mask) != self.has(Site::WHILE_EQUAL)
    }

    fn place(&self, start: u64, round: u64) -> u64 {
        let distance = round.wrapping_mul(self.size);
        if self.is_backward { start.wrapping_sub(distance) } else { start.wrapping_add(distance) }
    }

    /// Makes the next accesses known, of which none is a scheduling point.
    fn note(&self, rounds: u64) {
        self.for_each_range(rounds, |kind, range| {
            if kind == Kind::Write {
                spin::note_write(range.start);
            }
            detect::divisible(kind, range);
            freed::check(kind, range);
        });
    }

    /// What the instruction accesses if nobody comes between.
    pub fn for_each_access(&self, act: impl FnMut(Kind, Location)) {
        let most = self.count.min(LONGEST / self.size);
        self.for_each_range(self.end_within(most).unwrap_or(self.count), act);
    }

    fn for_each_range(&self, rounds: u64, mut act: impl FnMut(Kind, Location)) {
        let Some(last) = rounds.checked_sub(1) else { return };
        let range = |start: u64| {
            let low = if self.is_backward { self.place(start, last) } else { start };
            Location { start: low, length: rounds.wrapping_mul(self.size) }
        };
        if self.has(Site::READS_SOURCE) {
            act(Kind::Read, range(self.source));
        }
        if self.has(Site::COMPARES) {
            act(Kind::Read, range(self.target));
        }
        if self.has(Site::WRITES_TARGET) {
            act(Kind::Write, range(self.target));
        }
    }

    /// Carries out the next element, behind scheduling points if there are some. Returns whether it was the last one
    /// because of what was compared.
    fn round(&mut self, point: Point<'_>) -> bool {
        let mut left = self.accumulator;
        if self.has(Site::READS_SOURCE) {
            left = self.read(self.source, point);
        }
        let mut is_over = false;
        if self.has(Site::COMPARES) {
            let right = self.read(self.target, point);
            self.flags = self.flags & !ARITHMETIC | compared(left, right, self.size) & ARITHMETIC;
            is_over = self.is_found(left, right);
        } else if self.has(Site::WRITES_TARGET) {
            self.write(self.target, left, point);
        } else {
            self.accumulate(left);
        }
        self.advance();
        is_over
    }

    fn advance(&mut self) {
        (self.source, self.target) = (self.place(self.source, 1), self.place(self.target, 1));
        (self.count, self.done) = (self.count - 1, self.done + 1);
    }

    /// Puts an element into the accumulator as instructions do: four bytes clear the rest.
    fn accumulate(&mut self, element: u64) {
        let kept = if self.size < 4 { u64::MAX << (8 * self.size) } else { 0 };
        self.accumulator = self.accumulator & kept | element;
    }

    /// Reads an element.
    fn read(&self, start: u64, point: Point<'_>) -> u64 {
        let Some((pc, local)) = point else { return self.load(start) };
        let part = 16 * self.done + 8 * u64::from(start == self.target);
        element::read(Location { start, length: self.size }, Place { pc, part, is_torn: false }, local)
    }

    /// Writes an element.
    fn write(&self, start: u64, element: u64, point: Point<'_>) {
        let Some((pc, local)) = point else { return self.store(start, element) };
        let place = Place { pc, part: self.done, is_torn: false };
        element::write(Location { start, length: self.size }, element, place, local);
    }

    fn load(&self, place: u64) -> u64 {
        // SAFETY: the instruction reads these bytes; if they are not there, it would fault as this does.
        unsafe {
            match self.size {
                1 => (place as *const u8).read().into(),
                2 => (place as *const u16).read_unaligned().into(),
                4 => (place as *const u32).read_unaligned().into(),
                _ => (place as *const u64).read_unaligned(),
            }
        }
    }

    fn store(&self, place: u64, element: u64) {
        // SAFETY: the instruction writes these bytes; if it can not, it would fault as this does.
        unsafe {
            match self.size {
                1 => (place as *mut u8).write(element as u8),
                2 => (place as *mut u16).write_unaligned(element as u16),
                4 => (place as *mut u32).write_unaligned(element as u32),
                _ => (place as *mut u64).write_unaligned(element),
            }
        }
    }
}

/// The flags after a comparison of two elements.
fn compared(left: u64, right: u64, size: u64) -> u64 {
    let flags: u64;
    // SAFETY: only the flags change, and they are read.
    unsafe {
        match size {
            1 => {
                asm!("cmp {}, {}", "pushfq", "pop {}", in(reg_byte) left as u8, in(reg_byte) right as u8, out(reg) flags)
            }
            2 => asm!("cmp {:x}, {:x}", "pushfq", "pop {}", in(reg) left as u16, in(reg) right as u16, out(reg) flags),
            4 => asm!("cmp {:e}, {:e}", "pushfq", "pop {}", in(reg) left as u32, in(reg) right as u32, out(reg) flags),
            _ => asm!("cmp {}, {}", "pushfq", "pop {}", in(reg) left, in(reg) right, out(reg) flags),
        }
    }
    flags
}
