//! Which locks a thread holds at a step: what a report says about two accesses that nothing orders.

use rscale_protocol::arena::Step;
use rscale_protocol::model::errno::EOWNERDEAD;
use rscale_protocol::{Choice, Op, ThreadId, Variable};

/// A lock that a thread holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Held {
    /// The lock.
    pub lock: Variable,
    /// Whether others may hold it for reading at the same time.
    pub is_shared: bool,
}

/// The locks that a thread holds before a step, in the order in which it took them.
#[must_use]
pub fn held_at(steps: &[Step], index: usize, thread: ThreadId) -> Vec<Held> {
    let mut held = Vec::new();
    for step in steps[..index.min(steps.len())].iter().filter(|step| step.action.thread == thread) {
        let (lock, second) = (step.action.object, step.action.second);
        let is_done = step.choice == Choice::Proceed && matches!(step.result, 0 | EOWNERDEAD);
        match step.action.op {
            Op::MutexLock | Op::MutexTryLock | Op::SpinLock | Op::SpinTryLock | Op::RwWrite | Op::RwTryWrite
                if is_done =>
            {
                held.push(Held { lock, is_shared: false });
            }
            Op::RwRead | Op::RwTryRead if is_done => held.push(Held { lock, is_shared: true }),
            Op::CondRetake => held.push(Held { lock, is_shared: false }),
            Op::MutexUnlock | Op::MutexAbandon | Op::SpinUnlock | Op::RwUnlock if is_done => give_back(&mut held, lock),
            Op::CondWait if is_done => give_back(&mut held, second),
            _ => {}
        }
    }
    held
}

/// A lock that was taken several times is held until it was given back as often.
fn give_back(held: &mut Vec<Held>, lock: Variable) {
    if let Some(place) = held.iter().rposition(|held| held.lock == lock) {
        held.remove(place);
    }
}
