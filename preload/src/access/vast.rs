//! Large blocks, of which programs often use a small part.
//!
//! The shadow of what nobody has ever accessed is not in memory. It has to say that a block was freed there, too, but
//! to write that down granule by granule would take twice the memory of the block. So one piece of it is written, and
//! mapped again and again: the kernel copies what somebody changes later.

use super::locations::Location;
use super::shadow::{self, Word};
use crate::sys;

/// Blocks that are looked at piece by piece.
const LARGE: u64 = 4 << 20;
/// A piece: its shadow is a large page of the processor.
const PIECE: u64 = 1 << 20;
const SHADOW_OF_PIECE: u64 = 2 * PIECE;
const PAGES: usize = (SHADOW_OF_PIECE / 4096) as usize;

/// Calls `act` for the parts of a block, and whether nobody has accessed them.
pub fn for_each_part(block: Location, mut act: impl FnMut(Location, bool)) {
    let first = block.start.next_multiple_of(PIECE);
    let last = block.end() & !(PIECE - 1);
    if block.length < LARGE || first >= last || shadow::can_go_back() {
        return act(block, false);
    }
    let mut part = Location { start: block.start, length: first - block.start };
    let mut is_untouched = false;
    for start in (first..last).step_by(PIECE as usize) {
        let is_next_untouched = is_untouched_piece(start);
        if is_next_untouched != is_untouched {
            if part.length > 0 {
                act(part, is_untouched);
            }
            (part, is_untouched) = (Location { start, length: 0 }, is_next_untouched);
        }
        part.length += PIECE;
    }
    act(part, is_untouched);
    if block.end() > last {
        act(Location { start: last, length: block.end() - last }, false);
    }
}

/// Whether no page of a piece's shadow is in memory.
fn is_untouched_piece(start: u64) -> bool {
    let mut pages = [0u8; PAGES];
    let arguments = [shadow::address(start), SHADOW_OF_PIECE, pages.as_mut_ptr() as u64, 0, 0, 0];
    // SAFETY: the kernel writes a byte for each page of the range.
    let result = unsafe { sys::call(libc::SYS_mincore, arguments) };
    result == 0 && pages.iter().all(|page| page & 1 == 0)
}

/// Sets all words of the shadow of an untouched part. False if that can not be done in this way.
pub fn set_all(part: Location, word: Word) -> bool {
    // SAFETY: a new file, which has no name.
    let file = unsafe { sys::call(libc::SYS_memfd_create, [c"rscale-shadow".as_ptr() as u64, 1, 0, 0, 0, 0]) };
    if file < 0 {
        return false;
    }
    let is_done = write_piece(file as u64, word)
        && (0..part.length).step_by(PIECE as usize).all(|offset| {
            let place = shadow::address(part.start + offset);
            map(file as u64, place, libc::MAP_PRIVATE | libc::MAP_FIXED).is_some()
        });
    sys::close(file as i32);
    is_done
}

/// Fills the file.
fn write_piece(file: u64, word: Word) -> bool {
    // SAFETY: sets the length of the shim's own file.
    if unsafe { sys::call(libc::SYS_ftruncate, [file, SHADOW_OF_PIECE, 0, 0, 0, 0]) } != 0 {
        return false;
    }
    let Some(mapped) = map(file, 0, libc::MAP_SHARED) else { return false };
    // SAFETY: the mapping was made above, and has this length.
    unsafe {
        core::slice::from_raw_parts_mut(mapped as *mut u64, SHADOW_OF_PIECE as usize / 8).fill(word.0);
        sys::unmap(mapped, SHADOW_OF_PIECE);
    }
    true
}

/// Maps the file, in place of untouched shadow or anywhere.
fn map(file: u64, place: u64, flags: i32) -> Option<u64> {
    let protection = (libc::PROT_READ | libc::PROT_WRITE) as u64;
    // SAFETY: what it replaces is shadow that nobody has written.
    let mapped = unsafe { sys::call(libc::SYS_mmap, [place, SHADOW_OF_PIECE, protection, flags as u64, file, 0]) };
    (mapped > 0).then_some(mapped as u64)
}
