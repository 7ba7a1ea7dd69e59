//! `printf` and its family.

use super::format::{self, Pointed, What};
use super::streams;
use super::strings::{length_within, reads_text, reads_within};
use super::variadic::{List, variadic};
use super::watch::watch;
use super::wide;
use crate::access::Here;
use core::ffi::{c_char, c_int, c_void};
use core::mem::MaybeUninit;

type Text = *const c_char;
type Target = *mut c_char;
type Stream = *mut c_void;

/// Output up to this length is made in a buffer first.
const SHORT: usize = 1024;

/// Makes known what is read to print: the format and the strings. What `%n` writes, too.
fn watch_arguments(format: Text, list: *mut List) -> Here {
    watch_all(format, list, None)
}

/// The same, and that a stream is used.
fn watch_stream(stream: Stream, format: Text, list: *mut List) {
    watch_all(format, list, Some(stream));
}

fn watch_all(format: Text, list: *mut List, stream: Option<Stream>) -> Here {
    let here = Here::caller();
    reads_text(here, format);
    // SAFETY: the stub, or the program, passes a list.
    watch_list(here, format::Text::Narrow(format), unsafe { *list }, stream);
    here
}

/// The arguments of a format, and the stream that is printed to: libc uses them when all their points were passed.
pub(super) fn watch_list(here: Here, format: format::Text, list: List, stream: Option<Stream>) {
    let mut shared = stream.map_or(0, |stream| streams::is_shared(here, stream));
    format::printed(format, list, |pointed| shared += here.shared([pointed.address as Text], || length(&pointed)));
    here.at_once(shared, || {
        format::printed(format, list, |pointed| match pointed.what {
            _ if pointed.address == 0 => {}
            What::Text(limit) => reads_within(here, pointed.address as Text, limit),
            What::WideText(limit) => wide::reads_text(here, pointed.address as *const i32, limit),
            What::Number(size) | What::Characters(size) => _ = here.writes(pointed.address as Target, size),
        });
        if let Some(stream) = stream {
            streams::uses(here, stream);
        }
    });
}

/// The bytes that an argument points to.
fn length(pointed: &Pointed) -> usize {
    match pointed.what {
        _ if pointed.address == 0 => 0,
        What::Text(limit) => length_within(pointed.address as Text, limit).saturating_add(1).min(limit),
        What::WideText(limit) => (wide::length_within(pointed.address as *const i32, limit) + 1) * 4,
        What::Number(size) | What::Characters(size) => size,
    }
}

/// Prints into memory: into a buffer first, from which it goes to its place piece by piece, or with libc's own function
/// if it is long. Both get their own copy of the list.
fn print_to(
    to: Target,
    limit: usize,
    format: Text,
    list: *mut List,
    draft: impl FnOnce(Target, *mut List) -> c_int,
    by_libc: impl FnOnce() -> c_int,
) -> c_int {
    let here = watch_arguments(format, list);
    let mut buffer = MaybeUninit::<[c_char; SHORT]>::uninit();
    // SAFETY: the stub, or the program, passes a list.
    let mut copied = unsafe { *list };
    let length = draft(buffer.as_mut_ptr().cast(), &raw mut copied);
    let stored = usize::try_from(length).map_or(limit.min(1), |length| (length + 1).min(limit));
    if length < 0 || length as usize >= SHORT {
        here.writes(to, stored);
        return by_libc();
    }
    if stored > 0 {
        here.copy(to as u64, buffer.as_ptr() as u64, stored as u64 - 1);
        here.fill(to.wrapping_add(stored - 1) as u64, 0, 1);
    }
    length
}

fn print_plain(to: Target, limit: usize, format: Text, list: *mut List, by_libc: impl FnOnce() -> c_int) -> c_int {
    // SAFETY: the buffer has room for this much, and the list is a copy.
    let draft = |buffer, list| unsafe { vsnprintf::libc()(buffer, SHORT, format, list) };
    print_to(to, limit, format, list, draft, by_libc)
}

/// With the flag of the checking functions, and the room that there is: what does not fit is left to libc, which
/// aborts.
fn print_checked(
    to: Target,
    limit: usize,
    [flag, room]: [c_int; 2],
    format: Text,
    list: *mut List,
    by_libc: impl FnOnce() -> c_int,
) -> c_int {
    // SAFETY: as in `print_plain`.
    let draft = |buffer, list| unsafe { __vsnprintf_chk::libc()(buffer, SHORT, flag, SHORT, format, list) };
    let draft = |buffer, list| Some(draft(buffer, list)).filter(|&length| length < room).unwrap_or(-1);
    print_to(to, limit, format, list, draft, by_libc)
}

watch! {
    /// Prints into memory.
    fn vsprintf(to: Target, format: Text, list: *mut List) -> c_int {
        // SAFETY: the arguments of the program.
        print_plain(to, usize::MAX, format, list, || unsafe { libc()(to, format, list) })
    }

    /// Prints into memory, within a limit.
    fn vsnprintf(to: Target, limit: usize, format: Text, list: *mut List) -> c_int {
        // SAFETY: the arguments of the program.
        print_plain(to, limit, format, list, || unsafe { libc()(to, limit, format, list) })
    }

    /// Prints into memory if there is room.
    fn __vsprintf_chk(to: Target, flag: c_int, room: usize, format: Text, list: *mut List) -> c_int {
        // SAFETY: the arguments of the program.
        let by_libc = || unsafe { libc()(to, flag, room, format, list) };
        print_checked(to, usize::MAX, [flag, c_int::try_from(room).unwrap_or(c_int::MAX)], format, list, by_libc)
    }

    /// Prints into memory, within a limit, if there is room.
    fn __vsnprintf_chk(to: Target, limit: usize, flag: c_int, room: usize, format: Text, list: *mut List) -> c_int {
        // SAFETY: the arguments of the program.
        let by_libc = || unsafe { libc()(to, limit, flag, room, format, list) };
        if limit > room {
            return by_libc();
        }
        print_checked(to, limit, [flag, c_int::MAX], format, list, by_libc)
    }

    /// Prints.
    fn vprintf(format: Text, list: *mut List) -> c_int {
        watch_stream(streams::output(), format, list);
        // SAFETY: the arguments of the program.
        unsafe { libc()(format, list) }
    }

    /// Prints, with checks.
    fn __vprintf_chk(flag: c_int, format: Text, list: *mut List) -> c_int {
        watch_stream(streams::output(), format, list);
        // SAFETY: the arguments of the program.
        unsafe { libc()(flag, format, list) }
    }

    /// Prints to a stream.
    fn vfprintf(stream: Stream, format: Text, list: *mut List) -> c_int {
        watch_stream(stream, format, list);
        // SAFETY: the arguments of the program.
        unsafe { libc()(stream, format, list) }
    }

    /// Prints to a stream, with checks.
    fn __vfprintf_chk(stream: Stream, flag: c_int, format: Text, list: *mut List) -> c_int {
        watch_stream(stream, format, list);
        // SAFETY: the arguments of the program.
        unsafe { libc()(stream, flag, format, list) }
    }

    /// Prints to a descriptor.
    fn vdprintf(descriptor: c_int, format: Text, list: *mut List) -> c_int {
        watch_arguments(format, list);
        // SAFETY: the arguments of the program.
        unsafe { libc()(descriptor, format, list) }
    }

    /// Prints to a descriptor, with checks.
    fn __vdprintf_chk(descriptor: c_int, flag: c_int, format: Text, list: *mut List) -> c_int {
        watch_arguments(format, list);
        // SAFETY: the arguments of the program.
        unsafe { libc()(descriptor, flag, format, list) }
    }

    /// Prints to the heap.
    fn vasprintf(to: *mut Target, format: Text, list: *mut List) -> c_int {
        watch_arguments(format, list).writes(to, size_of::<Target>());
        // SAFETY: the arguments of the program.
        unsafe { libc()(to, format, list) }
    }

    /// Prints to the heap, with checks.
    fn __vasprintf_chk(to: *mut Target, flag: c_int, format: Text, list: *mut List) -> c_int {
        watch_arguments(format, list).writes(to, size_of::<Target>());
        // SAFETY: the arguments of the program.
        unsafe { libc()(to, flag, format, list) }
    }
}

// What follows does as its brother with a list does.
variadic! {
    /// Prints.
    fn printf(format: Text; list, 1 in "rsi") {
        // SAFETY: the arguments of the program.
        unsafe { vprintf::body(format, list) }
    }

    /// Prints, with checks.
    fn __printf_chk(flag: c_int, format: Text; list, 2 in "rdx") {
        // SAFETY: the arguments of the program.
        unsafe { __vprintf_chk::body(flag, format, list) }
    }

    /// Prints to a stream.
    fn fprintf(stream: Stream, format: Text; list, 2 in "rdx") {
        // SAFETY: the arguments of the program.
        unsafe { vfprintf::body(stream, format, list) }
    }

    /// Prints to a stream, with checks.
    fn __fprintf_chk(stream: Stream, flag: c_int, format: Text; list, 3 in "rcx") {
        // SAFETY: the arguments of the program.
        unsafe { __vfprintf_chk::body(stream, flag, format, list) }
    }

    /// Prints to a descriptor.
    fn dprintf(descriptor: c_int, format: Text; list, 2 in "rdx") {
        // SAFETY: the arguments of the program.
        unsafe { vdprintf::body(descriptor, format, list) }
    }

    /// Prints to a descriptor, with checks.
    fn __dprintf_chk(descriptor: c_int, flag: c_int, format: Text; list, 3 in "rcx") {
        // SAFETY: the arguments of the program.
        unsafe { __vdprintf_chk::body(descriptor, flag, format, list) }
    }

    /// Prints into memory.
    fn sprintf(to: Target, format: Text; list, 2 in "rdx") {
        // SAFETY: the arguments of the program.
        unsafe { vsprintf::body(to, format, list) }
    }

    /// Prints into memory, within a limit.
    fn snprintf(to: Target, limit: usize, format: Text; list, 3 in "rcx") {
        // SAFETY: the arguments of the program.
        unsafe { vsnprintf::body(to, limit, format, list) }
    }

    /// Prints into memory if there is room.
    fn __sprintf_chk(to: Target, flag: c_int, room: usize, format: Text; list, 4 in "r8") {
        // SAFETY: the arguments of the program.
        unsafe { __vsprintf_chk::body(to, flag, room, format, list) }
    }

    /// Prints into memory, within a limit, if there is room.
    fn __snprintf_chk(to: Target, limit: usize, flag: c_int, room: usize, format: Text; list, 5 in "r9") {
        // SAFETY: the arguments of the program.
        unsafe { __vsnprintf_chk::body(to, limit, flag, room, format, list) }
    }

    /// Prints to the heap.
    fn asprintf(to: *mut Target, format: Text; list, 2 in "rdx") {
        // SAFETY: the arguments of the program.
        unsafe { vasprintf::body(to, format, list) }
    }

    /// Prints to the heap, with checks.
    fn __asprintf_chk(to: *mut Target, flag: c_int, format: Text; list, 3 in "rcx") {
        // SAFETY: the arguments of the program.
        unsafe { __vasprintf_chk::body(to, flag, format, list) }
    }
}
