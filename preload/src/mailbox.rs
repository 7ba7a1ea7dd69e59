//! Hand-over with the scheduler process: spin for a while, then sleep on a futex.

use crate::{arena, sys};
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use rscale_protocol::arena::{Command, Reply};

/// How often to look before letting others run: some microseconds. Not at all on a processor that is shared with the
/// scheduler.
const SPINS: u32 = 256;
/// How often to let others run before sleeping: some tens of microseconds if there are none.
const YIELDS: u32 = 128;

/// Says that there is something to read.
pub fn reply(reply: Reply) {
    let mailbox = &arena::get().mailbox;
    mailbox.reply.store(reply as u32, Relaxed);
    mailbox.replies.0.fetch_add(1, SeqCst);
    if mailbox.scheduler_sleeps.load(SeqCst) != 0 {
        sys::futex_wake(&mailbox.replies.0);
    }
}

/// Waits for the command after the first `seen` ones, and counts it.
pub fn next_command(seen: &mut u32) -> Command {
    let mailbox = &arena::get().mailbox;
    let arrived = |seen: u32| mailbox.commands.load(Acquire) != seen;
    let is_shared = arena::get().setup.shares_processor.load(Relaxed) != 0;
    let spins = if is_shared { 0 } else { SPINS };
    let yields = if mailbox.is_crowded.load(Relaxed) != 0 { 0 } else { YIELDS };
    for look in 0..spins + yields {
        if arrived(*seen) {
            break;
        }
        if look < spins { core::hint::spin_loop() } else { sys::sched_yield() }
    }
    while !arrived(*seen) {
        mailbox.shim_sleeps.store(1, SeqCst);
        if !arrived(*seen) {
            sys::futex_wait(&mailbox.commands, *seen);
        }
        mailbox.shim_sleeps.store(0, Release);
    }
    *seen = seen.wrapping_add(1);
    // An unknown command can only come from a program that scribbles over the arena; ending is the safe answer.
    Command::from_code(arena::get().request.command.load(Relaxed)).unwrap_or(Command::Exit)
}
