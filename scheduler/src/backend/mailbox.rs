//! The scheduler's side of the hand-over: spin for a while, then sleep on a futex with a time limit.
#![allow(unsafe_code)]

use rscale_protocol::arena::{Arena, Command, Isolation};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{Acquire, Relaxed, SeqCst};
use std::time::Duration;

/// How often to look before letting others run, where an execution takes microseconds. Not at all on a processor that is
/// shared with the program, and hardly where an execution takes a process: the core that looks is missed by the one that
/// forks (8 % of it).
const SPINS: u32 = 256;
const SPINS_FOR_PROCESSES: u32 = 40;
/// How often to let others run before sleeping: some tens of microseconds if there are none.
const YIELDS: u32 = 128;

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
    let (spins, yields) = match isolation == Isolation::Snapshot as u32 {
        true if is_shared => (0, YIELDS),
        true => (SPINS, YIELDS),
        false => (SPINS_FOR_PROCESSES, 0),
    };
    for look in 0..spins + yields {
        if arrived() {
            return true;
        }
        if look < spins { std::hint::spin_loop() } else { std::thread::yield_now() }
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
