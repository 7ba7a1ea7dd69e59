//! Heap memory that nothing had used before `main`: all zeroes, in one piece per thread, growing upwards.
//!
//! The hot set would take a fault, a check and a table entry per page. Here a fault makes a growing number of pages
//! writable at once, and restoring clears the whole piece, or gives it back to the kernel where it is large: a program
//! that uses gigabytes pays for what it touches and not for every page it ever touched.

use super::PAGE;
use super::hot::clear_pages;
use crate::checkpoint::Tape;
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

impl Piece {
    /// Its pages.
    fn pages(&self) -> impl Iterator<Item = u64> + use<> {
        (self.start..self.end).step_by(PAGE as usize)
    }

    /// Makes it zero from an address on.
    fn clear_from(&self, start: u64) {
        let length = self.end - start;
        if length <= CLEARED * PAGE {
            // SAFETY: writable pages of the heap, whose contents end with the execution.
            unsafe { clear_pages(start, length) };
        } else {
            // SAFETY: as above; private anonymous memory reads as zero afterwards.
            unsafe { sys::call(libc::SYS_madvise, [start, length, libc::MADV_DONTNEED as u64, 0, 0, 0]) };
        }
    }
}

/// A piece on tape: its contents follow.
#[derive(Clone, Copy)]
struct Saved {
    thread: usize,
    length: u64,
}

impl Saved {
    /// Stands behind the last one.
    const LAST: Saved = Saved { thread: usize::MAX, length: 0 };
}

/// The fresh parts of all threads' heaps.
pub struct Fresh {
    pieces: [Piece; MAX_THREADS],
    /// The threads below this one may have a piece.
    threads: usize,
}

impl Fresh {
    /// Nothing is writable yet.
    pub const fn new() -> Fresh {
        Fresh { pieces: [Piece { start: 0, end: 0 }; MAX_THREADS], threads: 0 }
    }

    /// A write to this page faulted. True if it was fresh and is writable now, None if it is no fresh page.
    pub fn extend(&mut self, page: u64) -> Option<bool> {
        let (thread, start, limit) = heap::fresh_part(page)?;
        let piece = &mut self.pieces[thread];
        if piece.start == 0 {
            self.threads = self.threads.max(thread + 1);
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
        self.used().for_each(|(_, piece)| piece.clear_from(piece.start));
    }

    /// Saves the pieces as they are now.
    pub fn save(&self, tape: &mut Tape) {
        for (thread, piece) in self.used() {
            tape.put(Saved { thread, length: piece.end - piece.start });
            piece.pages().for_each(|page| tape.save_changes(page, 0));
        }
        tape.put(Saved::LAST);
    }

    /// Brings back the pieces as they were saved. What they have grown by was all zeroes.
    pub fn bring_back(&self, tape: &mut Tape) {
        let mut saved: Saved = tape.take();
        for (thread, piece) in self.used() {
            if saved.thread != thread {
                piece.clear_from(piece.start);
                continue;
            }
            piece.pages().take((saved.length / PAGE) as usize).for_each(|page| tape.bring_back_changes(page, 0));
            piece.clear_from(piece.start + saved.length);
            saved = tape.take();
        }
    }

    /// The pieces, by their threads. Once there is one, it stays.
    fn used(&self) -> impl Iterator<Item = (usize, &Piece)> {
        self.pieces[..self.threads].iter().enumerate().filter(|(_, piece)| piece.end > piece.start)
    }

    /// Pages that are writable.
    pub fn len(&self) -> usize {
        self.used().map(|(_, piece)| ((piece.end - piece.start) / PAGE) as usize).sum()
    }
}
