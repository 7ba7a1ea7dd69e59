//! Copying and filling memory piece by piece.
//!
//! A copy by the library is no single step. What of it belongs to communication variables is read or written in *parts*,
//! each right behind its own scheduling point, so that whatever can come between in reality can come between here. With
//! store buffers, what is written goes through the buffer of the thread, as the stores that the library is made of
//! would.
//!
//! Parts are the same whatever is known to be shared: one, two, four or eight bytes at a multiple of their size, as many
//! as fit, from the lowest to the highest (from the highest where the ranges overlap such that this is needed). So seven
//! aligned bytes are copied four, two and one at a time. libc does it with moves of these sizes that may overlap: a
//! string of a few bytes can be seen half copied, a word that is aligned can not.

use super::detect::{self, Kind};
use super::library::Here;
use super::locations::{self, Location};
use super::{point, region};
use crate::wrap::real;
use crate::{buffer, evaluation};
use core::mem::MaybeUninit;

/// Most bytes that are kept apart from memory, while others may change it.
const TAKEN: usize = 256;
/// Longest piece: a wrong length must meet the end of memory before the shadow of all of it has been written.
const LONGEST: u64 = 1 << 20;

/// Most bytes of a part.
const WIDEST: u64 = 8;

/// A piece of a range: a part that belongs to communication variables, or what lies before the next such part.
struct Piece {
    range: Location,
    is_shared: bool,
}

impl Piece {
    fn new(start: u64, end: u64, is_shared: bool) -> Piece {
        Piece { range: Location { start, length: end - start }, is_shared }
    }
}

/// The length of the part of `start..end` that begins at its start.
pub fn first_part(start: u64, end: u64) -> u64 {
    let mut size = WIDEST;
    while !start.is_multiple_of(size) || end - start < size {
        size /= 2;
    }
    size
}

/// The length of the part that ends at its end.
fn last_part(start: u64, end: u64) -> u64 {
    let mut size = WIDEST;
    while !end.is_multiple_of(size) || end - start < size {
        size /= 2;
    }
    size
}

/// The first piece of a range.
fn first_piece(start: u64, length: u64) -> Piece {
    let end = start + length.min(u64::MAX - start);
    let end = if end - start > LONGEST { (start + LONGEST) & !(WIDEST - 1) } else { end };
    let Some(variable) = locations::touched_by(Location { start, length: end - start }).next() else {
        return Piece::new(start, end, false);
    };
    // Where a word begins, a part does.
    let mut part = start.max(variable.start & !(WIDEST - 1));
    let mut size = first_part(part, end);
    while part + size <= variable.start {
        part += size;
        size = first_part(part, end);
    }
    if part > start { Piece::new(start, part, false) } else { Piece::new(start, start + size, true) }
}

/// The last piece.
fn last_piece(start: u64, length: u64) -> Piece {
    let end = start + length;
    let start = if length > LONGEST { (end - LONGEST).next_multiple_of(WIDEST) } else { start };
    let Some(variable) = locations::touched_by(Location { start, length: end - start }).last() else {
        return Piece::new(start, end, false);
    };
    let mut part = end.min(variable.end().next_multiple_of(WIDEST));
    let mut size = last_part(start, part);
    while part - size >= variable.end() {
        part -= size;
        size = last_part(start, part);
    }
    if part < end { Piece::new(part, end, false) } else { Piece::new(end - size, end, true) }
}

/// Room for what a function reads, apart from memory.
pub struct Taken(MaybeUninit<[u8; TAKEN]>);

impl Taken {
    /// Bytes that there is room for.
    pub const ROOM: usize = TAKEN;

    /// Nothing has been taken.
    pub fn new() -> Taken {
        Taken(MaybeUninit::uninit())
    }

    /// Where the bytes are.
    pub fn start(&mut self) -> u64 {
        self.0.as_mut_ptr() as u64
    }
}

impl Here {
    /// A function is about to read a range that there is room for. Where it finds what it reads: kept apart, part by
    /// part, if others may change the range meanwhile.
    pub fn takes(self, start: u64, length: u64, taken: &mut Taken) -> u64 {
        if !self.is_shared(start, length) {
            self.range(Kind::Read, start, length);
            return start;
        }
        self.copy(taken.start(), start, length);
        taken.start()
    }

    /// A function is about to look for a byte in memory that others may change meanwhile: reads it part by part. How
    /// many bytes lie before it, if it is there; nothing if there are more than what there is room for.
    pub fn finds(self, start: u64, byte: u8, length: u64) -> Option<Option<u64>> {
        let limit = length.min(TAKEN as u64);
        let (done, found) = self.copy_until(Taken::new().start(), start, limit, byte);
        (found || limit == length).then_some(found.then(|| done - 1))
    }

    /// Stores what a function returns through a pointer of the program.
    pub fn stores<T: Copy>(self, to: *mut T, value: T) {
        self.copy(to as u64, &raw const value as u64, size_of::<T>() as u64);
        self.resume();
    }

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
            done += piece.range.length;
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
            self.pass(Kind::Read, &source);
            let range = &mut source.range;
            // SAFETY: a part of what the program asked to copy.
            let place = stop.and_then(|byte| unsafe { real::find_byte(range.start, byte, range.length) });
            if let Some(place) = place {
                (range.length, found) = (place + 1, true);
            }
            self.note(Kind::Read, range.start, range.length);
            self.put(to + done, &source);
            done += source.range.length;
        }
        (done, found)
    }

    fn copy_backward(self, to: u64, from: u64, length: u64) {
        let mut left = length;
        while left > 0 {
            let source = last_piece(from, left);
            self.announce(Kind::Read, &source);
            left -= source.range.length;
            self.put(to + left, &source);
        }
    }

    /// Stores a piece that was read. If others can change it before it is stored, what they do must not matter.
    fn put(self, to: u64, source: &Piece) {
        let mut taken = [0u8; TAKEN];
        let Location { start, length } = source.range;
        let mut from = start;
        // A store that is buffered in parts must not change what the next part copies.
        if source.is_shared || buffer::is_on() && length <= TAKEN as u64 {
            from = taken.as_mut_ptr() as u64;
            // SAFETY: it fits: parts of communication variables are shorter than that.
            unsafe { real::copy(from, start, length) };
        }
        let mut left = length;
        while left > 0 {
            // From the end if that is the safe order for what overlaps.
            let is_backward = to > start && to - start < length;
            let piece = if is_backward { last_piece(to, left) } else { first_piece(to + length - left, left) };
            self.store(&piece, |part| {
                // SAFETY: a part of what the program asked to copy, or of the buffer above.
                unsafe { real::copy(part.start, from + (part.start - to), part.length) };
            });
            left -= piece.range.length;
        }
    }

    /// Writes a piece with `act`: through the buffer of the thread, if it has one.
    fn store(self, piece: &Piece, act: impl Fn(Location)) {
        let range = piece.range;
        let mut variables = locations::touched_by(range);
        match variables.next() {
            Some(variable) if piece.is_shared && self.is_buffered(range) => {
                if let Some(last) = variables.last() {
                    // One store can not be of two variables: they have to become one.
                    detect::report(Location { start: variable.start, length: last.end() - variable.start });
                }
                match buffer::has_place(range) {
                    true => buffer::issue(range, variable, self.pc),
                    false => point::one(Kind::Write, variable.touched(range), self),
                }
                self.note(Kind::Write, range.start, range.length);
            }
            _ => self.announce(Kind::Write, piece),
        }
        act(range);
    }

    /// Whether stores to a part of a communication variable are buffered. For code that is not watched they are not: what
    /// it stores itself goes straight to memory, and may not come before what it has cleared or copied there.
    fn is_buffered(self, part: Location) -> bool {
        super::is_watching()
            && !evaluation::is_under_way()
            && buffer::takes(part)
            && region::returns_to_watched(self.pc)
    }

    fn announce(self, kind: Kind, piece: &Piece) {
        self.pass(kind, piece);
        self.note(kind, piece.range.start, piece.range.length);
    }

    fn pass(self, kind: Kind, piece: &Piece) {
        if piece.is_shared {
            point::points(kind, piece.range, self);
        }
    }
}
