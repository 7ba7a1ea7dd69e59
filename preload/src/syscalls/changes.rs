//! Memory that a call takes away, replaces, empties or protects otherwise: to all who access it that is a write of it.

use super::{Call, kernel};
use crate::access::{Here, Kind};
use crate::snapshot::PAGE;
use crate::{arena, world};
use core::sync::atomic::Ordering::Relaxed;
use rscale_protocol::arena::Unseen;

/// Pages that are looked at together.
const AT_ONCE: usize = 512;
/// Pages that nobody has touched and that are written down nevertheless, in one call. What is known of a page takes twice
/// its memory, and a program may reserve very much.
const UNTOUCHED: u32 = 256;

/// A range that a call changes.
struct Change {
    start: u64,
    length: u64,
    /// Whether it can be accessed behind the call. Of memory that has gone away nobody can make use: pages that nobody
    /// has touched do not count, for whoever touches one later crashes.
    stays: bool,
}

impl Change {
    fn gone(start: u64, length: u64) -> Change {
        Change { start, length, stays: false }
    }

    fn other(start: u64, length: u64) -> Change {
        Change { start, length, stays: true }
    }

    /// What a call changes.
    fn of(call: &Call) -> [Option<Change>; 2] {
        let [start, length, third, flags, target, _] = call.arguments;
        match call.number {
            libc::SYS_munmap => [Some(Change::gone(start, length)), None],
            libc::SYS_mremap => {
                let is_put_over = is_moved_over(third, flags, target);
                [Some(Change::gone(start, length)), is_put_over.then(|| Change::other(target, third))]
            }
            libc::SYS_mprotect | libc::SYS_pkey_mprotect => [Some(Change::other(start, length)), None],
            libc::SYS_mmap if replaces(flags as i32) => [Some(Change::other(start, length)), None],
            libc::SYS_madvise if discards(third as i32) => [Some(Change::other(start, length)), None],
            _ => [None, None],
        }
    }
}

/// Whether `mremap` puts memory over what may be there.
fn is_moved_over(length: u64, flags: u64, target: u64) -> bool {
    flags & libc::MREMAP_FIXED as u64 != 0 && length > 0 && target != 0
}

/// Whether `mmap` puts memory over what may be there.
fn replaces(flags: i32) -> bool {
    flags & libc::MAP_FIXED != 0 && flags & libc::MAP_FIXED_NOREPLACE != libc::MAP_FIXED_NOREPLACE
}

/// Whether `madvise` changes what memory holds.
fn discards(advice: i32) -> bool {
    matches!(advice, libc::MADV_DONTNEED | libc::MADV_FREE | libc::MADV_REMOVE | libc::MADV_DONTNEED_LOCKED)
}

/// A call is about to be made: passes the points of the memory that it changes.
pub fn make_known(here: Here, call: &Call) {
    // To protect memory is no access that could race: what it holds stays as it is.
    let protects = matches!(call.number, libc::SYS_mprotect | libc::SYS_pkey_mprotect);
    let here = if protects { here.protected() } else { here };
    Change::of(call).into_iter().flatten().for_each(|change| write_all(here, &change));
}

fn write_all(here: Here, change: &Change) {
    let end = change.start.saturating_add(change.length.checked_next_multiple_of(PAGE).unwrap_or(u64::MAX));
    // What a thread does that is alone comes before or behind all that others do.
    let mut untouched = if change.stays && !world::get().is_alone() { UNTOUCHED } else { 0 };
    let mut act = |page: u64, is_touched: bool| {
        if is_touched || untouched > 0 {
            untouched -= u32::from(!is_touched);
            here.range(Kind::Write, page, PAGE);
        } else if change.stays && !world::get().is_alone() {
            arena::get().result.unseen_memory.fetch_or(Unseen::LARGE, Relaxed);
        }
    };
    for first in (change.start..end).step_by(AT_ONCE * PAGE as usize) {
        for_each_page(first, (end - first).min(AT_ONCE as u64 * PAGE), &mut act);
    }
}

/// Calls `act` for each page of a range, and whether somebody has touched it.
fn for_each_page(start: u64, length: u64, act: &mut impl FnMut(u64, bool)) {
    let mut pages = [0; AT_ONCE];
    if !kernel::pages_in_memory(start, length, &mut pages) {
        // Some are not there at all.
        for page in (start..start + length).step_by(PAGE as usize) {
            let is_there = length > PAGE && kernel::pages_in_memory(page, PAGE, &mut pages);
            act(page, is_there && pages[0] & 1 != 0);
        }
        return;
    }
    let addresses = (start..start + length).step_by(PAGE as usize);
    addresses.zip(pages).for_each(|(page, present)| act(page, present & 1 != 0));
}
