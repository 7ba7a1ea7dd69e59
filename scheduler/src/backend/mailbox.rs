//! The scheduler's side of the hand-over: spin for a while, then sleep on a futex with a time limit.
#![allow(unsafe_code)]

use rscale_protocol::arena::{Arena, Command, Isolation};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{Acquire, Relaxed, SeqCst};
use std::time::Duration;

/// How often to look before sleeping, where an execution takes microseconds.
const SPINS: u32 = 4_000;
/// As [`SPINS`], where an execution takes a process: the core that looks is missed by the one that forks (8 % of it).
const SPINS_FOR_PROCESSES: u32 = 40;

/// How often to let the program run before sleeping, on a processor that is shared with it.
const YIELDS: u32 = 64;

/// Gives a command.
pub fn send(arena: &Arena, command: Command) {
    arena.request.command.store(command as u32, Relaxed);
    arena.mailbox.commands.fetch_add(1, SeqCst);
    if arena.mailbox.shim_sleeps.load(SeqCst) != 0 {
        futex_wake(&arena.mailbox.commands);
    }
}

/// Waits for a reply beyond the first `seen` ones; false if none came in time.
pub fn wait_for_reply(arena: &Arena, seen: u32, limit: Duration) -> bool {
    let mailbox = &arena.mailbox;
    let arrived = || mailbox.replies.0.load(Acquire) != seen;
    let isolation = arena.setup.isolation.load(Relaxed);
    let is_shared = arena.setup.shares_processor.load(Relaxed) != 0;
    let spins = match isolation == Isolation::Snapshot as u32 {
        true if is_shared => YIELDS,
        true => SPINS,
        false => SPINS_FOR_PROCESSES,
    };
    for _ in 0..spins {
        if arrived() {
            return true;
        }
        if is_shared { std::thread::yield_now() } else { std::hint::spin_loop() }
    }
    mailbox.scheduler_sleeps.store(1, SeqCst);
    if !arrived() {
        futex_wait(&mailbox.replies.0, seen, limit);
    }
    mailbox.scheduler_sleeps.store(0, SeqCst);
    arrived()
}

fn futex_wait(word: &AtomicU32, value: u32, limit: Duration) {
    let timeout = libc::timespec { tv_sec: limit.as_secs() as i64, tv_nsec: limit.subsec_nanos().into() };
    // SAFETY: the word and the timeout outlive the call; the kernel only reads them.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, value, &raw const timeout) };
}

fn futex_wake(word: &AtomicU32) {
    // SAFETY: the kernel only uses the address.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, i32::MAX) };
}
