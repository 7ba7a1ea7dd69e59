//! Once flags: a routine runs once, and everybody waits until it has run.
//!
//! Nothing initialises a once flag at run time, so a flag that nobody has seen is a fresh one, whatever was destroyed
//! at its address before.

use super::errno::EINVAL;
use super::{Choices, Model, ObjectState, Outcome};
use crate::action::Action;
use crate::ops::Op;
use crate::thread_set::ThreadId;

/// The state of a once flag.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Once {
    /// The routine has not run, or not to its end.
    #[default]
    Never,
    /// This thread runs the routine.
    Running(ThreadId),
    /// The routine has run.
    Done,
}

impl Once {
    /// The result of entering for the thread that has to run the routine; the others get 0.
    pub const RUN_IT: i32 = 1;

    /// Who runs the routine now.
    #[must_use]
    pub fn runner(&self) -> Option<ThreadId> {
        match *self {
            Once::Running(thread) => Some(thread),
            Once::Never | Once::Done => None,
        }
    }
}

pub(super) fn choices(model: &Model, action: &Action) -> Choices {
    // A routine that enters its own flag waits for itself for ever, as in glibc.
    let running = matches!(model.state(action.object), ObjectState::Once(Once::Running(_)));
    if running && action.op == Op::OnceEnter { Choices::NONE } else { Choices::PROCEED }
}

pub(super) fn perform(model: &mut Model, action: &Action) -> Outcome {
    let once = match model.state(action.object) {
        ObjectState::Once(once) => once,
        ObjectState::Unknown | ObjectState::Destroyed => Once::Never,
        other => return Outcome::wrong_object(other),
    };
    let (next, result) = match (action.op, once) {
        (Op::OnceEnter, Once::Never) => (Once::Running(action.thread), Once::RUN_IT),
        (Op::OnceEnter, Once::Running(_) | Once::Done) => (once, 0),
        (_, Once::Running(thread)) if thread == action.thread => {
            let cancelled = action.flags & Action::CANCELLED != 0;
            (if cancelled { Once::Never } else { Once::Done }, 0)
        }
        _ => (once, EINVAL),
    };
    model.objects.set(action.object.0, ObjectState::Once(next));
    Outcome::returns(result)
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::*;
    use crate::action::Choice;
    use crate::ending::Misuse;

    const O: u64 = 0x1000;

    #[test]
    fn the_first_runs_it_and_the_others_wait() {
        let mut bench = Bench::with_threads(3);
        assert_eq!(bench.run(1, Op::OnceEnter, O), Once::RUN_IT);
        assert_eq!(bench.model.holder(O), Some(ThreadId(1)));
        assert!(!bench.enabled(2, Op::OnceEnter, O));
        assert!(!bench.enabled(1, Op::OnceEnter, O), "waits for itself");
        assert_eq!(bench.run(2, Op::OnceLeave, O), EINVAL, "not the one who runs it");
        assert_eq!(bench.run(1, Op::OnceLeave, O), 0);
        assert_eq!(bench.run(2, Op::OnceEnter, O), 0);
        assert_eq!(bench.run(1, Op::OnceEnter, O), 0);
        assert_eq!(bench.model.holder(O), None);
    }

    #[test]
    fn a_cancelled_routine_is_run_by_the_next() {
        let mut bench = Bench::with_threads(3);
        bench.run(1, Op::OnceEnter, O);
        let leave = Action { flags: Action::CANCELLED, ..Bench::action(1, Op::OnceLeave, O) };
        assert_eq!(bench.model.perform(&leave, Choice::Proceed), Outcome::returns(0));
        assert_eq!(bench.run(2, Op::OnceEnter, O), Once::RUN_IT);
    }

    #[test]
    fn it_is_not_mixed_up_with_other_objects() {
        let mut bench = Bench::with_threads(1);
        bench.run(0, Op::MutexInit, O);
        assert_eq!(bench.step(0, Op::OnceEnter, O).misuse, Some(Misuse::WrongKind));
        bench.run(0, Op::MutexDestroy, O);
        assert_eq!(bench.run(0, Op::OnceEnter, O), Once::RUN_IT, "the memory was used again");
    }
}
