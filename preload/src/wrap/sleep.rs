//! Sleeping and yielding: scheduling points that let virtual time pass. Nothing interrupts a sleep, so no time remains.

use super::{alias, fail, wrap_in_loops};
use crate::access::local;
use crate::{clock, gate};
use core::ffi::{c_int, c_uint};
use rscale_protocol::{Action, Op, Variable};

const MICROSECOND: u64 = 1_000;
/// What `thrd_sleep` returns for an error.
const ERROR: c_int = -2;

fn until(deadline: u64) {
    let sleep = gate::action(Op::Sleep, Variable(0));
    local::pass_in_loop(Action {
        deadline: deadline.min(Action::NEVER - 1),
        flags: Action::CANCELLATION_POINT,
        ..sleep
    });
}

fn for_nanoseconds(duration: u64) {
    until(clock::now().saturating_add(duration));
}

/// Sleeps for a time; false if it is not a valid one.
fn for_time(duration: *const libc::timespec) -> bool {
    // SAFETY: the program passes a time; a wrong pointer faults here.
    let duration = clock::system_time(unsafe { &*duration });
    duration.map(for_nanoseconds).is_some()
}

/// Lets others run.
fn give_way() {
    local::pass_in_loop(gate::action(Op::Yield, Variable(0)));
}

/// The error of sleeping by this clock.
fn clock_error(clock: c_int) -> c_int {
    match clock {
        libc::CLOCK_REALTIME | libc::CLOCK_MONOTONIC | libc::CLOCK_BOOTTIME | libc::CLOCK_TAI => 0,
        libc::CLOCK_PROCESS_CPUTIME_ID | libc::CLOCK_REALTIME_ALARM | libc::CLOCK_BOOTTIME_ALARM => 0,
        libc::CLOCK_MONOTONIC_RAW | libc::CLOCK_REALTIME_COARSE | libc::CLOCK_MONOTONIC_COARSE => libc::ENOTSUP,
        _ => libc::EINVAL,
    }
}

wrap_in_loops! {
    /// Sleeps for seconds.
    fn sleep(seconds: c_uint) -> c_uint {
        for_nanoseconds(u64::from(seconds) * clock::SECOND);
        0
    }

    /// Sleeps for microseconds.
    fn usleep(microseconds: c_uint) -> c_int {
        for_nanoseconds(u64::from(microseconds) * MICROSECOND);
        0
    }

    /// Sleeps for a time.
    fn nanosleep(duration: *const libc::timespec, _remaining: *mut libc::timespec) -> c_int {
        if for_time(duration) { 0 } else { fail(libc::EINVAL) }
    }

    /// Sleeps for a time or until one, by the given clock.
    fn clock_nanosleep(
        clock: c_int, flags: c_int, time: *const libc::timespec, _remaining: *mut libc::timespec,
    ) -> c_int {
        let error = clock_error(clock);
        if error != 0 {
            return error;
        }
        if flags & libc::TIMER_ABSTIME == 0 {
            return if for_time(time) { 0 } else { libc::EINVAL };
        }
        // SAFETY: the program passes a time; a wrong pointer faults here.
        match clock::system_time(unsafe { &*time }) {
            Some(time) => {
                until(time.saturating_sub(clock::start_of(clock)));
                0
            }
            None => libc::EINVAL,
        }
    }

    /// Sleeps, as C11 has it.
    fn thrd_sleep(duration: *const libc::timespec, _remaining: *mut libc::timespec) -> c_int {
        if for_time(duration) { 0 } else { ERROR }
    }

    /// Lets others run.
    fn sched_yield() -> c_int {
        give_way();
        0
    }
}

alias! {
    __nanosleep = nanosleep;
    __sched_yield = sched_yield;
    pthread_yield = sched_yield;
    thrd_yield = sched_yield;
}
