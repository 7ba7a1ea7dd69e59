//! Pages on tape: only what differs from the snapshot, line by line.
//!
//! An execution changes few lines of the pages that it writes to: the top of a stack, some words of a table. Whole
//! pages would make checkpoints so large that they do not stay in the processor's cache, and most of the time would be
//! spent on waiting for memory.

use super::Tape;
use super::lines::{self, LINE};
use crate::snapshot::PAGE;

/// What a page takes on tape beside its lines: a set of them, and what comes before and behind it so that they are
/// aligned.
const ROOM: u64 = 2 * LINE;

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
        if self.reserve(ROOM + PAGE).is_none() {
            return;
        }
        // SAFETY: both are pages.
        let changed = unsafe { lines::differing(page, original(saved)) };
        self.put(changed);
        self.align(LINE);
        lines::for_each_piece(changed, |first, count| {
            // SAFETY: there is room for all lines of a page, from a multiple of their size on.
            unsafe { lines::copy(self.place(), page + first * LINE, count) };
            self.skip(count * LINE);
        });
    }

    /// Brings the page back to what it was when its changes were saved.
    pub fn bring_back_changes(&mut self, page: u64, saved: u64) {
        let changed: u64 = self.take();
        self.align(LINE);
        lines::for_each_piece(changed, |first, count| {
            // SAFETY: the callers pass a writable page, and so many lines were put there.
            unsafe { lines::copy(page + first * LINE, self.place(), count) };
            self.skip(count * LINE);
        });
        lines::for_each_piece(!changed, |first, count| {
            let place = first * LINE;
            // SAFETY: as above; the callers pass what was saved of the page.
            unsafe {
                match saved {
                    0 => lines::clear(page + place, count),
                    _ => lines::unify(page + place, saved + place, count),
                }
            }
        });
    }
}
