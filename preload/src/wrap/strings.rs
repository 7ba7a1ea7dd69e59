//! Functions that read strings.

use super::watch::watch;
use crate::access::{Here, Taken};
use core::ffi::{c_char, c_int};
use core::ops::Range;

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

/// The length of a string that others may change while it is counted. None if that makes no difference, or it is long:
/// then it is read at once.
fn length_in_parts(here: Here, text: Text, limit: usize) -> Option<usize> {
    let extent = length_within(text, limit).saturating_add(1).min(limit);
    let found = here.is_shared(text as u64, extent as u64).then(|| here.finds(text as u64, 0, limit as u64));
    found.flatten().map(|found| found.map_or(limit, |length| length as usize))
}

/// Compares two strings with a function of libc as they were read: through the first difference.
fn compare(
    [first, second]: [Text; 2],
    limit: usize,
    fold: fn(u8) -> u8,
    by_libc: impl Fn(Text, Text) -> c_int,
) -> c_int {
    let here = Here::caller();
    let end_of = |[first, second]: [Text; 2], mut range: Range<usize>| {
        let differs = |&index: &usize| fold(byte(first, index)) != fold(byte(second, index)) || byte(first, index) == 0;
        range.find(differs).map(|index| index + 1)
    };
    let whole = || end_of([first, second], 0..limit).unwrap_or(limit);
    let shared = here.shared([first, second], whole);
    if shared > 0 {
        let mut taken = [Taken::new(), Taken::new()];
        let mut known = 0;
        loop {
            let end = end_of([first, second], known..limit).unwrap_or(limit);
            if end > Taken::ROOM {
                break;
            }
            for (text, taken) in [first, second].into_iter().zip(&mut taken) {
                here.copy(taken.start() + known as u64, text as u64 + known as u64, (end - known) as u64);
            }
            let [first, second] = taken.each_mut().map(|taken| taken.start() as Text);
            if end == limit || end_of([first, second], known..end).is_some() {
                return by_libc(first, second);
            }
            known = end; // they were the same as far as they were read, whatever they are now
        }
    }
    here.at_once(shared, || {
        here.reads_found(first, whole);
        here.reads_found(second, whole);
    });
    by_libc(first, second)
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
        let here = Here::caller();
        if let Some(length) = length_in_parts(here, text, usize::MAX) {
            return length;
        }
        reads_text(here, text);
        // SAFETY: the arguments of the program.
        unsafe { libc()(text) }
    }

    /// The length within a limit.
    fn strnlen(text: Text, limit: usize) -> usize {
        let here = Here::caller();
        if let Some(length) = length_in_parts(here, text, limit) {
            return length;
        }
        reads_within(here, text, limit);
        // SAFETY: the arguments of the program.
        unsafe { libc()(text, limit) }
    }

    /// Compares.
    fn strcmp(first: Text, second: Text) -> c_int {
        // SAFETY: the arguments of the program, or as much of them as makes the difference.
        compare([first, second], usize::MAX, exact, |first, second| unsafe { libc()(first, second) })
    }

    /// Compares within a limit.
    fn strncmp(first: Text, second: Text, limit: usize) -> c_int {
        // SAFETY: the arguments of the program, or as much of them as makes the difference.
        compare([first, second], limit, exact, |first, second| unsafe { libc()(first, second, limit) })
    }

    /// Compares, whatever the case.
    fn strcasecmp(first: Text, second: Text) -> c_int {
        // SAFETY: the arguments of the program, or as much of them as makes the difference.
        compare([first, second], usize::MAX, |byte| byte.to_ascii_lowercase(), |first, second| unsafe { libc()(first, second) })
    }

    /// Compares within a limit, whatever the case.
    fn strncasecmp(first: Text, second: Text, limit: usize) -> c_int {
        // SAFETY: the arguments of the program, or as much of them as makes the difference.
        compare([first, second], limit, |byte| byte.to_ascii_lowercase(), |first, second| unsafe { libc()(first, second, limit) })
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
