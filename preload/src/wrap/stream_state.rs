//! Functions that use a stream for a character, or for nothing but what libc keeps for it: position, buffer, lock.
//!
//! What they find depends on who used the stream before, so each call is a use of the stream, like those that move more.
//! The lock of a stream stays libc's own: who finds it taken waits in the kernel, which is a step of its own.

use super::streams::{input, output, uses};
use super::watch::watch;
use crate::access::Here;
use core::ffi::{c_char, c_int, c_long, c_void};

type Stream = *mut c_void;

/// The streams that libc has before the program opens one are never null; `fflush` takes null for all of them.
fn flushes(stream: Stream) {
    let here = Here::caller();
    uses(here, if stream.is_null() { output() } else { stream });
}

macro_rules! use_first {
    ($($(#[$doc:meta])* $name:ident($($before:ident: $type:ty,)* [$stream:ident] $(, $after:ident: $other:ty)*) $(-> $result:ty)?;)*) => {
        watch! { $(
            $(#[$doc])*
            fn $name($($before: $type,)* $stream: Stream $(, $after: $other)*) $(-> $result)? {
                uses(Here::caller(), $stream);
                // SAFETY: the arguments of the program.
                unsafe { libc()($($before,)* $stream $(, $after)*) }
            }
        )* }
    };
}

use_first! {
    /// Writes a character.
    putc(character: c_int, [stream]) -> c_int;
    /// Writes a character.
    fputc(character: c_int, [stream]) -> c_int;
    /// Writes a character without the lock.
    putc_unlocked(character: c_int, [stream]) -> c_int;
    /// Writes a character without the lock.
    fputc_unlocked(character: c_int, [stream]) -> c_int;
    /// Writes a character where the buffer has no room for it: what `putc_unlocked` calls.
    __overflow([stream], character: c_int) -> c_int;
    /// Writes a number.
    putw(number: c_int, [stream]) -> c_int;
    /// Reads a character.
    getc([stream]) -> c_int;
    /// Reads a character.
    fgetc([stream]) -> c_int;
    /// Reads a character without the lock.
    getc_unlocked([stream]) -> c_int;
    /// Reads a character without the lock.
    fgetc_unlocked([stream]) -> c_int;
    /// Reads a character where the buffer has none left: what `getc_unlocked` calls.
    __uflow([stream]) -> c_int;
    /// Reads a number.
    getw([stream]) -> c_int;
    /// Gives a character back.
    ungetc(character: c_int, [stream]) -> c_int;
    /// The position.
    ftell([stream]) -> c_long;
    /// The position.
    ftello([stream]) -> c_long;
    /// The position.
    ftello64([stream]) -> c_long;
    /// Changes the position.
    fseek([stream], offset: c_long, whence: c_int) -> c_int;
    /// Changes the position.
    fseeko([stream], offset: c_long, whence: c_int) -> c_int;
    /// Changes the position.
    fseeko64([stream], offset: c_long, whence: c_int) -> c_int;
    /// Goes to the beginning.
    rewind([stream]);
    /// Whether its end was met.
    feof([stream]) -> c_int;
    /// Whether something went wrong.
    ferror([stream]) -> c_int;
    /// Forgets about either.
    clearerr([stream]);
    /// Sets the buffer.
    setvbuf([stream], buffer: *mut c_char, mode: c_int, size: usize) -> c_int;
    /// Sets the buffer.
    setbuf([stream], buffer: *mut c_char);
    /// Closes it.
    fclose([stream]) -> c_int;
    /// Locks it.
    flockfile([stream]);
    /// Locks it if nobody else has.
    ftrylockfile([stream]) -> c_int;
    /// Unlocks it.
    funlockfile([stream]);
}

watch! {
    /// Writes a character to the standard output.
    fn putchar(character: c_int) -> c_int {
        uses(Here::caller(), output());
        // SAFETY: the arguments of the program.
        unsafe { libc()(character) }
    }

    /// Writes a character to the standard output without the lock.
    fn putchar_unlocked(character: c_int) -> c_int {
        uses(Here::caller(), output());
        // SAFETY: the arguments of the program.
        unsafe { libc()(character) }
    }

    /// Reads a character from the standard input.
    fn getchar() -> c_int {
        uses(Here::caller(), input());
        // SAFETY: takes nothing.
        unsafe { libc()() }
    }

    /// Reads a character from the standard input without the lock.
    fn getchar_unlocked() -> c_int {
        uses(Here::caller(), input());
        // SAFETY: takes nothing.
        unsafe { libc()() }
    }

    /// Writes what is left in a stream's buffer, or in all of them.
    fn fflush(stream: Stream) -> c_int {
        flushes(stream);
        // SAFETY: the arguments of the program.
        unsafe { libc()(stream) }
    }

    /// The same without the lock.
    fn fflush_unlocked(stream: Stream) -> c_int {
        flushes(stream);
        // SAFETY: the arguments of the program.
        unsafe { libc()(stream) }
    }
}
