//! Copying and filling memory piece by piece.
//!
//! A copy by the library is no single step. Each part of it that belongs to a communication variable is one: it is read
//! or written right behind its own scheduling point, so that whatever can come between in reality can come between
//! here. With store buffers, what is written goes through the buffer of the thread, as the stores that the library is
//! made of would.

use super::detect::{self, Kind};
use super::library::Here;
use super::locations::{self, Location};
use super::{point, tearing};
use crate::wrap::real;
use crate::{buffer, evaluation};

/// Bytes that are taken from a communication variable at a time, where they wait for the point of a write.
const TAKEN: usize = 256;
/// Longest piece: a wrong length must meet the end of memory before the shadow of all of it has been written.
const LONGEST: u64 = 1 << 20;

/// A part of a range.
struct Piece {
    start: u64,
    length: u64,
    /// The communication variable that it belongs to.
    variable: Option<Location>,
}

/// The first part of a range that lies in one variable, or outside of all.
fn first_piece(start: u64, length: u64) -> Piece {
    let length = length.min(LONGEST).min(u64::MAX - start);
    match locations::touched_by(Location { start, length }).next() {
        None => Piece { start, length, variable: None },
        Some(next) if next.start > start => Piece { start, length: next.start - start, variable: None },
        Some(own) => Piece { start, length: length.min(own.end() - start), variable: Some(own) },
    }
}

/// The last such part.
fn last_piece(start: u64, length: u64) -> Piece {
    let end = start + length;
    let lowest = start.max(end.saturating_sub(LONGEST));
    let (start, variable) = match locations::touched_by(Location { start: lowest, length: end - lowest }).last() {
        None => (lowest, None),
        Some(last) if last.end() < end => (last.end(), None),
        Some(own) => (lowest.max(own.start), Some(own)),
    };
    Piece { start, length: end - start, variable }
}

impl Here {
    /// Copies a range; source and target may overlap.
    pub fn copy(self, to: u64, from: u64, length: u64) {
        if to.max(from).checked_add(length).is_none() {
            // SAFETY: what the program asked to copy; it crashes.
            unsafe { real::copy(to, from, length) };
        } else if to > from && to - from < length {
            self.copy_backward(to, from, length);
        } else if !self.copy_quietly(to, from, length) {
            self.copy_forward(to, from, length, None);
        }
    }

    /// Copies up to a byte with this value, that included, or the whole length. How much it was, and whether the byte
    /// was there.
    pub fn copy_until(self, to: u64, from: u64, length: u64, stop: u8) -> (u64, bool) {
        self.copy_forward(to, from, length, Some(stop))
    }

    /// Fills a range.
    pub fn fill(self, to: u64, value: u8, length: u64) {
        let mut done = 0;
        while done < length {
            let piece = first_piece(to.wrapping_add(done), length - done);
            self.store(&piece, |part| {
                // SAFETY: a part of what the program asked to fill.
                unsafe { real::set(part.start, value, part.length) };
            });
            done += piece.length;
        }
    }

    /// Copies where nobody else has been: most copies end here. False if it takes more.
    fn copy_quietly(self, to: u64, from: u64, length: u64) -> bool {
        let quiet = length <= LONGEST
            && self.is_to_watch(length)
            && detect::quiet(Kind::Read, Location { start: from, length })
            && detect::quiet(Kind::Write, Location { start: to, length });
        if quiet {
            // SAFETY: what the program asked to copy.
            unsafe { real::copy(to, from, length) };
        }
        quiet
    }

    fn copy_forward(self, to: u64, from: u64, length: u64, stop: Option<u8>) -> (u64, bool) {
        let (mut done, mut found) = (0, false);
        while done < length && !found {
            let mut source = first_piece(from + done, length - done);
            if source.variable.is_some() {
                source.length = source.length.min(TAKEN as u64);
            }
            self.pass(Kind::Read, &source);
            // SAFETY: a part of what the program asked to copy.
            let place = stop.and_then(|byte| unsafe { real::find_byte(source.start, byte, source.length) });
            if let Some(place) = place {
                (source.length, found) = (place + 1, true);
            }
            self.note(Kind::Read, source.start, source.length);
            self.put(to + done, &source);
            done += source.length;
        }
        (done, found)
    }

    fn copy_backward(self, to: u64, from: u64, length: u64) {
        let mut left = length;
        while left > 0 {
            let mut source = last_piece(from, left);
            if source.variable.is_some() && source.length > TAKEN as u64 {
                source.start += source.length - TAKEN as u64;
                source.length = TAKEN as u64;
            }
            self.announce(Kind::Read, &source);
            left -= source.length;
            self.put(to + left, &source);
        }
    }

    /// Stores a piece that was read. If others can change it before it is stored, what they do must not matter.
    fn put(self, to: u64, source: &Piece) {
        let mut taken = [0u8; TAKEN];
        let mut from = source.start;
        // A store that is buffered in parts must not change what the next part copies.
        if source.variable.is_some() || buffer::is_on() && source.length <= TAKEN as u64 {
            from = taken.as_mut_ptr() as u64;
            // SAFETY: it fits: pieces of communication variables are cut to that.
            unsafe { real::copy(from, source.start, source.length) };
        }
        let mut left = source.length;
        while left > 0 {
            // From the end if that is the safe order for what overlaps.
            let is_backward = to > source.start;
            let piece = if is_backward { last_piece(to, left) } else { first_piece(to + source.length - left, left) };
            self.store(&piece, |part| {
                // SAFETY: a part of what the program asked to copy, or of the buffer above.
                unsafe { real::copy(part.start, from + (part.start - to), part.length) };
            });
            left -= piece.length;
        }
    }

    /// Writes a piece with `act`: through the buffer of the thread, if it has one, in parts of what a store can have.
    fn store(self, piece: &Piece, act: impl Fn(Location)) {
        let whole = Location { start: piece.start, length: piece.length };
        let Some(variable) = piece.variable.filter(|_| self.is_buffered(whole)) else {
            self.announce(Kind::Write, piece);
            return act(whole);
        };
        for part in tearing::cells(whole) {
            match buffer::has_place(part) {
                true => buffer::issue(part, variable, self.pc),
                false => point::one(Kind::Write, variable.touched(part), self),
            }
            self.note(Kind::Write, part.start, part.length);
            act(part);
        }
    }

    /// Whether stores to a part of a communication variable are buffered. Long ones are not: they would fill the
    /// buffers.
    fn is_buffered(self, whole: Location) -> bool {
        let first = Location { length: whole.length.min(buffer::LONGEST as u64), ..whole };
        whole.length <= TAKEN as u64 && super::is_watching() && !evaluation::is_under_way() && buffer::takes(first)
    }

    fn announce(self, kind: Kind, piece: &Piece) {
        self.pass(kind, piece);
        self.note(kind, piece.start, piece.length);
    }

    fn pass(self, kind: Kind, piece: &Piece) {
        if let Some(variable) = piece.variable {
            let range = Location { start: piece.start, length: piece.length };
            point::one(kind, variable.touched(range), self);
        }
    }
}
