//! The scheduler's side of the hand-over: spin for a while, then sleep on a futex with a time limit.
#![allow(unsafe_code)]

use rscale_protocol::arena::{Arena, Command, Isolation};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{Acquire, Relaxed, SeqCst};
use std::time::{Duration, Instant};

/// How often to look before letting others run, where an execution takes microseconds. Not at all on a processor that
/// is shared with the program, and hardly where an execution takes a process: the core that looks is missed by the one
/// that forks (8 % of it).
const SPINS: u32 = 256;
const SPINS_FOR_PROCESSES: u32 = 40;
/// How often to let others run before sleeping: some tens of microseconds if there are none.
const YIELDS: u32 = 128;
/// Others want the processors if that takes longer than this; and how many times as long they are believed to, at most.
const CROWDED: Duration = Duration::from_micros(500);
const LONGEST_BELIEF: u32 = 32;

/// Gives a command.
pub fn send(arena: &Arena, command: Command) {
    arena.request.command.store(command as u32, Relaxed);
    arena.mailbox.commands.fetch_add(1, SeqCst);
    if arena.mailbox.shim_sleeps.load(SeqCst) != 0 {
        futex_wake(&arena.mailbox.commands);
    }
}

/// How to wait for replies: by letting others run as long as there are hardly any. On a machine with more to do than
/// processors each of them takes a whole slice of time, milliseconds where an execution takes microseconds; who sleeps
/// there is woken, and runs, at once.
#[derive(Debug, Default)]
pub struct Waiting {
    /// Others want the processors, until it is time to see whether they still do.
    crowded_until: Option<Instant>,
    /// How many times as long as they took they were believed to want them: twice as long each time they still do, for
    /// somebody who comes by once is soon gone.
    belief: u32,
}

impl Waiting {
    /// Waits for a reply beyond the first `seen` ones; false if none came in time.
    pub fn wait_for_reply(&mut self, arena: &Arena, seen: u32, limit: Duration) -> bool {
        let mailbox = &arena.mailbox;
        let arrived = || mailbox.replies.0.load(Acquire) != seen;
        let is_restored = arena.setup.isolation.load(Relaxed) == Isolation::Snapshot as u32;
        let is_shared = arena.setup.shares_processor.load(Relaxed) != 0;
        let spins = match is_restored {
            true if is_shared => 0,
            true => SPINS,
            false => SPINS_FOR_PROCESSES,
        };
        if spin(spins, arrived) || (is_restored && self.yields(arena, arrived)) {
            return true;
        }
        mailbox.scheduler_sleeps.store(1, SeqCst);
        if !arrived() {
            futex_wait(&mailbox.replies.0, seen, limit);
        }
        mailbox.scheduler_sleeps.store(0, SeqCst);
        arrived()
    }

    /// Lets others run until something has arrived, if they are soon done. Returns whether it has.
    fn yields(&mut self, arena: &Arena, arrived: impl Fn() -> bool) -> bool {
        let start = Instant::now();
        if self.is_crowded(start) {
            return false;
        }
        let has_arrived = (0..YIELDS).any(|_| {
            std::thread::yield_now();
            arrived()
        });
        let end = Instant::now();
        self.has_yielded(start, end);
        arena.mailbox.is_crowded.store(self.is_crowded(end).into(), Relaxed);
        has_arrived
    }

    fn is_crowded(&self, now: Instant) -> bool {
        self.crowded_until.is_some_and(|end| now < end)
    }

    /// Others were let run meanwhile.
    fn has_yielded(&mut self, start: Instant, end: Instant) {
        let taken = end - start;
        let is_crowded = taken > CROWDED;
        self.belief =
            if is_crowded { (2 * self.belief).clamp(1, LONGEST_BELIEF) } else { self.belief.saturating_sub(1) };
        self.crowded_until = is_crowded.then(|| end + taken * self.belief);
    }
}

fn spin(looks: u32, arrived: impl Fn() -> bool) -> bool {
    (0..looks).any(|_| {
        let has_arrived = arrived();
        if !has_arrived {
            std::hint::spin_loop();
        }
        has_arrived
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_yields_to_those_who_take_long() {
        let (mut waiting, start) = (Waiting::default(), Instant::now());
        assert!(!waiting.is_crowded(start));
        waiting.has_yielded(start, start + CROWDED / 2);
        assert!(!waiting.is_crowded(start + CROWDED / 2), "as on a quiet machine");
        let mut now = start;
        for belief in [1, 2, 4, 8, 16, 32, 32] {
            let end = now + 4 * CROWDED;
            waiting.has_yielded(now, end);
            now = end + 4 * CROWDED * belief;
            assert!(waiting.is_crowded(end) && waiting.is_crowded(now - CROWDED), "{belief}");
            assert!(!waiting.is_crowded(now), "it is time to look again");
        }
        for _ in 0..LONGEST_BELIEF {
            waiting.has_yielded(now, now + CROWDED / 2);
            assert!(!waiting.is_crowded(now + CROWDED / 2), "they have gone");
        }
        waiting.has_yielded(now, now + 4 * CROWDED);
        assert!(!waiting.is_crowded(now + 8 * CROWDED), "somebody came by once");
    }
}
