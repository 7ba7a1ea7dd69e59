//! `scanf` and its family.

use super::format::{self, Pointed, What};
use super::streams;
use super::strings::{length_within, reads_text};
use super::variadic::{List, variadic};
use super::watch::watch;
use super::wide;
use crate::access::{Here, Kind};
use core::ffi::{c_char, c_int, c_void};

type Text = *const c_char;
type Stream = *mut c_void;

/// What is scanned.
#[derive(Clone, Copy)]
enum Input {
    Text(Text),
    Stream(Stream),
}

/// Most bytes that a conversion writes, where the input has this many; 1 for strings of unknown length.
fn most(what: What, input: Option<usize>) -> usize {
    let bound = |width: usize| width.min(input.unwrap_or(0)).saturating_add(1);
    match what {
        What::Text(width) => bound(width),
        What::WideText(width) => bound(width).saturating_mul(4),
        What::Characters(size) | What::Number(size) => size,
    }
}

/// The bytes that a conversion has written.
fn written(pointed: &Pointed) -> usize {
    match pointed.what {
        What::Text(width) => length_within(pointed.address as Text, width).saturating_add(1),
        What::WideText(width) => (wide::length_within(pointed.address as *const i32, width) + 1) * 4,
        What::Characters(size) | What::Number(size) => size,
    }
}

/// Scans with a function of libc: passes the points of all that may be written before, and makes known what was
/// written.
fn scan(input: Input, format: Text, list: *mut List, by_libc: impl FnOnce() -> c_int) -> c_int {
    let here = Here::caller();
    reads_text(here, format);
    let (mut length, mut shared) = (None, 0);
    match input {
        Input::Text(text) => {
            reads_text(here, text);
            length = Some(length_within(text, usize::MAX));
        }
        Input::Stream(stream) => shared = streams::is_shared(here, stream),
    }
    // SAFETY: the stub, or the program, passes a list.
    let arguments = unsafe { *list };
    let range = |pointed: &Pointed| (pointed.address, most(pointed.what, length) as u64);
    format::scanned(format, arguments, |pointed| {
        let (start, length) = range(&pointed);
        shared += usize::from(here.is_shared(start, length));
    });
    here.at_once(shared, || {
        format::scanned(format, arguments, |pointed| {
            let (start, length) = range(&pointed);
            here.points(Kind::Write, start, length);
        });
        if let Input::Stream(stream) = input {
            streams::uses(here, stream);
        }
    });
    let assigned = by_libc();
    let mut left = assigned;
    format::scanned(format, arguments, |pointed| {
        if left > 0 {
            here.note(Kind::Write, pointed.address, written(&pointed) as u64);
        }
        left -= c_int::from(pointed.is_counted);
    });
    assigned
}

macro_rules! family {
    ($($string:ident $with_list:ident, $stream:ident $stream_with_list:ident, $input:ident $input_with_list:ident;)*) => {
        watch! { $(
            #[doc = concat!("`", stringify!($with_list), "`.")]
            fn $with_list(text: Text, format: Text, list: *mut List) -> c_int {
                // SAFETY: the arguments of the program.
                scan(Input::Text(text), format, list, || unsafe { libc()(text, format, list) })
            }

            #[doc = concat!("`", stringify!($stream_with_list), "`.")]
            fn $stream_with_list(stream: Stream, format: Text, list: *mut List) -> c_int {
                // SAFETY: the arguments of the program.
                scan(Input::Stream(stream), format, list, || unsafe { libc()(stream, format, list) })
            }

            #[doc = concat!("`", stringify!($input_with_list), "`.")]
            fn $input_with_list(format: Text, list: *mut List) -> c_int {
                // SAFETY: the arguments of the program.
                scan(Input::Stream(streams::input()), format, list, || unsafe { libc()(format, list) })
            }
        )* }
        variadic! { $(
            #[doc = concat!("`", stringify!($string), "`.")]
            fn $string(text: Text, format: Text; list, 2 in "rdx") {
                // SAFETY: the arguments of the program.
                unsafe { $with_list::body(text, format, list) }
            }

            #[doc = concat!("`", stringify!($stream), "`.")]
            fn $stream(stream: Stream, format: Text; list, 2 in "rdx") {
                // SAFETY: the arguments of the program.
                unsafe { $stream_with_list::body(stream, format, list) }
            }

            #[doc = concat!("`", stringify!($input), "`.")]
            fn $input(format: Text; list, 1 in "rsi") {
                // SAFETY: the arguments of the program.
                unsafe { $input_with_list::body(format, list) }
            }
        )* }
    };
}

// C99 and C23 have names of their own for the same functions.
family! {
    sscanf vsscanf, fscanf vfscanf, scanf vscanf;
    __isoc99_sscanf __isoc99_vsscanf, __isoc99_fscanf __isoc99_vfscanf, __isoc99_scanf __isoc99_vscanf;
    __isoc23_sscanf __isoc23_vsscanf, __isoc23_fscanf __isoc23_vfscanf, __isoc23_scanf __isoc23_vscanf;
}
