//! Functions that cut strings into pieces.

use super::strings::reads_text;
use super::strings::{strcspn, strspn};
use super::watch::watch;
use crate::access::Here;
use crate::access::clocks::Own;
use core::cell::Cell;
use core::ffi::c_char;

type Text = *const c_char;
type Target = *mut c_char;

/// Stands for the place where `strtok` keeps its position, which all threads share.
static POSITION: Own<u64> = Own(Cell::new(0));

/// What is read up to the end of the next token, and where that end is written; `skip` for functions that pass over
/// empty tokens first.
fn cut(here: Here, text: Target, set: Text, skip: bool) {
    reads_text(here, set);
    // SAFETY: the strings of the program.
    let start = || if skip { unsafe { strspn::libc()(text, set) } } else { 0 };
    // SAFETY: as above.
    let end = || start() + unsafe { strcspn::libc()(text.wrapping_add(start()), set) };
    here.reads_found(text.cast_const(), || end() + 1);
    let end = text.wrapping_add(end());
    // SAFETY: the end of a token in the string, or of the string.
    if unsafe { *end } != 0 {
        here.writes(end, 1);
    }
}

/// `strtok_r`, before libc does it.
fn next_token(here: Here, text: Target, set: Text, position: *mut Target) {
    if text.is_null() {
        here.reads(position, size_of::<Target>());
    }
    // SAFETY: the program passes where it keeps the position; a wrong pointer faults here and is the program's crash.
    let start = if text.is_null() { unsafe { *position } } else { text };
    if !start.is_null() {
        cut(here, start, set, true);
    }
    here.writes(position, size_of::<Target>());
}

watch! {
    /// The next token, with the position in the program's hand.
    fn strtok_r(text: Target, set: Text, position: *mut Target) -> Target {
        next_token(Here::caller(), text, set, position);
        // SAFETY: the arguments of the program.
        unsafe { libc()(text, set, position) }
    }

    /// As `strtok_r`.
    fn __strtok_r(text: Target, set: Text, position: *mut Target) -> Target {
        next_token(Here::caller(), text, set, position);
        // SAFETY: the arguments of the program.
        unsafe { libc()(text, set, position) }
    }

    /// The next token, with the position in libc's hand.
    fn strtok(text: Target, set: Text) -> Target {
        let here = Here::caller();
        if !text.is_null() {
            cut(here, text, set, true);
        }
        here.writes(&raw const POSITION, size_of::<Target>());
        // SAFETY: the arguments of the program.
        unsafe { libc()(text, set) }
    }

    /// The next token, which may be empty.
    fn strsep(position: *mut Target, set: Text) -> Target {
        let here = Here::caller();
        here.reads(position, size_of::<Target>());
        // SAFETY: the program passes where it keeps the position; a wrong pointer faults here and is the program's crash.
        let text = unsafe { *position };
        if !text.is_null() {
            cut(here, text, set, false);
            here.writes(position, size_of::<Target>());
        }
        // SAFETY: the arguments of the program.
        unsafe { libc()(position, set) }
    }
}
