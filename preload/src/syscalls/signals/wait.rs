//! Waiting for a signal: `pause`, `sigsuspend`, `sigwait` and its kin.
//!
//! A thread that waits is disabled until it has a signal to act on. Whether it has is not the model's business: it is
//! asked each time before the enabled threads are determined, as the kernel is about descriptors.

use super::{SET_SIZE, handlers_run, send, signals};
use crate::fiber::Fiber;
use crate::syscalls::process::store;
use crate::syscalls::{Call, failure, time};
use crate::{cancel, clock, gate, world};
use rscale_protocol::model::CANCELLED;
use rscale_protocol::model::errno::ETIMEDOUT;
use rscale_protocol::{Action, Op, ThreadId, Variable};

/// `pause`.
pub fn pause(call: &Call) -> i64 {
    let mask = signals().mask(world::get().current.get());
    until_handled(call, mask)
}

/// `rt_sigsuspend`.
pub fn rt_sigsuspend(call: &Call) -> i64 {
    let [set, size, ..] = call.arguments;
    if size != SET_SIZE { failure(libc::EINVAL) } else { until_handled(call, read_set(set)) }
}

fn read_set(address: u64) -> u64 {
    // SAFETY: the program passes a set; a wrong pointer faults here and is the program's crash.
    unsafe { *(address as *const u64) }
}

/// Waits until a handler has run, with another mask.
fn until_handled(call: &Call, mask: u64) -> i64 {
    let before = handlers_run();
    with_mask(mask, || {
        while handlers_run() == before {
            // The gate delivers what has arrived, under this mask.
            wait(call, 0, Action::NEVER);
        }
        failure(libc::EINTR)
    })
}

/// `rt_sigtimedwait`, which `sigwait` and `sigwaitinfo` end in.
pub fn rt_sigtimedwait(call: &Call) -> i64 {
    let [set, info, timeout, size, ..] = call.arguments;
    if size != SET_SIZE {
        return failure(libc::EINVAL);
    }
    let deadline = match time::read_timespec(timeout).map(|time| clock::system_time(&time)) {
        None => Action::NEVER,
        Some(None) => return failure(libc::EINVAL),
        Some(Some(duration)) => clock::now().saturating_add(duration).min(Action::NEVER - 1),
    };
    let (set, thread, before) = (read_set(set), world::get().current.get(), handlers_run());
    // What is waited for is not delivered meanwhile, blocked or not.
    with_mask(signals().mask(thread) | set, || {
        loop {
            let is_late = wait(call, set, deadline);
            if let Some(signal) = send::take_one_of(set) {
                store_if(info, || send::information(signal));
                return signal.into();
            }
            if is_late {
                return failure(libc::EAGAIN);
            }
            if handlers_run() != before {
                return failure(libc::EINTR);
            }
        }
    })
}

fn store_if<T>(address: u64, value: impl FnOnce() -> T) {
    if address != 0 {
        store(address, value());
    }
}

/// Waits in some way while the running thread blocks the signals of a set that the program passes, if it passes one.
pub fn with_mask_at(set: u64, act: impl FnOnce() -> i64) -> i64 {
    if set == 0 {
        return act();
    }
    let before = handlers_run();
    with_mask(read_set(set), || {
        send::deliver_pending();
        if handlers_run() == before { act() } else { failure(libc::EINTR) }
    })
}

/// Calls a function while the running thread blocks these signals.
fn with_mask(mask: u64, act: impl FnOnce() -> i64) -> i64 {
    let thread = world::get().current.get();
    let before = signals().mask(thread);
    signals().set_mask(thread, mask);
    let result = act();
    signals().set_mask(thread, before);
    send::deliver_pending();
    result
}

/// One step that waits for one of these signals, or for one that is to be delivered. Whether the time was over first.
fn wait(call: &Call, set: u64, deadline: u64) -> bool {
    let thread = world::get().current.get();
    signals().awaited[thread.index()].set(set);
    let action = Action {
        flags: Action::CANCELLATION_POINT,
        count: has_come(thread).into(),
        deadline,
        ..call.action(Op::SignalWait, Variable::thread(thread))
    };
    match gate::pass_or_cancel(action, |_| {}) {
        CANCELLED => cancel::act(),
        result => result == ETIMEDOUT,
    }
}

/// Whether a thread that waits has something to act on.
fn has_come(thread: ThreadId) -> bool {
    let signals = signals();
    let pending = signals.pending[thread.index()].get() | signals.pending_for_process.get();
    pending & (signals.awaited[thread.index()].get() | !signals.mask(thread)) != 0
}

/// Puts into the next action of a thread that waits whether it can go on.
pub fn refresh_readiness(fiber: &Fiber) {
    let action = *fiber.next();
    fiber.set_next(Action { count: has_come(action.thread).into(), ..action });
}
