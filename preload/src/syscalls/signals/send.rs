//! Sending and delivering.

use super::{Disposition, bit, is_signal, signals};
use crate::syscalls::{Call, failure, process, report};
use crate::{arena, control, finish, gate, tls_pool, world};
use core::ffi::c_int;
use core::sync::atomic::Ordering::Relaxed;
use rscale_protocol::model::Life;
use rscale_protocol::{Ending, OWN_SIGNAL, Op, ThreadId, Variable};

/// The thread that the program means by this number: the one it was told, or the one that libc has stored for it.
fn thread_with_number(number: i32) -> Option<ThreadId> {
    let told = ThreadId::from_index((number - process::PROCESS) as usize);
    let thread = told.or_else(|| tls_pool::thread_with_number(number))?;
    (world::get().look(|model| model.threads.life(thread)) != Life::Unborn).then_some(thread)
}

fn is_own_process(number: i32) -> bool {
    number == process::PROCESS || number == control::get().pid.get()
}

/// `kill` and `rt_sigqueueinfo`.
pub fn kill(call: &Call) -> i64 {
    let signal = call.arguments[1] as i32;
    if !is_own_process(call.descriptor()) {
        report::unsupported(call, "sends a signal to another process");
    }
    note_value(call, signal, call.arguments[2]);
    to_process(call, signal)
}

/// `tkill`.
pub fn tkill(call: &Call) -> i64 {
    to_number(call, call.descriptor(), call.arguments[1] as i32)
}

/// `tgkill` and `rt_tgsigqueueinfo`.
pub fn tgkill(call: &Call) -> i64 {
    let signal = call.arguments[2] as i32;
    if !is_own_process(call.descriptor()) {
        report::unsupported(call, "sends a signal to another process");
    }
    note_value(call, signal, call.arguments[3]);
    to_number(call, call.arguments[1] as i32, signal)
}

/// Keeps the value that a queued signal carries.
fn note_value(call: &Call, signal: i32, info: u64) {
    let queued = matches!(call.number, libc::SYS_rt_sigqueueinfo | libc::SYS_rt_tgsigqueueinfo);
    if is_signal(signal) {
        // SAFETY: the program passes a `siginfo_t`, whose value is the fourth word.
        signals().values[signal as usize].set(if queued { unsafe { *(info as *const u64).add(3) } } else { 0 });
    }
}

fn to_number(call: &Call, number: i32, signal: i32) -> i64 {
    match thread_with_number(number) {
        _ if signal != 0 && !is_signal(signal) => failure(libc::EINVAL),
        Some(thread) => to_thread(call, thread, signal),
        None => failure(libc::ESRCH),
    }
}

/// Sends to a thread: another one sees it when it next passes the gate.
fn to_thread(call: &Call, thread: ThreadId, signal: i32) -> i64 {
    if thread != world::get().current.get() {
        gate::pass(call.action(Op::ThreadKill, Variable::thread(thread)));
    }
    if signal != 0 && is_fatal(thread, signal) {
        act_by_default(signal); // the process need not wait for the thread
    }
    // The last thread has ended when it runs the handlers of exit, and is there all the same.
    if signal != 0 && (world::get().live.get().contains(thread) || thread == world::get().current.get()) {
        if thread != world::get().current.get() && signals().disposition(signal).is_handler() {
            arena::get().result.signals_handled.store(1, Relaxed);
        }
        let pending = &signals().pending[thread.index()];
        pending.set(pending.get() | bit(signal));
        signals().any_pending.set(true);
        deliver_pending();
    }
    0
}

/// Whether a signal ends the process, wherever the thread is that it is sent to.
fn is_fatal(thread: ThreadId, signal: i32) -> bool {
    let signals = signals();
    let is_blocked =
        signals.mask(thread) & bit(signal) != 0 || signals.awaited[thread.index()].get() & bit(signal) != 0;
    let is_default = signals.disposition(signal).handler == libc::SIG_DFL as u64;
    is_default && !is_blocked && thread != world::get().current.get() && world::get().live.get().contains(thread)
}

/// Sends to the process: the running thread gets it, or the first that does not block it.
fn to_process(call: &Call, signal: i32) -> i64 {
    let world = world::get();
    if signal == 0 {
        return 0;
    }
    if !is_signal(signal) {
        return failure(libc::EINVAL);
    }
    let takes = |thread: &ThreadId| signals().mask(*thread) & bit(signal) == 0;
    let current = Some(world.current.get()).filter(takes);
    match current.or_else(|| world.live.get().iter().find(takes)) {
        Some(thread) => to_thread(call, thread, signal),
        None => {
            signals().pending_for_process.set(signals().pending_for_process.get() | bit(signal));
            signals().any_pending.set(true);
            0
        }
    }
}

/// The running thread gets a signal from itself.
pub fn raise(signal: i32) {
    let pending = &signals().pending[world::get().current.get().index()];
    pending.set(pending.get() | bit(signal));
    signals().any_pending.set(true);
    deliver_pending();
}

/// Whether the program has a handler for some signal, and others may send it one.
pub fn has_handlers() -> bool {
    let signals = signals();
    let changed = signals.changed.get();
    changed != 0
        && arena::get().setup.sends_signals.load(Relaxed) != 0
        && !world::get().is_alone()
        && (1..=64).any(|signal| changed & bit(signal) != 0 && signals.disposition(signal).is_handler())
}

/// Whether a thread has been sent a signal whose handler has not run. Where nobody can take a step, it would run all the
/// same, in a thread that waits.
pub fn are_handlers_due() -> bool {
    let signals = signals();
    let is_due = |thread: ThreadId| {
        let sent = signals.deliverable(thread);
        (1..=64).any(|signal| sent & bit(signal) != 0 && signals.disposition(signal).is_handler())
    };
    signals.any_pending.get() && world::get().live.get().iter().any(is_due)
}

/// Acts on the signals that the running thread has been sent. Called where a step is over; a thread that ends gets
/// none.
#[inline]
pub fn deliver_pending() {
    if world::get().signals.any_pending.get() {
        deliver();
    }
}

#[cold]
fn deliver() {
    let world = world::get();
    let is_last = world.live.get().is_empty();
    let is_there = || world.look(|model| model.threads.life(world.current.get())) == Life::Live;
    if is_last || world.uninterruptible.get() == 0 && is_there() {
        while let Some(signal) = take() {
            act(signal);
        }
    }
}

/// Takes the lowest signal that the running thread can get.
fn take() -> Option<i32> {
    let signals = signals();
    let taken = take_one_of(!signals.mask(world::get().current.get()));
    if taken.is_none() {
        let anything =
            signals.pending.iter().any(|pending| pending.get() != 0) || signals.pending_for_process.get() != 0;
        signals.any_pending.set(anything);
    }
    taken
}

/// Takes the lowest signal of a set that has been sent to the running thread or the process.
pub fn take_one_of(set: u64) -> Option<i32> {
    let signals = signals();
    let own = &signals.pending[world::get().current.get().index()];
    let sent = (own.get() | signals.pending_for_process.get()) & set;
    if sent == 0 {
        return None;
    }
    let signal = sent.trailing_zeros() as i32 + 1;
    let source = if own.get() & bit(signal) != 0 { own } else { &signals.pending_for_process };
    source.set(source.get() & !bit(signal));
    Some(signal)
}

fn act(signal: i32) {
    let disposition = signals().disposition(signal);
    if disposition.is_handler() {
        call_handler(signal, disposition);
    } else if disposition.handler == libc::SIG_DFL as u64 {
        act_by_default(signal);
    }
}

fn act_by_default(signal: i32) {
    match signal {
        libc::SIGCHLD | libc::SIGURG | libc::SIGWINCH | libc::SIGCONT => {}
        libc::SIGSTOP | libc::SIGTSTP | libc::SIGTTIN | libc::SIGTTOU => {
            finish::unsupported(b"stops itself with a signal")
        }
        libc::SIGABRT if world::get().assertion_failed.get() => finish::end(Ending::Assertion, 0),
        libc::SIGABRT => {
            arena::get().store_text(b"");
            finish::end(Ending::Abort, 0)
        }
        _ => {
            arena::get().store_text(b"");
            finish::end(Ending::Killed, signal as u64 | OWN_SIGNAL)
        }
    }
}

/// Calls a handler of the program on the running fiber, with the mask that belongs to it.
fn call_handler(signal: i32, disposition: Disposition) {
    let signals = signals();
    let thread = world::get().current.get();
    let before = signals.mask(thread);
    let own = if disposition.has(libc::SA_NODEFER) { 0 } else { bit(signal) };
    signals.set_mask(thread, before | disposition.mask | own);
    if disposition.has(libc::SA_RESETHAND) {
        signals.set_disposition(signal, Disposition::DEFAULT);
    }
    let run = &signals.handlers_run[thread.index()];
    run.set(run.get() + 1);
    signals.restarts.set(disposition.has(libc::SA_RESTART));
    let mut info = information(signal);
    // SAFETY: all zeroes is a valid value of the plain structure.
    let mut context: libc::ucontext_t = unsafe { core::mem::zeroed() };
    type Handler = extern "C" fn(c_int, *mut [u64; 16], *mut libc::ucontext_t);
    // SAFETY: the program gave this address as a handler; one that takes only the number ignores the rest.
    let handler: Handler = unsafe { core::mem::transmute(disposition.handler as usize) };
    handler(signal, &raw mut info, &raw mut context);
    signals.set_mask(thread, before);
}

/// A `siginfo_t`: signal and error in the first word, then the code, the sender and the value.
pub fn information(signal: i32) -> [u64; 16] {
    const SENT_BY_THREAD: i32 = -6;
    let mut words = [0; 16];
    words[0] = signal as u64;
    words[1] = SENT_BY_THREAD as u32 as u64;
    words[2] = process::PROCESS as u64;
    words[3] = signals().values[signal as usize].get();
    words
}
