//! Functions that copy strings.

use super::fail;
use super::strings::{length_within, reads_text};
use super::watch::watch;
use crate::access::Here;
use crate::heap;
use core::ffi::c_char;

type Text = *const c_char;
type Target = *mut c_char;

/// No limit to the length of a string.
const ANY: usize = usize::MAX;

/// Copies a string up to a limit; gives its length and whether its end was copied.
fn copy(here: Here, to: Target, from: Text, limit: usize) -> (usize, bool) {
    let (done, found) = here.copy_until(to as u64, from as u64, limit as u64, 0);
    (done as usize - usize::from(found), found)
}

/// As `strncpy`: fills what is left with zeroes. Gives the length of what was copied.
fn copy_and_fill(to: Target, from: Text, limit: usize) -> usize {
    let here = Here::caller();
    let (length, found) = copy(here, to, from, limit);
    if found {
        here.fill(to.wrapping_add(length) as u64, 0, (limit - length) as u64);
    }
    length
}

/// As `strncat`.
fn append(to: Target, from: Text, limit: usize) -> Target {
    let here = Here::caller();
    reads_text(here, to);
    let end = to.wrapping_add(length_within(to, ANY));
    let (length, found) = copy(here, end, from, limit);
    if !found {
        here.fill(end.wrapping_add(length) as u64, 0, 1);
    }
    to
}

/// A copy on the heap.
fn duplicate(from: Text, limit: usize) -> Target {
    let here = Here::caller();
    here.reads_found(from, || length_within(from, limit).saturating_add(1).min(limit));
    let length = length_within(from, limit);
    here.resume();
    let block = heap::allocate(length + 1, 16);
    if block.is_null() {
        fail(libc::ENOMEM);
        return core::ptr::null_mut();
    }
    // The points of the reads have been passed, and the block is new: its own are rare, and nothing depends on them.
    here.writes(block, length + 1);
    // SAFETY: the block has room, and the string is that of the program.
    unsafe {
        super::real::copy(block as u64, from as u64, length as u64);
        *block.add(length) = 0;
    }
    block.cast()
}

/// Whether a string does not fit: then libc is to say so.
fn overflows(from: Text, limit: usize, used: usize, room: usize) -> bool {
    let length = length_within(from, limit);
    used.saturating_add(length) >= room
}

watch! {
    /// Copies.
    fn strcpy(to: Target, from: Text) -> Target {
        copy(Here::caller(), to, from, ANY);
        to
    }

    /// Copies; gives the end.
    fn stpcpy(to: Target, from: Text) -> Target {
        to.wrapping_add(copy(Here::caller(), to, from, ANY).0)
    }

    /// Copies within a limit, and fills.
    fn strncpy(to: Target, from: Text, limit: usize) -> Target {
        copy_and_fill(to, from, limit);
        to
    }

    /// Copies within a limit, and fills; gives the end.
    fn stpncpy(to: Target, from: Text, limit: usize) -> Target {
        to.wrapping_add(copy_and_fill(to, from, limit))
    }

    /// Appends.
    fn strcat(to: Target, from: Text) -> Target {
        append(to, from, ANY)
    }

    /// Appends within a limit.
    fn strncat(to: Target, from: Text, limit: usize) -> Target {
        append(to, from, limit)
    }

    /// Copies to the heap.
    fn strdup(from: Text) -> Target {
        duplicate(from, ANY)
    }

    /// Copies to the heap, by another name.
    fn __strdup(from: Text) -> Target {
        duplicate(from, ANY)
    }

    /// Copies to the heap within a limit.
    fn strndup(from: Text, limit: usize) -> Target {
        duplicate(from, limit)
    }

    /// Copies to the heap within a limit, by another name.
    fn __strndup(from: Text, limit: usize) -> Target {
        duplicate(from, limit)
    }

    /// Copies if there is room.
    fn __strcpy_chk(to: Target, from: Text, room: usize) -> Target {
        if overflows(from, ANY, 0, room) {
            // SAFETY: aborts.
            return unsafe { libc()(to, from, room) };
        }
        copy(Here::caller(), to, from, ANY);
        to
    }

    /// Copies if there is room; gives the end.
    fn __stpcpy_chk(to: Target, from: Text, room: usize) -> Target {
        if overflows(from, ANY, 0, room) {
            // SAFETY: aborts.
            return unsafe { libc()(to, from, room) };
        }
        to.wrapping_add(copy(Here::caller(), to, from, ANY).0)
    }

    /// Copies within a limit if there is room, and fills.
    fn __strncpy_chk(to: Target, from: Text, limit: usize, room: usize) -> Target {
        if limit > room {
            // SAFETY: aborts.
            return unsafe { libc()(to, from, limit, room) };
        }
        copy_and_fill(to, from, limit);
        to
    }

    /// Copies within a limit if there is room, and fills; gives the end.
    fn __stpncpy_chk(to: Target, from: Text, limit: usize, room: usize) -> Target {
        if limit > room {
            // SAFETY: aborts.
            return unsafe { libc()(to, from, limit, room) };
        }
        to.wrapping_add(copy_and_fill(to, from, limit))
    }

    /// Appends if there is room.
    fn __strcat_chk(to: Target, from: Text, room: usize) -> Target {
        if overflows(from, ANY, length_within(to, ANY), room) {
            // SAFETY: aborts.
            return unsafe { libc()(to, from, room) };
        }
        append(to, from, ANY)
    }

    /// Appends within a limit if there is room.
    fn __strncat_chk(to: Target, from: Text, limit: usize, room: usize) -> Target {
        if overflows(from, limit, length_within(to, ANY), room) {
            // SAFETY: aborts.
            return unsafe { libc()(to, from, limit, room) };
        }
        append(to, from, limit)
    }
}
