//! Heap memory that nothing had used before `main`: all zeroes, in one piece per thread, growing upwards.
//!
//! The hot set would take a fault, a check and a table entry per page. Here a fault makes a growing number of pages
//! writable at once, and restoring clears the whole piece, or gives it back to the kernel where it is large: a program
//! that uses gigabytes pays for what it touches and not for every page it ever touched.

use super::PAGE;
use super::hot::clear_pages;
use crate::{heap, sys};
use rscale_protocol::MAX_THREADS;

/// Up to this many pages, clearing is cheaper than having the kernel give out fresh ones.
const CLEARED: u64 = 1024;

/// The fresh part of one thread's heap.
#[derive(Clone, Copy)]
struct Piece {
    start: u64,
    /// Writable up to here.
    end: u64,
}

/// The fresh parts of all threads' heaps.
pub struct Fresh {
    pieces: [Piece; MAX_THREADS],
}

impl Fresh {
    /// Nothing is writable yet.
    pub const fn new() -> Fresh {
        Fresh { pieces: [Piece { start: 0, end: 0 }; MAX_THREADS] }
    }

    /// A write to this page faulted. True if it was fresh and is writable now, None if it is no fresh page.
    pub fn extend(&mut self, page: u64) -> Option<bool> {
        let (thread, start, limit) = heap::fresh_part(page)?;
        let piece = &mut self.pieces[thread];
        if piece.start == 0 {
            *piece = Piece { start, end: start };
        }
        if page < piece.end {
            return Some(false); // writable already: the fault has another reason
        }
        let growth = ((piece.end - piece.start) / 8) & !(PAGE - 1);
        let end = (page + PAGE).max(piece.end + growth).min(limit);
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: heap memory that was writable before the snapshot and that nothing has used.
        let done = unsafe { sys::mprotect(piece.end, end - piece.end, protection) };
        if done {
            piece.end = end;
        }
        Some(done)
    }

    /// Makes all of it zero again.
    pub fn clear(&self) {
        for piece in self.pieces.iter().filter(|piece| piece.end > piece.start) {
            let length = piece.end - piece.start;
            if length <= CLEARED * PAGE {
                // SAFETY: writable pages of the heap, whose contents end with the execution.
                unsafe { clear_pages(piece.start, length) };
            } else {
                // SAFETY: as above; private anonymous memory reads as zero afterwards.
                unsafe {
                    sys::call(libc::SYS_madvise, [piece.start, length, libc::MADV_DONTNEED as u64, 0, 0, 0]);
                }
            }
        }
    }

    /// Pages that are writable.
    pub fn len(&self) -> usize {
        self.pieces.iter().map(|piece| ((piece.end - piece.start) / PAGE) as usize).sum()
    }
}
