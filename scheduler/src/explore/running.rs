//! Who runs, and when that is a preemption.
//!
//! A preemption is a step of another thread although the one that ran could have gone on. A thread that waits can not
//! go on; one that is about to yield or to sleep lets others run by itself. The step by which one of several waiters is
//! chosen for a signal is part of the signal: the thread that sent it still runs.
//!
//! That a store becomes visible is nobody's doing: no preemption, and whoever ran still runs. So a thread that waits
//! for its own stores can go on: nobody else has to do anything for it. If it could not, it would depend on which
//! stores are delayed whether a switch is a preemption, and so on what a search has found to be shared. If the thread
//! that ran had to wait for a store of another one, others may go on all the same: to be given a turn is no step, and
//! neither is to make a store.
//!
//! Nobody can tell when a thread starts, which is before its first step: for the report of a finding, a start counts as
//! if it came there. A search may take it earlier.

use rscale_protocol::arena::Step;
use rscale_protocol::{Action, Choice, Op, ThreadId};

/// Who runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Running {
    /// The thread that took the last turn.
    pub thread: ThreadId,
    /// Whether it had to wait for a store since: others can go on without preempting it.
    pub had_to_wait: bool,
}

/// Who runs behind a step, given who ran before it, whether that thread could have gone on instead, and the step before
/// it.
#[must_use]
pub fn running_after(running: Option<Running>, could_go_on: bool, before: Option<&Step>, step: &Step) -> Running {
    let is_signal = before.is_some_and(|before| before.action.op == Op::CondSignal);
    let is_choice = is_signal && step.action.op == Op::CondWake && step.choice == Choice::Proceed;
    match running {
        Some(running) if step.action.op == Op::Flush => {
            Running { had_to_wait: running.had_to_wait || !could_go_on, ..running }
        }
        Some(signaller) if is_choice && !step.enabled[0].contains(signaller.thread) => signaller,
        _ => Running { thread: step.action.thread, had_to_wait: false },
    }
}

/// How often a thread was preempted, given what threads would do next at the end.
#[must_use]
pub fn preemptions(steps: &[Step], pending: &[Action]) -> usize {
    let (mut running, mut count) = (None, 0);
    let is_early = |step: &Step| step.action.op == Op::ThreadStart;
    for (index, step) in steps.iter().enumerate().filter(|(_, step)| !is_early(step)) {
        let next = |thread: ThreadId| {
            let mut later = steps[index..].iter().map(|step| &step.action).chain(pending);
            later.find(|action| action.thread == thread).map(|action| action.op)
        };
        let could_go_on = running.is_some_and(|Running { thread, .. }: Running| {
            step.enabled[0].contains(thread) || next(thread).is_some_and(Op::waits_for_own_stores)
        });
        let is_stopped = |running: Running| {
            let lets_others_run = running.had_to_wait || next(running.thread).is_some_and(Op::lets_others_run);
            running.thread != step.action.thread && could_go_on && !lets_others_run
        };
        let is_turn = step.action.op != Op::Flush;
        count += usize::from(is_turn && running.is_some_and(is_stopped));
        running = Some(running_after(running, could_go_on, index.checked_sub(1).map(|before| &steps[before]), step));
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use rscale_protocol::{ThreadSet, Variable};

    fn step(thread: u16, op: Op, enabled: &[u16]) -> Step {
        let enabled: ThreadSet = enabled.iter().copied().map(ThreadId).collect();
        let action = Action::new(ThreadId(thread), op, Variable(64));
        Step { action, choice: Choice::Proceed, result: 0, enabled: [enabled, ThreadSet::EMPTY, ThreadSet::EMPTY] }
    }

    /// Of an execution in which nobody would do anything more.
    fn count(steps: &[Step]) -> usize {
        preemptions(steps, &[])
    }

    #[test]
    fn only_a_thread_that_could_go_on_is_preempted() {
        let (lock, unlock) = (Op::MutexLock, Op::MutexUnlock);
        assert_eq!(count(&[step(1, lock, &[1, 2]), step(1, unlock, &[1]), step(2, lock, &[2])]), 0);
        assert_eq!(count(&[step(1, lock, &[1, 2]), step(2, unlock, &[1, 2]), step(1, unlock, &[1, 2])]), 2);
        assert_eq!(count(&[]), 0);
    }

    #[test]
    fn a_thread_that_yields_is_not_preempted() {
        let polite = [step(1, Op::MutexLock, &[1, 2]), step(2, Op::MutexLock, &[1, 2]), step(1, Op::Yield, &[1])];
        assert_eq!(count(&polite), 0);
    }

    #[test]
    fn a_thread_that_starts_preempts_nobody_until_it_does_more() {
        let starts = [step(1, Op::ThreadCreate, &[1]), step(2, Op::ThreadStart, &[1, 2]), step(1, Op::Read, &[1, 2])];
        assert_eq!(count(&starts), 0);
        let goes_on = [starts[0], starts[1], step(2, Op::Read, &[1, 2])];
        assert_eq!(count(&goes_on), 1);
        let later = [starts[0], starts[1], starts[2], step(2, Op::Read, &[2])];
        assert_eq!(count(&later), 0, "the other one has to wait");
    }

    #[test]
    fn a_flush_preempts_nobody() {
        let flushed = [step(1, Op::Read, &[1, 2, 65]), step(65, Op::Flush, &[1, 2, 65]), step(1, Op::Read, &[1, 2])];
        assert_eq!(count(&flushed), 0);
        let switched = [flushed[0], flushed[1], step(2, Op::Read, &[1, 2])];
        assert_eq!(count(&switched), 1);
    }

    /// Its stores become visible by themselves, so that it does not matter which of them are delayed.
    #[test]
    fn a_thread_that_waits_for_its_own_stores_can_go_on() {
        let waits = [step(1, Op::Read, &[1, 2]), step(2, Op::Read, &[2, 65]), step(65, Op::Flush, &[2, 65])];
        let fence = step(1, Op::Fence, &[1, 2]);
        assert_eq!(count(&[waits[0], waits[1], waits[2], fence]), 2);
        assert_eq!(preemptions(&waits, &[fence.action]), 1, "it does not come to go on");
        assert_eq!(count(&[waits[0], waits[2], waits[1], fence]), 2, "whenever they do");
        assert_eq!(count(&waits), 0, "it waits for somebody else");
    }

    #[test]
    fn choosing_a_waiter_is_part_of_the_signal() {
        let goes_on = [
            step(1, Op::CondSignal, &[1]),
            step(3, Op::CondWake, &[2, 3]),
            step(1, Op::MutexLock, &[1, 3]),
            step(3, Op::CondRetake, &[3]),
        ];
        assert_eq!(count(&goes_on), 0);
        let switches = [goes_on[0], goes_on[1], step(3, Op::CondRetake, &[1, 3])];
        assert_eq!(count(&switches), 1, "the thread that sent the signal could have gone on");
    }
}
