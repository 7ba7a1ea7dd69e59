//! Pages on tape: only what differs from the snapshot, line by line.
//!
//! An execution changes few lines of the pages that it writes to: the top of a stack, some words of a table. Whole
//! pages would make checkpoints so large that they do not stay in the processor's cache, and most of the time would be
//! spent on waiting for memory.

use super::Tape;
use crate::snapshot::{PAGE, copy_page};
use core::arch::x86_64::{
    __m128i, _mm_and_si128, _mm_cmpeq_epi32, _mm_load_si128, _mm_movemask_epi8, _mm_packs_epi16, _mm_packs_epi32,
    _mm_store_si128,
};

/// Bytes of a line.
const LINE: u64 = 64;
/// Lines that are compared in one go: four bits each fill a number.
const LINES: u64 = 16;
/// Bytes that are compared or copied at a time.
const WORD: u64 = 16;
/// What a page takes on tape beside its lines: a set of them, and what comes before it so that it is aligned.
const ROOM: u64 = 2 * WORD;

/// From so many changed lines on, the others are copied one by one: most of a whole page would be copied in vain.
const MANY: u32 = 16;

/// What a page was that was all zeroes.
#[repr(C, align(4096))]
struct Zeroes([u8; PAGE as usize]);

static ZEROES: Zeroes = Zeroes([0; PAGE as usize]);

/// What the page was: where its contents are saved, or 0 if it was all zeroes.
fn original(saved: u64) -> u64 {
    if saved == 0 { &raw const ZEROES as u64 } else { saved }
}

impl Tape {
    /// Puts on the tape what of the page is not as in the saved contents (0: all zeroes).
    pub fn save_changes(&mut self, page: u64, saved: u64) {
        self.align(WORD);
        let Some(place) = self.reserve(ROOM + PAGE) else { return };
        // SAFETY: both are pages; there is room for all lines of one.
        let changed = unsafe { differing_lines(page, original(saved)) };
        // SAFETY: as above.
        unsafe { (place as *mut u64).write(changed) };
        let mut next = place + WORD;
        for_each_line(changed, |line| {
            // SAFETY: as above; all addresses are aligned.
            unsafe { copy_line(next, page + line) };
            next += LINE;
        });
        self.skip(next - place);
    }

    /// Brings the page back to what it was when its changes were saved.
    pub fn bring_back_changes(&mut self, page: u64, saved: u64) {
        self.align(WORD);
        let changed: u64 = self.take();
        self.align(WORD);
        let original = original(saved);
        if changed.count_ones() < MANY {
            // SAFETY: the callers pass a writable page and what was saved of it.
            unsafe { copy_page(page, original) };
        } else {
            // SAFETY: as above; all addresses are aligned.
            for_each_line(!changed, |line| unsafe { copy_line(page + line, original + line) });
        }
        let mut next = self.place();
        let start = next;
        for_each_line(changed, |line| {
            // SAFETY: so many lines were put there; all addresses are aligned.
            unsafe { copy_line(page + line, next) };
            next += LINE;
        });
        self.skip(next - start);
    }
}

/// Calls `act` with the place in its page of every line in the set.
fn for_each_line(mut lines: u64, mut act: impl FnMut(u64)) {
    while lines != 0 {
        act(u64::from(lines.trailing_zeros()) * LINE);
        lines &= lines - 1;
    }
}

/// The lines in which two pages differ, as bits.
///
/// # Safety
/// Both must be readable pages.
unsafe fn differing_lines(page: u64, other: u64) -> u64 {
    (0..PAGE / LINE / LINES).fold(0, |differing, group| {
        let start = group * LINES * LINE;
        let same = (0..LINES / 4).fold(0, |same, four| {
            let place = start + four * 4 * LINE;
            // SAFETY: as the caller promises.
            same | unsafe { same_words(page + place, other + place) } << (16 * four)
        });
        differing | (full_fours(same) ^ 0xffff) << (LINES * group)
    })
}

/// In what four lines are the same: four bits a line, one for the first four bytes of each sixteen, and so on.
///
/// # Safety
/// Both must be so many readable lines, at multiples of 16.
unsafe fn same_words(lines: u64, others: u64) -> u64 {
    let in_line = |line: u64| {
        let is_same = |word: u64| {
            let place = line * LINE + word * WORD;
            // SAFETY: as the caller promises.
            unsafe { _mm_cmpeq_epi32(load(lines + place), load(others + place)) }
        };
        // SAFETY: every x86-64 processor has these instructions.
        unsafe { _mm_and_si128(_mm_and_si128(is_same(0), is_same(1)), _mm_and_si128(is_same(2), is_same(3))) }
    };
    // SAFETY: as above.
    let bits = unsafe {
        let halves = [_mm_packs_epi32(in_line(0), in_line(1)), _mm_packs_epi32(in_line(2), in_line(3))];
        _mm_movemask_epi8(_mm_packs_epi16(halves[0], halves[1]))
    };
    bits as u64
}

/// Which of sixteen times four bits are all set: sixteen bits.
fn full_fours(bits: u64) -> u64 {
    let pairs = bits & bits >> 1;
    let mut full = pairs & pairs >> 2 & 0x1111_1111_1111_1111;
    for (distance, mask) in
        [(3, 0x0303_0303_0303_0303), (6, 0x000f_000f_000f_000f), (12, 0x0000_00ff_0000_00ff), (24, 0xffff)]
    {
        full = (full | full >> distance) & mask;
    }
    full
}

/// # Safety
/// Both must be lines, the first writable, the second readable, at multiples of 16.
unsafe fn copy_line(to: u64, from: u64) {
    for word in 0..LINE / WORD {
        // SAFETY: as the caller promises.
        unsafe { _mm_store_si128((to + word * WORD) as *mut __m128i, load(from + word * WORD)) };
    }
}

/// # Safety
/// Must be readable, at a multiple of 16.
unsafe fn load(address: u64) -> __m128i {
    // SAFETY: as the caller promises.
    unsafe { _mm_load_si128(address as *const __m128i) }
}
