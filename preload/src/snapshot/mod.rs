//! The snapshot: the program's memory before `main`, and the way back to it.
//!
//! Every private writable mapping is made read-only. The first write to a page faults once: the page is saved, made
//! writable, and joins the *hot set* for good. To restore is to copy the hot set back. After a few executions nothing
//! faults any more, and an execution costs no system call.

mod fresh;
mod hot;
pub mod maps;

use crate::checkpoint::Tape;
use crate::{control, sys, world};
use core::cell::UnsafeCell;
use fresh::Fresh;
use hot::HotSet;

pub use hot::clear_pages;
pub use maps::for_each_mapping;

/// Bytes of a page.
pub const PAGE: u64 = 4096;
const MAX_RANGES: usize = 1024;
const MAX_EXCLUDED: usize = 16;

/// A range of addresses.
#[derive(Clone, Copy, Default)]
pub struct Range {
    start: u64,
    end: u64,
}

struct Snapshot {
    /// What is restored, sorted by address.
    ranges: [Range; MAX_RANGES],
    count: usize,
    /// Memory of the shim itself that must stay as it is.
    excluded: [Range; MAX_EXCLUDED],
    excluded_count: usize,
    hot: HotSet,
    fresh: Fresh,
}

/// The snapshot, outside of itself.
struct Place(UnsafeCell<Snapshot>);

// SAFETY: only the kernel thread that runs program and shim touches it.
unsafe impl Sync for Place {}

static SNAPSHOT: Place = Place(UnsafeCell::new(Snapshot {
    ranges: [Range { start: 0, end: 0 }; MAX_RANGES],
    count: 0,
    excluded: [Range { start: 0, end: 0 }; MAX_EXCLUDED],
    excluded_count: 0,
    hot: HotSet::new(),
    fresh: Fresh::new(),
}));

fn with<R>(act: impl FnOnce(&mut Snapshot) -> R) -> R {
    // SAFETY: the functions of this module do not nest: the fault handler runs while none of them does, because none
    // writes to protected memory except through pages that it has made writable.
    act(unsafe { &mut *SNAPSHOT.0.get() })
}

/// Keeps memory of the shim out of the snapshot.
pub fn exclude(start: u64, end: u64) {
    with(|snapshot| {
        snapshot.excluded[snapshot.excluded_count] = Range { start, end };
        snapshot.excluded_count += 1;
    });
}

/// Takes the snapshot: from here on, writes are noticed.
pub fn take() -> bool {
    let mapped = with(|snapshot| snapshot.hot.map());
    let Some((start, end)) = mapped else { return false };
    exclude(start, end);
    let (image_start, image_end) = own_data();
    let (world_start, world_end) = world::get().memory();
    exclude(image_start, world_start);
    exclude(world_end, image_end);
    with(|snapshot| {
        let complete = maps::for_each_writable(|range| snapshot.add_without_excluded(range, 0));
        complete && snapshot.ranges().iter().all(|range| range.protect())
    })
}

/// Takes the snapshot anew, of the same mappings: from here on, what there is now is what is restored.
pub fn take_again() -> bool {
    with(|snapshot| {
        snapshot.hot.forget();
        snapshot.fresh = Fresh::new();
        snapshot.ranges().iter().all(|range| range.protect())
    })
}

impl Snapshot {
    fn ranges(&self) -> &[Range] {
        &self.ranges[..self.count]
    }

    /// Adds what is left of a range when the excluded ones from `first` on are taken out. False if there is no room.
    fn add_without_excluded(&mut self, range: Range, first: usize) -> bool {
        if range.start >= range.end {
            return true;
        }
        for index in first..self.excluded_count {
            let hole = self.excluded[index];
            if hole.start < range.end && range.start < hole.end {
                let before = Range { start: range.start, end: hole.start.min(range.end) };
                let after = Range { start: hole.end.max(range.start), end: range.end };
                return self.add_without_excluded(before, index + 1) && self.add_without_excluded(after, index + 1);
            }
        }
        if self.count == MAX_RANGES {
            return false;
        }
        self.ranges[self.count] = range;
        self.count += 1;
        true
    }
}

impl Range {
    fn protect(&self) -> bool {
        // SAFETY: a private writable mapping of the process; writes to it are handled from now on.
        unsafe { sys::mprotect(self.start, self.end - self.start, libc::PROT_READ) }
    }
}

/// Whether the address lies in memory that is restored.
pub fn covers(address: u64) -> bool {
    with(|snapshot| snapshot.ranges().iter().any(|range| (range.start..range.end).contains(&address)))
}

/// A write to this address faulted. True if the page is writable now and the write is to be tried again.
pub fn make_writable(address: u64) -> bool {
    let page = address & !(PAGE - 1);
    covers(page) && with(|snapshot| snapshot.fresh.extend(page).unwrap_or_else(|| snapshot.hot.add(page)))
}

/// Brings back the memory, and what the kernel holds for the program.
pub fn restore() {
    with(|snapshot| {
        snapshot.fresh.clear();
        snapshot.hot.copy_back();
    });
    crate::syscalls::undo();
    control::get().dirty.set(false);
}

/// Saves the memory as it is now.
pub fn save(tape: &mut Tape) {
    with(|snapshot| {
        snapshot.hot.save(tape);
        snapshot.fresh.save(tape);
    });
}

/// Brings the memory back to what was saved, and what the kernel holds for the program to what it was at the snapshot.
pub fn bring_back(tape: &mut Tape) {
    with(|snapshot| {
        snapshot.hot.bring_back(tape);
        snapshot.fresh.bring_back(tape);
    });
    crate::syscalls::undo();
    control::get().dirty.set(false);
}

/// Pages that are copied per restore.
pub fn hot_pages() -> usize {
    with(|snapshot| snapshot.hot.len() + snapshot.fresh.len())
}

/// The shim's own image, from its ELF header to the end of its data.
pub fn own_data() -> (u64, u64) {
    unsafe extern "C" {
        static __ehdr_start: u8;
        static _end: u8;
    }
    let page_up = |address: u64| (address + PAGE - 1) & !(PAGE - 1);
    (&raw const __ehdr_start as u64, page_up(&raw const _end as u64))
}
