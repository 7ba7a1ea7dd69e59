//! Virtual time.
//!
//! Every thread has its own clock. It moves when the thread sleeps or times out, and an operation brings the clocks of
//! the thread and the object together: time flows along happens-before. So what a clock shows depends on what happened
//! before, never on how unrelated steps were interleaved, and a thread that was woken never sees an earlier time than
//! the one that woke it.

use super::Model;
use crate::action::{Action, Choice};
use crate::ops::Op;

/// The thread's clock catches up with what it waited for.
pub(super) fn before(model: &mut Model, action: &Action, choice: Choice) {
    let passes = action.is_timed() && (choice == Choice::TimeOut || action.op == Op::Sleep);
    let mut now = model.threads.get(action.thread).now;
    for variable in action.objects() {
        now = now.max(clock_of(model, variable));
    }
    if passes {
        now = now.max(action.deadline);
    }
    model.threads.set_now(action.thread, now);
}

/// What the thread worked on remembers when.
pub(super) fn after(model: &mut Model, action: &Action) {
    let now = model.threads.get(action.thread).now;
    for variable in action.objects() {
        if let Some(address) = variable.as_address() {
            if let Some(object) = model.objects.find_mut(address) {
                object.time = now;
            }
        } else if let Some(thread) = variable.as_thread()
            && action.op == Op::ThreadCreate
        {
            model.threads.set_now(thread, now);
        }
    }
}

fn clock_of(model: &Model, variable: crate::Variable) -> u64 {
    match (variable.as_address(), variable.as_thread()) {
        (Some(address), _) => model.objects.find(address).map_or(0, |object| object.time),
        (None, Some(thread)) => model.threads.get(thread).now,
        (None, None) => 0,
    }
}
