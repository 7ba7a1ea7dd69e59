//! The tape of a checkpoint: what is put on it comes back in the same order.
//!
//! A tape that is full takes nothing more and says so in the end: whoever saves need not know how much all others save.

use crate::snapshot::PAGE;
use core::arch::asm;

/// Whole pages begin at a multiple of this. Some processors (Zen 3) copy with a repeated instruction fifteen times
/// slower if the target is a few bytes further in its page than the source: 1420 ns a page instead of 81.
const ALIGNMENT: u64 = 64;

/// Bytes of a vector.
const VECTOR: u64 = 16;

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

    /// Puts the contents of memory on the tape.
    pub fn save(&mut self, address: u64, length: u64) {
        self.begin_whole_page(length);
        if let Some(place) = self.advance(length) {
            // SAFETY: there is room; the callers pass readable memory.
            unsafe { copy(place, address, length) };
        }
    }

    /// Goes to where something of that length begins: whole pages are copied faster from a line of the cache on.
    fn begin_whole_page(&mut self, length: u64) {
        if length >= PAGE {
            self.next = self.next.next_multiple_of(ALIGNMENT).min(self.end);
        }
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

    /// Brings memory back to what it was when it was saved.
    pub fn bring_back(&mut self, address: u64, length: u64) {
        self.begin_whole_page(length);
        // SAFETY: so much was put there; the callers pass writable memory.
        unsafe { copy(address, self.next, length) };
        self.next += length;
    }
}

/// # Safety
/// The ranges must be writable and readable, and must not overlap.
unsafe fn copy(to: u64, from: u64, length: u64) {
    if length < PAGE {
        // SAFETY: as the caller promises. It is the shim's own function that copies.
        return unsafe { core::ptr::copy_nonoverlapping(from as *const u8, to as *mut u8, length as usize) };
    }
    // SAFETY: as the caller promises. The instruction calls nobody, and is the fastest way for whole pages.
    unsafe {
        asm!("rep movsb", inout("rcx") length => _, inout("rdi") to => _, inout("rsi") from => _,
             options(nostack, preserves_flags));
    }
}
