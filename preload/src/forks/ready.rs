//! Pages that a fork has ready before its turn comes.
//!
//! A fork begins with few pages of its own: what it writes is copied at the first write, and files and shared memory
//! are mapped again at the first access. There are some fifty such faults, of some microseconds each, and an execution
//! takes most of its time there. But which pages it needs hardly differs from one execution to the next: the first fork
//! to end writes them down, and those that wait for their turn ask the kernel for them, beside the one that runs.
//! Nothing depends on it: what can not be had that way is left to the faults.

use crate::snapshot::{PAGE, maps};
use crate::sys;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// Of mappings that are larger, only the beginning is looked at: they are reservations.
const LARGE: u64 = 64 << 20;
const BEGINNING: u64 = 4 << 20;
/// What the kernel maps around an access to a file.
const AROUND: u64 = 16 * PAGE;

/// What `/proc/self/pagemap` says of a page: that it is there, that it is of a file or shared, that nobody else has it.
const PRESENT: u64 = 1 << 63;
const OF_FILE: u64 = 1 << 61;
const EXCLUSIVE: u64 = 1 << 56;
/// Pages whose entries are read at once.
const ENTRIES: u64 = 256;

/// In the length of a range: its pages are written.
const WRITTEN: u64 = 1;

/// The list, in memory that all forks share.
#[repr(C)]
pub struct Ready {
    /// How many ranges there are; none before they are known.
    count: AtomicU64,
    /// Whether somebody has looked: where nothing is to be seen, nobody looks again.
    is_known: AtomicU64,
    ranges: [Range; 255],
}

/// Start and length, with [`WRITTEN`].
#[repr(C)]
struct Range {
    start: AtomicU64,
    length: AtomicU64,
}

impl Ready {
    /// An empty list; None if there is no memory for it.
    pub fn map() -> Option<&'static Ready> {
        let protection = (libc::PROT_READ | libc::PROT_WRITE) as u64;
        let flags = (libc::MAP_SHARED | libc::MAP_ANONYMOUS) as u64;
        let length = size_of::<Ready>() as u64;
        // SAFETY: a fresh mapping.
        let address = unsafe { sys::call(libc::SYS_mmap, [0, length, protection, flags, u64::MAX, 0]) };
        // SAFETY: it is large enough, zeroes make an empty list, and it is never unmapped.
        (address > 0).then(|| unsafe { &*(address as *const Ready) })
    }

    /// Asks for the pages.
    pub fn fetch(&self) {
        for range in &self.ranges[..self.count.load(Acquire) as usize] {
            let (start, length) = (range.start.load(Relaxed), range.length.load(Relaxed));
            let advice = if length & WRITTEN != 0 { libc::MADV_POPULATE_WRITE } else { libc::MADV_POPULATE_READ };
            // SAFETY: contents stay as they are; where nothing is mapped, or not so, the call fails.
            unsafe { sys::call(libc::SYS_madvise, [start, length & !WRITTEN, advice as u64, 0, 0, 0]) };
        }
    }

    /// Writes down what this process has come to have, unless that is known.
    pub fn learn(&self) {
        if self.is_known.swap(1, Relaxed) != 0 {
            return;
        }
        let Some(descriptor) = sys::open_to_read(c"/proc/self/pagemap") else { return };
        let mut count = 0;
        maps::for_each_mapping(|start, end, permissions| {
            if permissions[0] == b'r' {
                let end = if end - start > LARGE { start + BEGINNING } else { end };
                self.add_all(&mut count, descriptor, start, end);
            }
            true
        });
        sys::close(descriptor);
        self.count.store(count as u64, Release);
    }

    /// Adds what is there between two addresses.
    fn add_all(&self, count: &mut usize, descriptor: i32, start: u64, end: u64) {
        let mut entries = [0u64; ENTRIES as usize];
        let mut first = start;
        while first < end {
            let length = ((end - first) / PAGE).min(ENTRIES) * 8;
            let arguments = [descriptor as u64, entries.as_mut_ptr() as u64, length, first / PAGE * 8, 0, 0];
            // SAFETY: reads into the buffer, at most as much as it holds.
            let read = unsafe { sys::call(libc::SYS_pread64, arguments) };
            let Some(read) = usize::try_from(read / 8).ok().filter(|&read| read > 0) else { return };
            for &entry in &entries[..read] {
                self.add(count, first, entry);
                first += PAGE;
            }
        }
    }

    /// Adds a page, unless it comes by itself: what nobody has written since the fork is there from the start.
    fn add(&self, count: &mut usize, page: u64, entry: u64) {
        let (is_there, is_of_file) = (entry & PRESENT != 0, entry & OF_FILE != 0);
        if !is_there || !is_of_file && entry & EXCLUSIVE == 0 {
            return;
        }
        let last = count.checked_sub(1).map(|last| &self.ranges[last]);
        let (start, length) = last.map_or((0, 0), |last| (last.start.load(Relaxed), last.length.load(Relaxed)));
        if is_of_file && length & WRITTEN == 0 && start / AROUND == page / AROUND {
            return; // comes with it
        }
        if let Some(last) = last.filter(|_| !is_of_file && start + length == page + WRITTEN) {
            return last.length.store(length + PAGE, Relaxed);
        }
        let Some(range) = self.ranges.get(*count) else { return };
        range.start.store(page, Relaxed);
        range.length.store(if is_of_file { PAGE } else { PAGE | WRITTEN }, Relaxed);
        *count += 1;
    }
}
