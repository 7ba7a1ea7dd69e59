//! The tape of a checkpoint: what is put on it comes back in the same order.
//!
//! A tape that is full takes nothing more and says so in the end: whoever saves need not know how much all others save.

use super::lines::{self, LINE};

/// Bytes of a vector.
const VECTOR: u64 = 16;

/// Something that begins with a line, as what is [saved](Tape::save) must.
#[repr(C, align(64))]
pub struct Aligned<T>(pub T);

/// A position on a piece of tape.
pub struct Tape {
    next: u64,
    end: u64,
    is_full: bool,
}

impl Tape {
    /// Memory as a tape.
    ///
    /// # Safety
    /// The range must be memory of the shim that nothing else uses, readable and writable.
    pub unsafe fn new(start: u64, end: u64) -> Tape {
        Tape { next: start, end, is_full: false }
    }

    /// Where the next thing goes; None if something had no room.
    pub fn position(&self) -> Option<u64> {
        (!self.is_full).then_some(self.next)
    }

    /// There is something that can not be saved.
    pub fn give_up(&mut self) {
        self.is_full = true;
    }

    /// Puts a value on the tape.
    pub fn put<T: Copy>(&mut self, value: T) {
        if let Some(place) = self.advance(size_of::<T>() as u64) {
            // SAFETY: there is room.
            unsafe { (place as *mut T).write_unaligned(value) };
        }
    }

    /// The next value, which must be of the type that was put there.
    pub fn take<T: Copy>(&mut self) -> T {
        let place = self.next;
        self.next += size_of::<T>() as u64;
        // SAFETY: a value of this type was put there.
        unsafe { (place as *const T).read_unaligned() }
    }

    /// Puts the contents of memory on the tape, which must begin with a line: all of its lines, to the end of the last.
    pub fn save(&mut self, address: u64, length: u64) {
        self.align(LINE);
        let count = length.div_ceil(LINE);
        if let Some(place) = self.advance(count * LINE) {
            // SAFETY: there is room; the callers pass readable memory.
            unsafe { lines::copy(place, address, count) };
        }
    }

    /// Brings memory back to what it was when it was saved.
    pub fn bring_back(&mut self, address: u64, length: u64) {
        self.align(LINE);
        let count = length.div_ceil(LINE);
        // SAFETY: so much was put there; the callers pass writable memory.
        unsafe { lines::copy(address, self.next, count) };
        self.skip(count * LINE);
    }

    /// Room for so much more; None if there is not.
    fn advance(&mut self, length: u64) -> Option<u64> {
        let place = self.reserve(length)?;
        self.skip(length);
        Some(place)
    }

    /// Room for so much more, for vectors; None if there is not.
    pub fn aligned_room(&mut self, length: u64) -> Option<u64> {
        self.align(VECTOR);
        self.advance(length)
    }

    /// Where so much was put into such room.
    pub fn aligned_place(&mut self, length: u64) -> u64 {
        self.align(VECTOR);
        self.skip(length);
        self.next - length
    }

    /// The place of the next thing if so much has room there; None if not.
    pub(super) fn reserve(&mut self, length: u64) -> Option<u64> {
        self.is_full |= self.end - self.next < length;
        (!self.is_full).then_some(self.next)
    }

    /// What comes next is at a multiple of this, which is small against the room that is reserved.
    pub(super) fn align(&mut self, to: u64) {
        self.next = (self.next.next_multiple_of(to)).min(self.end);
    }

    /// So much has been put on the tape, or taken from it.
    pub(super) fn skip(&mut self, length: u64) {
        self.next += length;
    }

    /// The place of the next thing.
    pub(super) fn place(&self) -> u64 {
        self.next
    }
}
