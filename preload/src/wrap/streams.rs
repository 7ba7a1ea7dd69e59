//! Functions that move bytes between the program's memory and a stream.
//!
//! What libc keeps for the stream itself it protects with its own lock.

use super::strings::{length_within, reads_text};
use super::watch::watch;
use super::{real, standard_output};
use crate::access::{Here, Kind};
use core::ffi::{c_char, c_int, c_void};

type Text = *const c_char;
type Target = *mut c_char;
type Stream = *mut c_void;

/// The beginning of a stream, with the flags and where it reads and writes next. The headers of libc show that to
/// programs: `putc_unlocked` and the like are accesses of their own code.
const BEGINNING: usize = 7 * size_of::<u64>();

/// A function uses a stream. The order of those that use the same one shows in the output, so this is an access like
/// any other; the beginning of the stream's object stands for all of it. No two of them are a data race: libc locks it.
pub(super) fn uses(here: Here, stream: Stream) {
    here.protected().writes_whole(stream, BEGINNING);
    standard_output::give_buffer(stream);
}

/// The standard output.
pub(super) fn output() -> Stream {
    let variable = real::address(real::Function::stdout).cast::<Stream>();
    // SAFETY: libc's variable of this name is a pointer to the stream.
    unsafe { *variable }
}

/// The standard input.
pub(super) fn input() -> Stream {
    let variable = real::address(real::Function::stdin).cast::<Stream>();
    // SAFETY: as above.
    unsafe { *variable }
}

/// A string goes to a stream: libc uses both when the points of both were passed.
fn writes_text(text: Text, stream: Stream) {
    let here = Here::caller();
    let shared = here.shared([text], || length_within(text, usize::MAX) + 1);
    here.at_once(shared + is_shared(here, stream), || {
        reads_text(here, text);
        uses(here, stream);
    });
}

/// The same for bytes.
fn writes_bytes(from: *const c_void, length: usize, stream: Stream) {
    let here = Here::caller();
    here.at_once(here.shared([from], || length) + is_shared(here, stream), || {
        here.reads(from, length);
        uses(here, stream);
    });
}

/// Whether several threads use the stream: 1 if they do.
pub(super) fn is_shared(here: Here, stream: Stream) -> usize {
    here.shared([stream.cast_const()], || BEGINNING)
}

/// Fills memory from a stream: the points of both are passed before, what was written is made known after.
fn fill<R: Copy>(
    stream: Stream,
    to: *mut c_void,
    length: usize,
    by_libc: impl FnOnce() -> R,
    written: impl FnOnce(R) -> usize,
) -> R {
    let here = Here::caller();
    here.at_once(here.shared([to.cast_const()], || length) + is_shared(here, stream), || {
        here.points(Kind::Write, to as u64, length as u64);
        uses(here, stream);
    });
    let result = by_libc();
    here.note(Kind::Write, to as u64, written(result) as u64);
    result
}

/// Reads a line; the result is null where there is none.
fn fill_line(stream: Stream, to: Target, length: c_int, by_libc: impl FnOnce() -> Target) -> Target {
    let length = usize::try_from(length).unwrap_or(0);
    let written = |line: Target| if line.is_null() { 0 } else { length_within(line, length) + 1 };
    fill(stream, to.cast(), length, by_libc, written)
}

/// Reads a line into a block that may grow.
fn fill_block(stream: Stream, line: *mut Target, room: *mut usize, by_libc: impl FnOnce() -> isize) -> isize {
    let here = Here::caller();
    here.writes(line, size_of::<Target>());
    here.writes(room, size_of::<usize>());
    // SAFETY: the program passes where block and size are; wrong pointers fault here and are the program's crash.
    let (block, length) = unsafe { (*line, *room) };
    here.at_once(here.shared([block.cast_const()], || length) + is_shared(here, stream), || {
        if !block.is_null() {
            here.points(Kind::Write, block as u64, length as u64);
        }
        uses(here, stream);
    });
    let result = by_libc();
    if let Ok(length) = usize::try_from(result) {
        // SAFETY: as above.
        here.note(Kind::Write, unsafe { *line } as u64, length as u64 + 1);
    }
    result
}

watch! {
    /// Writes a line.
    fn puts(text: Text) -> c_int {
        writes_text(text, output());
        // SAFETY: the arguments of the program.
        unsafe { libc()(text) }
    }

    /// Writes a string.
    fn fputs(text: Text, stream: Stream) -> c_int {
        writes_text(text, stream);
        // SAFETY: the arguments of the program.
        unsafe { libc()(text, stream) }
    }

    /// Writes a string without the lock.
    fn fputs_unlocked(text: Text, stream: Stream) -> c_int {
        writes_text(text, stream);
        // SAFETY: the arguments of the program.
        unsafe { libc()(text, stream) }
    }

    /// Writes bytes.
    fn fwrite(from: *const c_void, size: usize, count: usize, stream: Stream) -> usize {
        writes_bytes(from, size.saturating_mul(count), stream);
        // SAFETY: the arguments of the program.
        unsafe { libc()(from, size, count, stream) }
    }

    /// Writes bytes without the lock.
    fn fwrite_unlocked(from: *const c_void, size: usize, count: usize, stream: Stream) -> usize {
        writes_bytes(from, size.saturating_mul(count), stream);
        // SAFETY: the arguments of the program.
        unsafe { libc()(from, size, count, stream) }
    }

    /// Reads bytes.
    fn fread(to: *mut c_void, size: usize, count: usize, stream: Stream) -> usize {
        // SAFETY: the arguments of the program.
        let by_libc = || unsafe { libc()(to, size, count, stream) };
        fill(stream, to, size.saturating_mul(count), by_libc, |done| done * size)
    }

    /// Reads bytes without the lock.
    fn fread_unlocked(to: *mut c_void, size: usize, count: usize, stream: Stream) -> usize {
        // SAFETY: the arguments of the program.
        let by_libc = || unsafe { libc()(to, size, count, stream) };
        fill(stream, to, size.saturating_mul(count), by_libc, |done| done * size)
    }

    /// Reads bytes if there is room.
    fn __fread_chk(to: *mut c_void, room: usize, size: usize, count: usize, stream: Stream) -> usize {
        // SAFETY: the arguments of the program.
        let by_libc = || unsafe { libc()(to, room, size, count, stream) };
        fill(stream, to, size.saturating_mul(count), by_libc, |done| done * size)
    }

    /// Reads bytes if there is room, without the lock.
    fn __fread_unlocked_chk(to: *mut c_void, room: usize, size: usize, count: usize, stream: Stream) -> usize {
        // SAFETY: the arguments of the program.
        let by_libc = || unsafe { libc()(to, room, size, count, stream) };
        fill(stream, to, size.saturating_mul(count), by_libc, |done| done * size)
    }

    /// Reads a line.
    fn fgets(to: Target, length: c_int, stream: Stream) -> Target {
        // SAFETY: the arguments of the program.
        fill_line(stream, to, length, || unsafe { libc()(to, length, stream) })
    }

    /// Reads a line without the lock.
    fn fgets_unlocked(to: Target, length: c_int, stream: Stream) -> Target {
        // SAFETY: the arguments of the program.
        fill_line(stream, to, length, || unsafe { libc()(to, length, stream) })
    }

    /// Reads a line if there is room.
    fn __fgets_chk(to: Target, room: usize, length: c_int, stream: Stream) -> Target {
        // SAFETY: the arguments of the program.
        fill_line(stream, to, length, || unsafe { libc()(to, room, length, stream) })
    }

    /// Reads a line if there is room, without the lock.
    fn __fgets_unlocked_chk(to: Target, room: usize, length: c_int, stream: Stream) -> Target {
        // SAFETY: the arguments of the program.
        fill_line(stream, to, length, || unsafe { libc()(to, room, length, stream) })
    }

    /// Reads a line into a block that grows with it.
    fn getline(line: *mut Target, room: *mut usize, stream: Stream) -> isize {
        // SAFETY: the arguments of the program.
        fill_block(stream, line, room, || unsafe { libc()(line, room, stream) })
    }

    /// Reads up to a byte into a block that grows with it.
    fn getdelim(line: *mut Target, room: *mut usize, end: c_int, stream: Stream) -> isize {
        // SAFETY: the arguments of the program.
        fill_block(stream, line, room, || unsafe { libc()(line, room, end, stream) })
    }

    /// As `getdelim`.
    fn __getdelim(line: *mut Target, room: *mut usize, end: c_int, stream: Stream) -> isize {
        // SAFETY: the arguments of the program.
        fill_block(stream, line, room, || unsafe { libc()(line, room, end, stream) })
    }
}
