//! Who runs, and when that is a preemption.
//!
//! A preemption is a step of another thread although the one that ran could have gone on. A thread that waits can not go
//! on; one that is about to yield or to sleep lets others run by itself. The step by which one of several waiters is
//! chosen for a signal is part of the signal: the thread that sent it still runs. That a store becomes visible is nobody's
//! doing: no preemption, and whoever ran still runs. If that thread had to wait for the store, others may go on all the same.

use rscale_protocol::arena::Step;
use rscale_protocol::{Choice, Op, ThreadId};

/// Who runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Running {
    /// The thread that took the last turn.
    pub thread: ThreadId,
    /// Whether it had to wait for a store since: others can go on without preempting it.
    pub had_to_wait: bool,
}

/// Who runs behind a step, given who ran before it, and the step before it.
#[must_use]
pub fn running_after(running: Option<Running>, before: Option<&Step>, step: &Step) -> Running {
    let is_signal = before.is_some_and(|before| before.action.op == Op::CondSignal);
    let is_choice = is_signal && step.action.op == Op::CondWake && step.choice == Choice::Proceed;
    match running {
        Some(running) if step.action.op == Op::Flush => {
            let had_to_wait = running.had_to_wait || !step.enabled[0].contains(running.thread);
            Running { had_to_wait, ..running }
        }
        Some(signaller) if is_choice && !step.enabled[0].contains(signaller.thread) => signaller,
        _ => Running { thread: step.action.thread, had_to_wait: false },
    }
}

/// How often a thread was preempted.
#[must_use]
pub fn preemptions(steps: &[Step]) -> usize {
    let (mut running, mut count) = (None, 0);
    for (index, step) in steps.iter().enumerate() {
        let could_go_on = |thread: ThreadId| {
            let mut later = steps[index..].iter().filter(|later| later.action.thread == thread);
            step.enabled[0].contains(thread) && !later.next().is_some_and(|next| next.action.op.lets_others_run())
        };
        let is_turn = step.action.op != Op::Flush;
        let is_stopped = |running: Running| {
            running.thread != step.action.thread && !running.had_to_wait && could_go_on(running.thread)
        };
        count += usize::from(is_turn && running.is_some_and(is_stopped));
        running = Some(running_after(running, index.checked_sub(1).map(|before| &steps[before]), step));
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use rscale_protocol::{Action, ThreadSet, Variable};

    fn step(thread: u16, op: Op, enabled: &[u16]) -> Step {
        let enabled: ThreadSet = enabled.iter().copied().map(ThreadId).collect();
        let action = Action::new(ThreadId(thread), op, Variable(64));
        Step { action, choice: Choice::Proceed, result: 0, enabled: [enabled, ThreadSet::EMPTY, ThreadSet::EMPTY] }
    }

    #[test]
    fn only_a_thread_that_could_go_on_is_preempted() {
        let (lock, unlock) = (Op::MutexLock, Op::MutexUnlock);
        assert_eq!(preemptions(&[step(1, lock, &[1, 2]), step(1, unlock, &[1]), step(2, lock, &[2])]), 0);
        assert_eq!(preemptions(&[step(1, lock, &[1, 2]), step(2, unlock, &[1, 2]), step(1, unlock, &[1, 2])]), 2);
        assert_eq!(preemptions(&[]), 0);
    }

    #[test]
    fn a_thread_that_yields_is_not_preempted() {
        let polite = [step(1, Op::MutexLock, &[1, 2]), step(2, Op::MutexLock, &[1, 2]), step(1, Op::Yield, &[1])];
        assert_eq!(preemptions(&polite), 0);
    }

    #[test]
    fn a_flush_preempts_nobody() {
        let flushed = [step(1, Op::Read, &[1, 2, 65]), step(65, Op::Flush, &[1, 2, 65]), step(1, Op::Read, &[1, 2])];
        assert_eq!(preemptions(&flushed), 0);
        let switched = [flushed[0], flushed[1], step(2, Op::Read, &[1, 2])];
        assert_eq!(preemptions(&switched), 1);
    }

    #[test]
    fn choosing_a_waiter_is_part_of_the_signal() {
        let goes_on = [
            step(1, Op::CondSignal, &[1]),
            step(3, Op::CondWake, &[2, 3]),
            step(1, Op::MutexLock, &[1, 3]),
            step(3, Op::CondRetake, &[3]),
        ];
        assert_eq!(preemptions(&goes_on), 0);
        let switches = [goes_on[0], goes_on[1], step(3, Op::CondRetake, &[1, 3])];
        assert_eq!(preemptions(&switches), 1, "the thread that sent the signal could have gone on");
    }
}
