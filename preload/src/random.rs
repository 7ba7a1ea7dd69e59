//! Random numbers: as the program gets them, the same in every execution; and those that a schedule is made of.

use crate::world;
use core::cell::Cell;

/// Starts the sequence.
pub fn seed(seed: u64) {
    world::get().random.set(seed.wrapping_add(0x9e37_79b9_7f4a_7c15));
}

/// The next number for the program.
pub fn next() -> u64 {
    number(&world::get().random)
}

/// The next number of a sequence (splitmix64).
pub fn number(sequence: &Cell<u64>) -> u64 {
    let state = sequence.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
    sequence.set(state);
    let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

/// Fills a buffer of the program.
///
/// # Safety
/// The buffer must be writable.
pub unsafe fn fill(buffer: *mut u8, length: usize) {
    for index in 0..length {
        // SAFETY: inside the buffer.
        unsafe { buffer.add(index).write(next() as u8) };
    }
}
