//! Functions that access bytes: `memcpy` and its family.

use super::watch::watch;
use crate::access::{Here, Taken};
use core::ffi::{c_int, c_void};

type Pointer = *mut c_void;
type Source = *const c_void;

fn copy(to: Pointer, from: Source, length: usize) -> Pointer {
    Here::caller().copy(to as u64, from as u64, length as u64);
    to
}

fn fill(to: Pointer, value: c_int, length: usize) -> Pointer {
    Here::caller().fill(to as u64, value as u8, length as u64);
    to
}

/// Compares two ranges with a function of libc, as they were read.
fn compare(first: Source, second: Source, length: usize, by_libc: impl FnOnce(Source, Source) -> c_int) -> c_int {
    let here = Here::caller();
    if length > Taken::ROOM {
        here.at_once(here.shared([first, second], || length), || {
            here.reads(first, length);
            here.reads(second, length);
        });
        return by_libc(first, second);
    }
    let (mut one, mut other) = (Taken::new(), Taken::new());
    let first = here.takes(first as u64, length as u64, &mut one);
    let second = here.takes(second as u64, length as u64, &mut other);
    by_libc(first as Source, second as Source)
}

/// The bytes up to what a search found, that included; all of them if it found nothing.
fn extent(start: Source, found: Pointer, length: usize) -> usize {
    if found.is_null() { length } else { found as usize - start as usize + 1 }
}

watch! {
    /// Copies.
    fn memcpy(to: Pointer, from: Source, length: usize) -> Pointer {
        copy(to, from, length)
    }

    /// Copies, with overlap.
    fn memmove(to: Pointer, from: Source, length: usize) -> Pointer {
        copy(to, from, length)
    }

    /// Copies, with overlap, the other way round.
    fn bcopy(from: Source, to: Pointer, length: usize) {
        copy(to, from, length);
    }

    /// Copies; gives the end.
    fn mempcpy(to: Pointer, from: Source, length: usize) -> Pointer {
        copy(to, from, length).wrapping_byte_add(length)
    }

    /// Copies up to a byte.
    fn memccpy(to: Pointer, from: Source, stop: c_int, length: usize) -> Pointer {
        let (done, found) = Here::caller().copy_until(to as u64, from as u64, length as u64, stop as u8);
        if found { to.wrapping_byte_add(done as usize) } else { core::ptr::null_mut() }
    }

    /// Fills.
    fn memset(to: Pointer, value: c_int, length: usize) -> Pointer {
        fill(to, value, length)
    }

    /// Clears.
    fn bzero(to: Pointer, length: usize) {
        fill(to, 0, length);
    }

    /// Clears, whatever the compiler thinks of it.
    fn explicit_bzero(to: Pointer, length: usize) {
        fill(to, 0, length);
    }

    /// Compares.
    fn memcmp(first: Source, second: Source, length: usize) -> c_int {
        // SAFETY: the arguments of the program, or as many bytes of them.
        compare(first, second, length, |first, second| unsafe { libc()(first, second, length) })
    }

    /// Compares for equality.
    fn bcmp(first: Source, second: Source, length: usize) -> c_int {
        // SAFETY: the arguments of the program, or as many bytes of them.
        compare(first, second, length, |first, second| unsafe { libc()(first, second, length) })
    }

    /// Finds a byte.
    fn memchr(start: Source, byte: c_int, length: usize) -> Pointer {
        // SAFETY: the arguments of the program.
        let search = || unsafe { libc()(start, byte, length) };
        let (here, extent) = (Here::caller(), || extent(start, search(), length));
        if here.is_shared(start as u64, extent() as u64)
            && let Some(found) = here.finds(start as u64, byte as u8, length as u64)
        {
            let place = |index: u64| start.wrapping_byte_add(index as usize).cast_mut();
            return found.map_or(core::ptr::null_mut(), place);
        }
        here.reads_found(start, extent);
        search()
    }

    /// Finds a byte from the end.
    fn memrchr(start: Source, byte: c_int, length: usize) -> Pointer {
        Here::caller().reads(start, length);
        // SAFETY: the arguments of the program.
        unsafe { libc()(start, byte, length) }
    }

    /// Finds a byte that is there.
    fn rawmemchr(start: Source, byte: c_int) -> Pointer {
        // SAFETY: the arguments of the program.
        let search = || unsafe { libc()(start, byte) };
        Here::caller().reads_found(start, || extent(start, search(), 0));
        search()
    }

    /// Finds bytes.
    fn memmem(start: Source, length: usize, wanted: Source, wanted_length: usize) -> Pointer {
        // SAFETY: the arguments of the program.
        let search = || unsafe { libc()(start, length, wanted, wanted_length) };
        let here = Here::caller();
        let extent = || (extent(start, search(), length) + wanted_length).min(length);
        here.at_once(here.shared([wanted], || wanted_length) + here.shared([start], extent), || {
            here.reads(wanted, wanted_length);
            here.reads_found(start, extent);
        });
        search()
    }

    /// Copies if there is room.
    fn __memcpy_chk(to: Pointer, from: Source, length: usize, room: usize) -> Pointer {
        if length > room {
            // SAFETY: aborts.
            return unsafe { libc()(to, from, length, room) };
        }
        copy(to, from, length)
    }

    /// Copies if there is room, with overlap.
    fn __memmove_chk(to: Pointer, from: Source, length: usize, room: usize) -> Pointer {
        if length > room {
            // SAFETY: aborts.
            return unsafe { libc()(to, from, length, room) };
        }
        copy(to, from, length)
    }

    /// Copies if there is room; gives the end.
    fn __mempcpy_chk(to: Pointer, from: Source, length: usize, room: usize) -> Pointer {
        if length > room {
            // SAFETY: aborts.
            return unsafe { libc()(to, from, length, room) };
        }
        copy(to, from, length).wrapping_byte_add(length)
    }

    /// Fills if there is room.
    fn __memset_chk(to: Pointer, value: c_int, length: usize, room: usize) -> Pointer {
        if length > room {
            // SAFETY: aborts.
            return unsafe { libc()(to, value, length, room) };
        }
        fill(to, value, length)
    }

    /// Clears if there is room.
    fn __explicit_bzero_chk(to: Pointer, length: usize, room: usize) {
        if length > room {
            // SAFETY: aborts.
            return unsafe { libc()(to, length, room) };
        }
        fill(to, 0, length);
    }
}
