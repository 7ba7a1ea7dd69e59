//! Time, where it comes as a system call: virtual, as everywhere.

use super::process::store;
use super::{Call, failure, report};
use crate::{clock, gate};
use rscale_protocol::{Action, Op, Variable};

const NANOSECONDS_OF_MICROSECOND: u64 = 1_000;

/// A time that the program passes; None for a null pointer.
pub fn read_timespec(address: u64) -> Option<libc::timespec> {
    // SAFETY: the program passes a time; a wrong pointer faults here and is the program's crash.
    (address != 0).then(|| unsafe { *(address as *const libc::timespec) })
}

/// `clock_gettime`.
pub fn clock_gettime(call: &Call) -> i64 {
    store(call.arguments[1], clock::timespec(clock::read(call.arguments[0] as i32)));
    0
}

/// `clock_getres`.
pub fn clock_getres(call: &Call) -> i64 {
    store(call.arguments[1], clock::timespec(1));
    0
}

/// `gettimeofday`.
pub fn gettimeofday(call: &Call) -> i64 {
    let now = clock::read(libc::CLOCK_REALTIME);
    let time = libc::timeval {
        tv_sec: (now / clock::SECOND) as i64,
        tv_usec: (now % clock::SECOND / NANOSECONDS_OF_MICROSECOND) as i64,
    };
    store(call.arguments[0], time);
    store(call.arguments[1], 0u64); // a time zone without difference
    0
}

/// `time`.
pub fn time(call: &Call) -> i64 {
    let seconds = (clock::read(libc::CLOCK_REALTIME) / clock::SECOND) as i64;
    store(call.arguments[0], seconds);
    seconds
}

/// Sleeps until this time of the execution.
pub fn sleep_until(call: &Call, deadline: u64) -> i64 {
    let action = call.action(Op::Sleep, Variable(0));
    gate::pass(Action { flags: Action::CANCELLATION_POINT, deadline, ..action });
    0
}

fn sleep_for(call: &Call, time: u64) -> i64 {
    let Some(time) = read_timespec(time) else { return failure(libc::EFAULT) };
    match clock::system_time(&time) {
        Some(duration) => sleep_until(call, clock::now().saturating_add(duration).min(Action::NEVER - 1)),
        None => failure(libc::EINVAL),
    }
}

/// `nanosleep`.
pub fn nanosleep(call: &Call) -> i64 {
    sleep_for(call, call.arguments[0])
}

/// `clock_nanosleep`.
pub fn clock_nanosleep(call: &Call) -> i64 {
    let [clock, flags, time, ..] = call.arguments;
    if flags & libc::TIMER_ABSTIME as u64 == 0 {
        return sleep_for(call, time);
    }
    let Some(time) = read_timespec(time) else { return failure(libc::EFAULT) };
    if clock::system_time(&time).is_none() {
        return failure(libc::EINVAL);
    }
    clock::deadline(clock as i32, &time).map_or(failure(libc::EINVAL), |deadline| sleep_until(call, deadline))
}

/// `alarm`: without an argument it only ends the alarm that there never is.
pub fn alarm(call: &Call) -> i64 {
    if call.arguments[0] != 0 {
        report::unsupported(call, "asks for a signal at a time");
    }
    0
}

/// `setitimer` and `timerfd_settime`; `new` is the time to set: only disarming is possible.
fn set_timer(call: &Call, new: u64, old: u64) -> i64 {
    // SAFETY: the program passes two times of two words each; a wrong pointer faults here and is the program's crash.
    if new != 0 && unsafe { *(new as *const [u64; 4]) }[2..] != [0, 0] {
        report::unsupported(call, "sets a timer, which real time would drive");
    }
    store(old, [0u64; 4]);
    0
}

/// `setitimer`.
pub fn setitimer(call: &Call) -> i64 {
    set_timer(call, call.arguments[1], call.arguments[2])
}

/// `getitimer`.
pub fn getitimer(call: &Call) -> i64 {
    store(call.arguments[1], [0u64; 4]);
    0
}

/// `timerfd_settime`.
pub fn timerfd_settime(call: &Call) -> i64 {
    set_timer(call, call.arguments[2], call.arguments[3])
}
