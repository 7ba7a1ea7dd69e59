//! Reading clocks, in virtual time. What a clock shows depends on the reading thread alone (see [`crate::clock`]), so
//! reading one is no scheduling point.

use super::{fail, wrap};
use crate::access::Here;
use crate::clock as clocks;
use core::ffi::{c_int, c_long};

/// `TIME_UTC`.
const UTC: c_int = 1;
const MICROSECOND: u64 = 1_000;

/// Whether Linux has a clock of this number; negative numbers are clocks of a thread's or process's CPU time.
fn exists(clock: c_int) -> bool {
    const KIND: c_int = 7;
    const SCHEDULED: c_int = 2;
    const SCHEDULED_THREAD: c_int = 6;
    match clock {
        0.. => clock <= libc::CLOCK_BOOTTIME_ALARM || clock == libc::CLOCK_TAI,
        _ => matches!(clock & KIND, 0..=SCHEDULED | 4..=SCHEDULED_THREAD),
    }
}

/// A wrong pointer faults here as it would in libc.
fn store<T: Copy>(place: *mut T, value: T) {
    if !place.is_null() {
        Here::caller().stores(place, value);
    }
}

wrap! {
    /// Reads a clock.
    fn clock_gettime(clock: c_int, time: *mut libc::timespec) -> c_int {
        if !exists(clock) {
            return fail(libc::EINVAL);
        }
        store(time, clocks::timespec(clocks::read(clock)));
        0
    }

    /// Reads the calendar clock.
    fn gettimeofday(time: *mut libc::timeval, zone: *mut [c_int; 2]) -> c_int {
        let now = clocks::timespec(clocks::read(libc::CLOCK_REALTIME));
        store(time, libc::timeval { tv_sec: now.tv_sec, tv_usec: now.tv_nsec / MICROSECOND as c_long });
        store(zone, [0; 2]);
        0
    }

    /// Reads the calendar clock, in seconds.
    fn time(result: *mut c_long) -> c_long {
        let seconds = (clocks::read(libc::CLOCK_REALTIME) / clocks::SECOND) as c_long;
        store(result, seconds);
        seconds
    }

    /// Reads the calendar clock, as C11 has it.
    fn timespec_get(time: *mut libc::timespec, base: c_int) -> c_int {
        if base != UTC {
            return 0;
        }
        store(time, clocks::timespec(clocks::read(libc::CLOCK_REALTIME)));
        base
    }

    /// The time that the process has used, in microseconds.
    fn clock() -> c_long {
        (clocks::read(libc::CLOCK_PROCESS_CPUTIME_ID) / MICROSECOND) as c_long
    }
}
