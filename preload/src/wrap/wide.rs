//! Functions that access wide characters.

use super::watch::watch;
use crate::access::Here;
use core::ffi::c_int;

type Wide = i32;
type Text = *const Wide;
type Target = *mut Wide;

const SIZE: usize = size_of::<Wide>();
const ANY: usize = usize::MAX / SIZE;

/// The bytes of this many characters.
fn bytes(count: usize) -> usize {
    count.saturating_mul(SIZE)
}

fn copy(to: Target, from: Text, count: usize) -> Target {
    Here::caller().copy(to as u64, from as u64, bytes(count) as u64);
    to
}

/// Fills from a pattern: the bytes of a wide character differ.
fn fill(here: Here, to: Target, value: Wide, count: usize) -> Target {
    let pattern = [value; 64];
    for start in (0..count).step_by(pattern.len()) {
        let length = bytes(pattern.len().min(count - start)) as u64;
        here.copy(to.wrapping_add(start) as u64, pattern.as_ptr() as u64, length);
    }
    to
}

/// The length of a string, cut at a limit.
pub fn length_within(text: Text, limit: usize) -> usize {
    // SAFETY: a string of the program, read up to its end or the limit.
    unsafe { wcsnlen::libc()(text, limit) }
}

fn reads_within(here: Here, text: Text, limit: usize) {
    here.reads_found(text, || bytes((length_within(text, limit) + 1).min(limit)));
}

/// Reads a string as a whole, with its end.
pub fn reads_text(here: Here, text: Text, limit: usize) {
    reads_within(here, text, limit.min(ANY));
}

/// Reads two strings through their first difference.
fn reads_compared(first: Text, second: Text, limit: usize) {
    let here = Here::caller();
    // SAFETY: stops at the end of the first string, or before that where the second ends.
    let at = |text: Text, index: usize| unsafe { *text.add(index) };
    let differs = |&index: &usize| at(first, index) != at(second, index) || at(first, index) == 0;
    let extent = || bytes((0..limit).find(differs).map_or(limit, |index| index + 1));
    here.at_once(here.shared([first, second], extent), || {
        here.reads_found(first, extent);
        here.reads_found(second, extent);
    });
}

/// Copies a string to where there is room for it.
fn copy_text(here: Here, to: Target, from: Text) {
    reads_within(here, from, ANY);
    let length = bytes(length_within(from, ANY) + 1);
    here.copy(to as u64, from as u64, length as u64);
}

fn copy_and_fill(to: Target, from: Text, limit: usize) -> Target {
    let here = Here::caller();
    reads_within(here, from, limit);
    let length = length_within(from, limit);
    here.copy(to as u64, from as u64, bytes(length) as u64);
    fill(here, to.wrapping_add(length), 0, limit - length);
    to
}

fn append(to: Target, from: Text) -> Target {
    let here = Here::caller();
    reads_within(here, to, ANY);
    copy_text(here, to.wrapping_add(length_within(to, ANY)), from);
    to
}

watch! {
    /// Copies.
    fn wmemcpy(to: Target, from: Text, count: usize) -> Target {
        copy(to, from, count)
    }

    /// Copies, with overlap.
    fn wmemmove(to: Target, from: Text, count: usize) -> Target {
        copy(to, from, count)
    }

    /// Copies; gives the end.
    fn wmempcpy(to: Target, from: Text, count: usize) -> Target {
        copy(to, from, count).wrapping_add(count)
    }

    /// Fills.
    fn wmemset(to: Target, value: Wide, count: usize) -> Target {
        fill(Here::caller(), to, value, count)
    }

    /// Compares.
    fn wmemcmp(first: Text, second: Text, count: usize) -> c_int {
        let here = Here::caller();
        here.at_once(here.shared([first, second], || bytes(count)), || {
            here.reads(first, bytes(count));
            here.reads(second, bytes(count));
        });
        // SAFETY: the arguments of the program.
        unsafe { libc()(first, second, count) }
    }

    /// Finds a character.
    fn wmemchr(start: Text, wanted: Wide, count: usize) -> Target {
        Here::caller().reads(start, bytes(count));
        // SAFETY: the arguments of the program.
        unsafe { libc()(start, wanted, count) }
    }

    /// The length.
    fn wcslen(text: Text) -> usize {
        reads_within(Here::caller(), text, ANY);
        // SAFETY: the arguments of the program.
        unsafe { libc()(text) }
    }

    /// The length within a limit.
    fn wcsnlen(text: Text, limit: usize) -> usize {
        reads_within(Here::caller(), text, limit);
        // SAFETY: the arguments of the program.
        unsafe { libc()(text, limit) }
    }

    /// Copies a string.
    fn wcscpy(to: Target, from: Text) -> Target {
        copy_text(Here::caller(), to, from);
        to
    }

    /// Copies within a limit, and fills.
    fn wcsncpy(to: Target, from: Text, limit: usize) -> Target {
        copy_and_fill(to, from, limit)
    }

    /// Appends.
    fn wcscat(to: Target, from: Text) -> Target {
        append(to, from)
    }

    /// Compares.
    fn wcscmp(first: Text, second: Text) -> c_int {
        reads_compared(first, second, usize::MAX);
        // SAFETY: the arguments of the program.
        unsafe { libc()(first, second) }
    }

    /// Compares within a limit.
    fn wcsncmp(first: Text, second: Text, limit: usize) -> c_int {
        reads_compared(first, second, limit);
        // SAFETY: the arguments of the program.
        unsafe { libc()(first, second, limit) }
    }

    /// Finds a character.
    fn wcschr(text: Text, wanted: Wide) -> Target {
        reads_within(Here::caller(), text, ANY);
        // SAFETY: the arguments of the program.
        unsafe { libc()(text, wanted) }
    }

    /// Finds the last such character.
    fn wcsrchr(text: Text, wanted: Wide) -> Target {
        reads_within(Here::caller(), text, ANY);
        // SAFETY: the arguments of the program.
        unsafe { libc()(text, wanted) }
    }
}

macro_rules! checked_copies {
    ($($name:ident $add:expr;)*) => { watch! { $(
        #[doc = concat!("`", stringify!($name), "`.")]
        fn $name(to: Target, from: Text, count: usize, room: usize) -> Target {
            if count > room {
                // SAFETY: aborts.
                return unsafe { libc()(to, from, count, room) };
            }
            copy(to, from, count).wrapping_add($add * count)
        }
    )* } };
}

checked_copies! {
    __wmemcpy_chk 0;
    __wmemmove_chk 0;
    __wmempcpy_chk 1;
}

watch! {
    /// Fills if there is room.
    fn __wmemset_chk(to: Target, value: Wide, count: usize, room: usize) -> Target {
        if count > room {
            // SAFETY: aborts.
            return unsafe { libc()(to, value, count, room) };
        }
        fill(Here::caller(), to, value, count)
    }

    /// Copies a string if there is room.
    fn __wcscpy_chk(to: Target, from: Text, room: usize) -> Target {
        if length_within(from, ANY) >= room {
            // SAFETY: aborts.
            return unsafe { libc()(to, from, room) };
        }
        copy_text(Here::caller(), to, from);
        to
    }

    /// Copies within a limit if there is room, and fills.
    fn __wcsncpy_chk(to: Target, from: Text, limit: usize, room: usize) -> Target {
        if limit > room {
            // SAFETY: aborts.
            return unsafe { libc()(to, from, limit, room) };
        }
        copy_and_fill(to, from, limit)
    }

    /// Appends if there is room.
    fn __wcscat_chk(to: Target, from: Text, room: usize) -> Target {
        if length_within(to, ANY).saturating_add(length_within(from, ANY)) >= room {
            // SAFETY: aborts.
            return unsafe { libc()(to, from, room) };
        }
        append(to, from)
    }
}
