//! Functions that read strings.

use super::watch::watch;
use crate::access::Here;
use core::ffi::{c_char, c_int};

type Text = *const c_char;
type Found = *mut c_char;

/// A byte of a string.
fn byte(text: Text, index: usize) -> u8 {
    // SAFETY: callers stop at the end of the string; a wrong pointer faults here and is the program's crash.
    unsafe { *text.cast::<u8>().add(index) }
}

/// The length of a string, cut at a limit.
pub fn length_within(text: Text, limit: usize) -> usize {
    // SAFETY: the string of the program, which is read up to its end or the limit.
    unsafe { strnlen::libc()(text, limit) }
}

/// Reads a string as a whole, with its end.
pub fn reads_text(here: Here, text: Text) {
    reads_within(here, text, usize::MAX);
}

/// Reads a string up to a limit; the end too, if it lies before that.
pub fn reads_within(here: Here, text: Text, limit: usize) {
    here.reads_found(text, || length_within(text, limit).saturating_add(1).min(limit));
}

/// Reads two strings as far as a comparison goes: through the first difference.
fn reads_compared(first: Text, second: Text, limit: usize, fold: fn(u8) -> u8) {
    let here = Here::caller();
    let extent = || {
        let differs = |&index: &usize| fold(byte(first, index)) != fold(byte(second, index)) || byte(first, index) == 0;
        (0..limit).find(differs).map_or(limit, |index| index + 1)
    };
    here.at_once(here.shared([first, second], extent), || {
        here.reads_found(first, extent);
        here.reads_found(second, extent);
    });
}

fn exact(byte: u8) -> u8 {
    byte
}

/// Reads a string, and the set of bytes that it is compared with.
fn reads_spanned(text: Text, set: Text, span: impl Fn() -> usize) {
    let here = Here::caller();
    let whole = || length_within(set, usize::MAX) + 1;
    here.at_once(here.shared([set], whole) + here.shared([text], || span() + 1), || {
        reads_text(here, set);
        here.reads_found(text, || span() + 1);
    });
}

/// Reads a string up to a byte.
fn reads_up_to(text: Text, wanted: c_int) {
    // SAFETY: the arguments of the program.
    Here::caller().reads_found(text, || unsafe { strchrnul::libc()(text, wanted) } as usize - text as usize + 1);
}

fn reads_two(first: Text, second: Text) {
    let here = Here::caller();
    let shared = |text: Text| here.shared([text], || length_within(text, usize::MAX) + 1);
    here.at_once(shared(first) + shared(second), || {
        reads_text(here, second);
        reads_text(here, first);
    });
}

watch! {
    /// The length.
    fn strlen(text: Text) -> usize {
        reads_text(Here::caller(), text);
        // SAFETY: the arguments of the program.
        unsafe { libc()(text) }
    }

    /// The length within a limit.
    fn strnlen(text: Text, limit: usize) -> usize {
        reads_within(Here::caller(), text, limit);
        // SAFETY: the arguments of the program.
        unsafe { libc()(text, limit) }
    }

    /// Compares.
    fn strcmp(first: Text, second: Text) -> c_int {
        reads_compared(first, second, usize::MAX, exact);
        // SAFETY: the arguments of the program.
        unsafe { libc()(first, second) }
    }

    /// Compares within a limit.
    fn strncmp(first: Text, second: Text, limit: usize) -> c_int {
        reads_compared(first, second, limit, exact);
        // SAFETY: the arguments of the program.
        unsafe { libc()(first, second, limit) }
    }

    /// Compares, whatever the case.
    fn strcasecmp(first: Text, second: Text) -> c_int {
        reads_compared(first, second, usize::MAX, |byte| byte.to_ascii_lowercase());
        // SAFETY: the arguments of the program.
        unsafe { libc()(first, second) }
    }

    /// Compares within a limit, whatever the case.
    fn strncasecmp(first: Text, second: Text, limit: usize) -> c_int {
        reads_compared(first, second, limit, |byte| byte.to_ascii_lowercase());
        // SAFETY: the arguments of the program.
        unsafe { libc()(first, second, limit) }
    }

    /// Compares as the locale has it.
    fn strcoll(first: Text, second: Text) -> c_int {
        reads_two(first, second);
        // SAFETY: the arguments of the program.
        unsafe { libc()(first, second) }
    }

    /// Makes a string that compares as the locale has it.
    fn strxfrm(to: *mut c_char, from: Text, limit: usize) -> usize {
        let here = Here::caller();
        reads_text(here, from);
        // SAFETY: the argument of the program; nothing is written.
        let length = unsafe { libc()(core::ptr::null_mut(), from, 0) };
        here.writes(to, length.saturating_add(1).min(limit));
        // SAFETY: the arguments of the program.
        unsafe { libc()(to, from, limit) }
    }

    /// Finds a byte.
    fn strchr(text: Text, wanted: c_int) -> Found {
        reads_up_to(text, wanted);
        // SAFETY: the arguments of the program.
        unsafe { libc()(text, wanted) }
    }

    /// Finds a byte, by an old name.
    fn index(text: Text, wanted: c_int) -> Found {
        reads_up_to(text, wanted);
        // SAFETY: the arguments of the program.
        unsafe { libc()(text, wanted) }
    }

    /// Finds a byte or the end.
    fn strchrnul(text: Text, wanted: c_int) -> Found {
        reads_up_to(text, wanted);
        // SAFETY: the arguments of the program.
        unsafe { libc()(text, wanted) }
    }

    /// Finds the last such byte.
    fn strrchr(text: Text, wanted: c_int) -> Found {
        reads_text(Here::caller(), text);
        // SAFETY: the arguments of the program.
        unsafe { libc()(text, wanted) }
    }

    /// Finds the last such byte, by an old name.
    fn rindex(text: Text, wanted: c_int) -> Found {
        reads_text(Here::caller(), text);
        // SAFETY: the arguments of the program.
        unsafe { libc()(text, wanted) }
    }

    /// Finds a string.
    fn strstr(text: Text, wanted: Text) -> Found {
        reads_two(text, wanted);
        // SAFETY: the arguments of the program.
        unsafe { libc()(text, wanted) }
    }

    /// Finds a string, whatever the case.
    fn strcasestr(text: Text, wanted: Text) -> Found {
        reads_two(text, wanted);
        // SAFETY: the arguments of the program.
        unsafe { libc()(text, wanted) }
    }

    /// How long only these bytes follow.
    fn strspn(text: Text, set: Text) -> usize {
        // SAFETY: the arguments of the program.
        let span = || unsafe { libc()(text, set) };
        reads_spanned(text, set, span);
        span()
    }

    /// How long none of these bytes follows.
    fn strcspn(text: Text, set: Text) -> usize {
        // SAFETY: the arguments of the program.
        let span = || unsafe { libc()(text, set) };
        reads_spanned(text, set, span);
        span()
    }

    /// Finds one of these bytes.
    fn strpbrk(text: Text, set: Text) -> Found {
        // SAFETY: the arguments of the program.
        reads_spanned(text, set, || unsafe { strcspn::libc()(text, set) });
        // SAFETY: as above.
        unsafe { libc()(text, set) }
    }
}
