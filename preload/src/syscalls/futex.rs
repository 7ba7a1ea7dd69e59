//! Futexes: `SYS_futex`, from the wrapper of `syscall` and from the trap.

use crate::access::{Here, Kind};
use crate::{clock, finish, gate};
use rscale_protocol::{Action, Op, Variable};

/// Flags beside the operation. Whether the futex is private to the process makes no difference.
const COMMAND_MASK: i32 = 0x7f;
const ALL_BITS: u32 = u32::MAX;
/// Addresses below this are never mapped.
const FIRST_ADDRESS: u64 = 4096;

/// `SYS_futex`: the result, or a negative error number.
pub fn serve(arguments: [u64; 6]) -> i64 {
    let [word, operation, value, timeout, second, value3] = arguments;
    let operation = operation as i32;
    let command = operation & COMMAND_MASK;
    let realtime = operation & libc::FUTEX_CLOCK_REALTIME != 0;
    if realtime && command != libc::FUTEX_WAIT_BITSET {
        return -i64::from(libc::ENOSYS);
    }
    if !word.is_multiple_of(4) {
        return -i64::from(libc::EINVAL);
    }
    if word < FIRST_ADDRESS {
        return -i64::from(libc::EFAULT);
    }
    let (value, value3) = (value as u32, value3 as u32);
    match command {
        libc::FUTEX_WAIT => wait(word, value, ALL_BITS, deadline(timeout, None)),
        libc::FUTEX_WAIT_BITSET => {
            let clock = if realtime { libc::CLOCK_REALTIME } else { libc::CLOCK_MONOTONIC };
            wait(word, value, value3, deadline(timeout, Some(clock)))
        }
        libc::FUTEX_WAKE => wake(word, value, ALL_BITS),
        libc::FUTEX_WAKE_BITSET => wake(word, value, value3),
        libc::FUTEX_REQUEUE => requeue(word, [value, timeout as u32], second, None),
        libc::FUTEX_CMP_REQUEUE => requeue(word, [value, timeout as u32], second, Some(value3)),
        other => unsupported(other),
    }
}

/// When to give up: relative to now, or absolute by a clock. None if the time is not valid.
fn deadline(timeout: u64, clock: Option<i32>) -> Option<u64> {
    if timeout == 0 {
        return Some(Action::NEVER);
    }
    // SAFETY: the program passes a time; a wrong pointer faults here.
    let time = clock::system_time(unsafe { &*(timeout as *const libc::timespec) })?;
    let deadline = match clock {
        Some(clock) => time.saturating_sub(clock::start_of(clock)),
        None => clock::now().saturating_add(time),
    };
    Some(deadline.min(Action::NEVER - 1))
}

/// The kernel is about to compare the word: what others write to it matters.
fn compares(word: u64) {
    Here::caller().note(Kind::Read, word, size_of::<u32>() as u64);
}

/// What the word holds now.
fn load(word: u64) -> u32 {
    // SAFETY: the program passes the address of a word; a wrong one faults here.
    unsafe { (word as *const u32).read_volatile() }
}

fn wait(word: u64, expected: u32, bits: u32, deadline: Option<u64>) -> i64 {
    let Some(deadline) = deadline else { return -i64::from(libc::EINVAL) };
    let action = Action { count: bits, deadline, ..gate::action(Op::FutexWait, Variable(word)) };
    compares(word);
    let result = gate::pass_with(action, |action| {
        if action.op == Op::FutexWait {
            mark_if_stale(action, expected);
        }
    });
    -i64::from(result)
}

/// The word must hold the expected value at the moment when the step is taken.
fn mark_if_stale(action: &mut Action, expected: u32) {
    if load(action.object.0) != expected {
        action.flags |= Action::STALE;
    }
}

fn wake(word: u64, count: u32, bits: u32) -> i64 {
    let wake = gate::action(Op::FutexWake, Variable(word));
    gate::pass(Action { count, second: Variable(bits.into()), ..wake }).into()
}

fn requeue(word: u64, [wakes, moves]: [u32; 2], second: u64, expected: Option<u32>) -> i64 {
    if !second.is_multiple_of(4) {
        return -i64::from(libc::EINVAL);
    }
    let action = gate::action(Op::FutexRequeue, Variable(word));
    // The model takes how many to move from the deadline.
    let action = Action { count: wakes, second: Variable(second), deadline: moves.into(), ..action };
    if expected.is_some() {
        compares(word);
    }
    let result = gate::pass_with(action, |action| {
        if let Some(expected) = expected {
            mark_if_stale(action, expected);
        }
    });
    result.into()
}

fn unsupported(command: i32) -> i64 {
    let name: &[u8] = match command {
        libc::FUTEX_FD => b"uses FUTEX_FD",
        libc::FUTEX_WAKE_OP => b"uses FUTEX_WAKE_OP",
        libc::FUTEX_LOCK_PI => b"uses FUTEX_LOCK_PI",
        libc::FUTEX_UNLOCK_PI => b"uses FUTEX_UNLOCK_PI",
        libc::FUTEX_TRYLOCK_PI => b"uses FUTEX_TRYLOCK_PI",
        libc::FUTEX_WAIT_REQUEUE_PI => b"uses FUTEX_WAIT_REQUEUE_PI",
        libc::FUTEX_CMP_REQUEUE_PI => b"uses FUTEX_CMP_REQUEUE_PI",
        libc::FUTEX_LOCK_PI2 => b"uses FUTEX_LOCK_PI2",
        _ => return -i64::from(libc::ENOSYS),
    };
    finish::unsupported(name)
}
