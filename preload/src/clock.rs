//! Virtual time as the program reads it.
//!
//! Clocks show a fixed start plus what the thread has slept (see the model's `time`), plus a microsecond per reading of
//! the same thread, so that a loop which waits for time to pass ends.

use crate::world;

/// 2026-01-01 00:00:00 UTC: when every execution begins, by the calendar.
const EPOCH: u64 = 1_767_225_600 * SECOND;
/// How long the machine seems to have been up.
const UPTIME: u64 = 1_000 * SECOND;
/// Nanoseconds of a second.
pub const SECOND: u64 = 1_000_000_000;
const PER_READING: u64 = 1_000;

/// Nanoseconds since the start of the execution, for the running thread.
pub fn now() -> u64 {
    let world = world::get();
    let thread = world.current.get();
    world.look(|model| model.threads.get(thread).now)
}

/// What the clock shows; a reading takes a little time.
pub fn read(clock: i32) -> u64 {
    crate::access::spin::note_progress();
    if crate::evaluation::is_under_way() {
        crate::evaluation::reads::leave_open();
    }
    let world = world::get();
    let thread = world.current.get();
    let later = now() + PER_READING;
    world.model(|model| model.threads.set_now(thread, later));
    start_of(clock) + later
}

/// What the clock showed at the start of the execution.
pub fn start_of(clock: i32) -> u64 {
    match clock {
        libc::CLOCK_REALTIME | libc::CLOCK_REALTIME_COARSE | libc::CLOCK_TAI => EPOCH,
        libc::CLOCK_PROCESS_CPUTIME_ID | libc::CLOCK_THREAD_CPUTIME_ID | i32::MIN..0 => 0,
        _ => UPTIME,
    }
}

/// Nanoseconds of a time, or None if it is not a valid one.
pub fn nanoseconds(time: &libc::timespec) -> Option<u64> {
    if !(0..SECOND as i64).contains(&time.tv_nsec) {
        return None;
    }
    if time.tv_sec < 0 {
        return Some(0);
    }
    Some((time.tv_sec as u64).saturating_mul(SECOND).saturating_add(time.tv_nsec as u64))
}

/// As [`nanoseconds`], for system calls: they take no times before the start of a clock.
pub fn system_time(time: &libc::timespec) -> Option<u64> {
    if time.tv_sec < 0 { None } else { nanoseconds(time) }
}

/// When, on the execution's own time line, a clock reaches the given time. None if the time is not valid.
pub fn deadline(clock: i32, time: &libc::timespec) -> Option<u64> {
    Some(nanoseconds(time)?.saturating_sub(start_of(clock)).min(u64::MAX - 1))
}

/// The time as a `timespec`.
pub fn timespec(nanoseconds: u64) -> libc::timespec {
    libc::timespec { tv_sec: (nanoseconds / SECOND) as i64, tv_nsec: (nanoseconds % SECOND) as i64 }
}
