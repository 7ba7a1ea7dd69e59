//! Lines of pages, compared and copied as many bytes at a time as the processor can.
//!
//! An execution goes back to a checkpoint once, and that is to look at all lines of all pages that executions write:
//! some two thousand, and most of them are as they should be. What is stored has to be written back from cache to
//! cache, so these are left alone.
//!
//! The registers of 32 bytes are those of [`vectors`](crate::access::vectors), of which nothing is to be left behind:
//! functions that use them clear the upper halves where they end, and are called where no code of the program is under
//! way.

use crate::access::clocks::Own;
use crate::snapshot::{PAGE, clear_pages};
use core::arch::asm;
use core::arch::x86_64::{
    __cpuid, __cpuid_count, __m128i, __m256i, _mm_and_si128, _mm_cmpeq_epi32, _mm_load_si128, _mm_movemask_epi8,
    _mm_packs_epi16, _mm_packs_epi32, _mm_store_si128, _mm256_and_si256, _mm256_cmpeq_epi32, _mm256_load_si256,
    _mm256_movemask_epi8, _mm256_or_si256, _mm256_packs_epi16, _mm256_packs_epi32, _mm256_setzero_si256,
    _mm256_store_si256, _mm256_testz_si256, _mm256_xor_si256,
};
use core::cell::Cell;

/// Bytes of a line.
pub const LINE: u64 = 64;
/// Lines that are compared in one go: four bits each.
const FOUR: u64 = 4;
/// Lines of which these bits fill a number.
const LINES: u64 = 16;

/// Whether the processor has registers of 32 bytes, and the kernel keeps them.
static IS_WIDE: Own<bool> = Own(Cell::new(false));

/// Asks what the processor can do.
pub fn prepare() {
    const KEEPS_STATE: u32 = 1 << 27;
    const VECTORS: u32 = 0b110;
    const AVX2: u32 = 1 << 5;
    let keeps_vectors = || {
        let kept: u32;
        // SAFETY: reads a register that the processor has if the kernel says that it keeps extended state.
        unsafe { asm!("xgetbv", in("ecx") 0, out("eax") kept, out("edx") _, options(nomem, nostack, preserves_flags)) };
        kept & VECTORS == VECTORS
    };
    let is_kept = __cpuid(1).ecx & KEEPS_STATE != 0 && keeps_vectors();
    IS_WIDE.0.set(is_kept && __cpuid(0).eax >= 7 && __cpuid_count(7, 0).ebx & AVX2 != 0);
}

/// Calls `act` with the first line of each piece of lines in the set that follow each other, and how many these are.
#[inline(always)]
pub fn for_each_piece(mut lines: u64, mut act: impl FnMut(u64, u64)) {
    while lines != 0 {
        let first = lines.trailing_zeros();
        act(first.into(), (!(lines >> first)).trailing_zeros().into());
        lines &= lines.wrapping_add(1 << first);
    }
}

/// Copies lines that follow each other.
///
/// # Safety
/// Both must be so many lines, the first writable, the second readable, and must not overlap.
pub unsafe fn copy(to: u64, from: u64, count: u64) {
    // SAFETY: as the caller promises; the processor has what it takes.
    unsafe { if IS_WIDE.0.get() { copy_wide(to, from, count) } else { copy_narrow(to, from, count) } }
}

/// Makes lines the same as others. Where they are already, nothing is stored.
///
/// # Safety
/// As [`copy`].
pub unsafe fn unify(to: u64, from: u64, count: u64) {
    // SAFETY: as above.
    unsafe { if IS_WIDE.0.get() { unify_wide(to, from, count) } else { copy_narrow(to, from, count) } }
}

/// Makes lines all zeroes. Where they are already, nothing is stored.
///
/// # Safety
/// Must be so many writable lines.
pub unsafe fn clear(lines: u64, count: u64) {
    // SAFETY: as above.
    unsafe { if IS_WIDE.0.get() { clear_wide(lines, count) } else { clear_pages(lines, count * LINE) } }
}

/// The lines in which two pages differ, as bits.
///
/// # Safety
/// Both must be readable pages.
pub unsafe fn differing(page: u64, other: u64) -> u64 {
    // SAFETY: as above.
    unsafe { if IS_WIDE.0.get() { differing_wide(page, other) } else { differing_narrow(page, other) } }
}

/// # Safety
/// As [`copy`], and the processor has registers of 32 bytes.
#[target_feature(enable = "avx2")]
unsafe fn copy_wide(to: u64, from: u64, count: u64) {
    for line in 0..count {
        let (to, from) = ((to + line * LINE) as *mut __m256i, (from + line * LINE) as *const __m256i);
        // SAFETY: as the caller promises.
        unsafe {
            let [low, high] = [_mm256_load_si256(from), _mm256_load_si256(from.add(1))];
            _mm256_store_si256(to, low);
            _mm256_store_si256(to.add(1), high);
        }
    }
}

/// # Safety
/// As [`unify`], and the processor has registers of 32 bytes.
#[target_feature(enable = "avx2")]
unsafe fn unify_wide(to: u64, from: u64, count: u64) {
    let in_fours = count / FOUR * FOUR;
    for line in (0..in_fours).step_by(FOUR as usize) {
        let (to, from) = (to + line * LINE, from + line * LINE);
        let [now, then] = [to, from].map(|lines| lines as *const __m256i);
        let difference = (0..2 * FOUR as usize).fold(_mm256_setzero_si256(), |all, word| {
            // SAFETY: as the caller promises.
            let difference =
                unsafe { _mm256_xor_si256(_mm256_load_si256(now.add(word)), _mm256_load_si256(then.add(word))) };
            _mm256_or_si256(all, difference)
        });
        if _mm256_testz_si256(difference, difference) == 0 {
            // SAFETY: as above.
            unsafe { copy_wide(to, from, FOUR) };
        }
    }
    // SAFETY: as above.
    unsafe { copy_wide(to + in_fours * LINE, from + in_fours * LINE, count - in_fours) };
}

/// # Safety
/// As [`clear`], and the processor has registers of 32 bytes.
#[target_feature(enable = "avx2")]
unsafe fn clear_wide(lines: u64, count: u64) {
    let zero = _mm256_setzero_si256();
    let in_fours = count / FOUR * FOUR;
    // SAFETY: as the caller promises.
    let store = |first: u64, count: u64| unsafe {
        let words = (lines + first * LINE) as *mut __m256i;
        (0..2 * count as usize).for_each(|word| _mm256_store_si256(words.add(word), zero));
    };
    for line in (0..in_fours).step_by(FOUR as usize) {
        let words = (lines + line * LINE) as *const __m256i;
        // SAFETY: as above.
        let load = |word| unsafe { _mm256_load_si256(words.add(word)) };
        let all = (0..2 * FOUR as usize).fold(zero, |all, word| _mm256_or_si256(all, load(word)));
        if _mm256_testz_si256(all, all) == 0 {
            store(line, FOUR);
        }
    }
    (in_fours..count).for_each(|line| store(line, 1));
}

/// # Safety
/// As [`copy`].
unsafe fn copy_narrow(to: u64, from: u64, count: u64) {
    for line in 0..count {
        let (to, from) = ((to + line * LINE) as *mut __m128i, (from + line * LINE) as *const __m128i);
        // SAFETY: as the caller promises.
        (0..4).for_each(|word| unsafe { _mm_store_si128(to.add(word), _mm_load_si128(from.add(word))) });
    }
}

/// # Safety
/// As [`differing`], and the processor has registers of 32 bytes.
#[target_feature(enable = "avx2")]
unsafe fn differing_wide(page: u64, other: u64) -> u64 {
    let in_line = |place: u64| {
        let [one, two] = [page, other].map(|page| (page + place) as *const __m256i);
        let is_same =
            // SAFETY: as the caller promises.
            |word: usize| unsafe { _mm256_cmpeq_epi32(_mm256_load_si256(one.add(word)), _mm256_load_si256(two.add(word))) };
        _mm256_and_si256(is_same(0), is_same(1))
    };
    differing_by(|place| {
        let lines = [0, 1, 2, 3].map(|line| in_line(place + line * LINE));
        let halves = [_mm256_packs_epi32(lines[0], lines[1]), _mm256_packs_epi32(lines[2], lines[3])];
        let bits = _mm256_movemask_epi8(_mm256_packs_epi16(halves[0], halves[1])) as u32;
        // The second half is about the other sixteen bytes of the same.
        u64::from(bits & bits >> 16 & 0xffff)
    })
}

/// # Safety
/// As [`differing`].
unsafe fn differing_narrow(page: u64, other: u64) -> u64 {
    let in_line = |place: u64| {
        let [one, two] = [page, other].map(|page| (page + place) as *const __m128i);
        let is_same =
            // SAFETY: as the caller promises.
            |word: usize| unsafe { _mm_cmpeq_epi32(_mm_load_si128(one.add(word)), _mm_load_si128(two.add(word))) };
        // SAFETY: every x86-64 processor has these instructions.
        unsafe { _mm_and_si128(_mm_and_si128(is_same(0), is_same(1)), _mm_and_si128(is_same(2), is_same(3))) }
    };
    differing_by(|place| {
        let lines = [0, 1, 2, 3].map(|line| in_line(place + line * LINE));
        // SAFETY: as above.
        let bits = unsafe {
            let halves = [_mm_packs_epi32(lines[0], lines[1]), _mm_packs_epi32(lines[2], lines[3])];
            _mm_movemask_epi8(_mm_packs_epi16(halves[0], halves[1]))
        };
        bits as u64
    })
}

/// The lines of a page that differ. `same` says in what four lines from a place on are the same: four bits a line.
#[inline(always)]
fn differing_by(same: impl Fn(u64) -> u64) -> u64 {
    (0..PAGE / LINE / LINES).fold(0, |differing, group| {
        let start = group * LINES * LINE;
        let bits = (0..LINES / FOUR).fold(0, |bits, four| bits | same(start + four * FOUR * LINE) << (16 * four));
        differing | (full_fours(bits) ^ 0xffff) << (LINES * group)
    })
}

/// Which of sixteen times four bits are all set: sixteen bits.
#[inline(always)]
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
