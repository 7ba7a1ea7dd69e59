//! Functions that read numbers from strings.

use super::watch::watch;
use crate::access::Here;
use core::ffi::{c_char, c_double, c_float, c_int, c_long, c_longlong, c_ulong, c_ulonglong};

type Text = *const c_char;
type End = *mut *mut c_char;

/// Reads the bytes of a number and the one behind, and writes where it ended. `parse` tells where that is.
fn reads_number(text: Text, end: End, parse: impl Fn(End)) {
    let here = Here::caller();
    here.reads_found(text, || {
        let mut behind = text.cast_mut();
        parse(&raw mut behind);
        behind as usize - text as usize + 1
    });
    if !end.is_null() {
        here.writes(end, size_of::<Text>());
    }
}

macro_rules! integers {
    ($($name:ident $type:ty;)*) => { watch! { $(
        #[doc = concat!("`", stringify!($name), "`.")]
        fn $name(text: Text, end: End, base: c_int) -> $type {
            // SAFETY: the arguments of the program, with a place for the end.
            reads_number(text, end, |end| _ = unsafe { libc()(text, end, base) });
            // SAFETY: as above.
            unsafe { libc()(text, end, base) }
        }
    )* } };
}

integers! {
    strtol c_long;
    strtoul c_ulong;
    strtoll c_longlong;
    strtoull c_ulonglong;
    strtoimax i64;
    strtoumax u64;
    __isoc23_strtol c_long;
    __isoc23_strtoul c_ulong;
    __isoc23_strtoll c_longlong;
    __isoc23_strtoull c_ulonglong;
    __isoc23_strtoimax i64;
    __isoc23_strtoumax u64;
}

macro_rules! without_end {
    ($($name:ident $type:ty;)*) => { watch! { $(
        #[doc = concat!("`", stringify!($name), "`.")]
        fn $name(text: Text) -> $type {
            // SAFETY: the argument of the program, with a place for the end.
            reads_number(text, core::ptr::null_mut(), |end| _ = unsafe { strtol::libc()(text, end, 10) });
            // SAFETY: the argument of the program.
            unsafe { libc()(text) }
        }
    )* } };
}

without_end! {
    atoi c_int;
    atol c_long;
    atoll c_longlong;
}

watch! {
    /// `strtod`.
    fn strtod(text: Text, end: End) -> c_double {
        // SAFETY: the arguments of the program, with a place for the end.
        reads_number(text, end, |end| _ = unsafe { libc()(text, end) });
        // SAFETY: as above.
        unsafe { libc()(text, end) }
    }

    /// `strtof`.
    fn strtof(text: Text, end: End) -> c_float {
        // SAFETY: the arguments of the program, with a place for the end.
        reads_number(text, end, |end| _ = unsafe { libc()(text, end) });
        // SAFETY: as above.
        unsafe { libc()(text, end) }
    }

    /// `strtold`. Its result is left where libc has left it, in a register that the shim never uses; so `strtod`, which
    /// takes the same numbers, finds out where it ends.
    fn strtold(text: Text, end: End) {
        // SAFETY: the arguments of the program, with a place for the end.
        reads_number(text, end, |end| _ = unsafe { strtod::libc()(text, end) });
        // SAFETY: as above.
        unsafe { libc()(text, end) }
    }

    /// `atof`.
    fn atof(text: Text) -> c_double {
        // SAFETY: the argument of the program, with a place for the end.
        reads_number(text, core::ptr::null_mut(), |end| _ = unsafe { strtod::libc()(text, end) });
        // SAFETY: the argument of the program.
        unsafe { libc()(text) }
    }
}
