//! `wprintf` and its family.

use super::print::watch_list;
use super::streams;
use super::variadic::{List, variadic};
use super::watch::watch;
use super::{format, wide};
use crate::access::{Here, Kind};
use core::ffi::{c_int, c_void};

type Text = *const i32;
type Target = *mut i32;
type Stream = *mut c_void;

/// Makes known what is read to print: the format and the strings; and that a stream is used.
fn watch_arguments(format: Text, list: *mut List, stream: Option<Stream>) -> Here {
    let here = Here::caller();
    wide::reads_text(here, format, usize::MAX);
    // SAFETY: the stub, or the program, passes a list.
    watch_list(here, format::Text::Wide(format), unsafe { *list }, stream);
    here
}

/// Prints into memory with a function of libc: passes the points of all that may be written before, and makes known
/// what was written.
fn print_to(to: Target, limit: usize, format: Text, list: *mut List, by_libc: impl FnOnce() -> c_int) -> c_int {
    let here = watch_arguments(format, list, None);
    here.points(Kind::Write, to as u64, (limit as u64).saturating_mul(4));
    let length = by_libc();
    // What did not fit has filled all.
    let written = usize::try_from(length).map_or(limit, |length| length + 1);
    here.note(Kind::Write, to as u64, written as u64 * 4);
    length
}

watch! {
    /// Prints.
    fn vwprintf(format: Text, list: *mut List) -> c_int {
        watch_arguments(format, list, Some(streams::output()));
        // SAFETY: the arguments of the program.
        unsafe { libc()(format, list) }
    }

    /// Prints, with checks.
    fn __vwprintf_chk(flag: c_int, format: Text, list: *mut List) -> c_int {
        watch_arguments(format, list, Some(streams::output()));
        // SAFETY: the arguments of the program.
        unsafe { libc()(flag, format, list) }
    }

    /// Prints to a stream.
    fn vfwprintf(stream: Stream, format: Text, list: *mut List) -> c_int {
        watch_arguments(format, list, Some(stream));
        // SAFETY: the arguments of the program.
        unsafe { libc()(stream, format, list) }
    }

    /// Prints to a stream, with checks.
    fn __vfwprintf_chk(stream: Stream, flag: c_int, format: Text, list: *mut List) -> c_int {
        watch_arguments(format, list, Some(stream));
        // SAFETY: the arguments of the program.
        unsafe { libc()(stream, flag, format, list) }
    }

    /// Prints into memory, within a limit.
    fn vswprintf(to: Target, limit: usize, format: Text, list: *mut List) -> c_int {
        // SAFETY: the arguments of the program.
        print_to(to, limit, format, list, || unsafe { libc()(to, limit, format, list) })
    }

    /// Prints into memory, within a limit, if there is room.
    fn __vswprintf_chk(to: Target, limit: usize, flag: c_int, room: usize, format: Text, list: *mut List) -> c_int {
        // SAFETY: the arguments of the program.
        print_to(to, limit.min(room), format, list, || unsafe { libc()(to, limit, flag, room, format, list) })
    }
}

// What follows does as its brother with a list does.
variadic! {
    /// Prints.
    fn wprintf(format: Text; list, 1 in "rsi") {
        // SAFETY: the arguments of the program.
        unsafe { vwprintf::body(format, list) }
    }

    /// Prints, with checks.
    fn __wprintf_chk(flag: c_int, format: Text; list, 2 in "rdx") {
        // SAFETY: the arguments of the program.
        unsafe { __vwprintf_chk::body(flag, format, list) }
    }

    /// Prints to a stream.
    fn fwprintf(stream: Stream, format: Text; list, 2 in "rdx") {
        // SAFETY: the arguments of the program.
        unsafe { vfwprintf::body(stream, format, list) }
    }

    /// Prints to a stream, with checks.
    fn __fwprintf_chk(stream: Stream, flag: c_int, format: Text; list, 3 in "rcx") {
        // SAFETY: the arguments of the program.
        unsafe { __vfwprintf_chk::body(stream, flag, format, list) }
    }

    /// Prints into memory, within a limit.
    fn swprintf(to: Target, limit: usize, format: Text; list, 3 in "rcx") {
        // SAFETY: the arguments of the program.
        unsafe { vswprintf::body(to, limit, format, list) }
    }

    /// Prints into memory, within a limit, if there is room.
    fn __swprintf_chk(to: Target, limit: usize, flag: c_int, room: usize, format: Text; list, 5 in "r9") {
        // SAFETY: the arguments of the program.
        unsafe { __vswprintf_chk::body(to, limit, flag, room, format, list) }
    }
}
