//! One execution as it came back from the program: its steps, and what its threads would do next.

use crate::backend::{RunEnd, StepLog};
use crate::races::Race;
use rscale_protocol::arena::Step;
use rscale_protocol::{Action, Ending, Op, ThreadSet};

/// An execution. The value is used again for the next one, so that its memory is.
#[derive(Debug, Default)]
pub struct Execution {
    /// Its steps.
    pub steps: StepLog,
    /// What the threads that are left would do next.
    pub pending: Vec<Action>,
    /// How it ended.
    pub end: Option<RunEnd>,
    /// Its data races, if they are looked for.
    pub races: Vec<Race>,
}

impl Execution {
    /// Why it ended.
    #[must_use]
    pub fn ending(&self) -> Option<Ending> {
        self.end.as_ref().map(|end| end.ending)
    }

    /// Whether something ended it for all threads at once.
    #[must_use]
    pub fn ends_early(&self) -> bool {
        use Ending::{Deadlock, Diverged, Exit, Livelock, Sleeping, StepBudget};
        !matches!(self.ending(), Some(Exit | Deadlock | Livelock | Sleeping | StepBudget | Diverged) | None)
    }

    /// Whether it ended for all threads behind a step that does not say so, as the step of an exit does: early, or
    /// behind the last step of an exit handler.
    #[must_use]
    pub fn ends_unannounced(&self) -> bool {
        let is_exit = |step: &Step| step.action.op == Op::ProcessExit;
        let runs_handler = || !self.steps.last().is_some_and(is_exit) && self.steps.iter().any(is_exit);
        self.ends_early() || self.ending() == Some(Ending::Exit) && runs_handler()
    }

    /// Whether nobody can do anything any more behind its last step: it was the end of the process, in whatever way.
    #[must_use]
    pub fn ends_process(&self) -> bool {
        self.ending() == Some(Ending::Exit) || self.ends_early()
    }

    /// Whether the process was lost on the way: nobody knows what lies behind its schedule.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.end.as_ref().is_some_and(RunEnd::is_lost)
    }

    /// Who can take a step in the state after the first `depth` steps. Nobody can where the execution has ended.
    #[must_use]
    pub fn enabled_at(&self, depth: usize) -> [ThreadSet; 3] {
        self.steps.get(depth).map_or([ThreadSet::EMPTY; 3], |step| step.enabled)
    }

    /// As [`Execution::enabled_at`], and where the execution has ended, who still could have.
    #[must_use]
    pub fn enabled_after(&self, depth: usize) -> [ThreadSet; 3] {
        let at_end = || self.end.as_ref().map_or([ThreadSet::EMPTY; 3], |end| end.enabled);
        self.steps.get(depth).map_or_else(at_end, |step| step.enabled)
    }
}
