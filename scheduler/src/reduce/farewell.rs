//! The last steps of an execution, in which threads do nothing but end and be joined.
//!
//! Nothing comes of their order: a join waits for the end of its thread, neither has to do with anything else, and no
//! step follows that could. So no events are made of them, which are many of the new ones where many threads are joined
//! in the end. Where a thread was detached, cancelled or sent a signal, or somebody tried to join it, its end and the
//! join are events like all others; and so are those that sleep, for then the execution is redundant.

use super::Reduction;
use super::history::History;
use super::plan::Node;
use crate::frontend::Execution;
use rscale_protocol::arena::Step;
use rscale_protocol::{Action, Choice, Ending, Op, ThreadSet, Variable};

/// Where the last steps begin that are ends and joins of threads.
pub fn begin(execution: &Execution) -> usize {
    let others = execution.steps.iter().rposition(|step| !ends_or_joins(step));
    others.map_or(0, |last| last + 1)
}

impl Reduction {
    /// Whether all that is left of an execution behind the known events, and behind what was planned, is a farewell.
    pub(super) fn is_left_in_peace(&self, execution: &Execution) -> bool {
        let left = &execution.steps[self.steps.len()..];
        self.planner.keeps_nothing()
            && execution.ending() == Some(Ending::Exit)
            && self.history.reaches_nobody()
            && left.iter().all(|step| is_farewell(step, &self.history))
            && self.nodes.last().is_some_and(|node| nobody_sleeps(node, left))
    }

    /// What is left of an execution counts as if it were events.
    pub(super) fn count_farewell(&mut self, execution: &Execution) {
        let left = (execution.steps.len() - self.steps.len()) as u64;
        self.counts.states += left;
        self.counts.transitions += left;
        self.counts.max_depth = self.counts.max_depth.max(execution.steps.len() as u64);
    }
}

fn ends_or_joins(step: &Step) -> bool {
    matches!(step.action.op, Op::ThreadExit | Op::ThreadJoin)
}

fn is_farewell(step: &Step, history: &History) -> bool {
    let [_, late, spurious] = step.enabled;
    ends_or_joins(step)
        && (step.choice, step.result) == (Choice::Proceed, 0)
        && step.action.flags & !Action::CANCELLATION_POINT == 0 // nothing that an invariant reads has changed
        && late.union(spurious).is_empty()
        && is_only_joined(step.action.object, history)
}

/// Whether nobody has had anything to do with the life of a thread but who created it, and itself.
fn is_only_joined(thread: Variable, history: &History) -> bool {
    let touched = history.known(thread).map_or(&[][..], |life| history.touched(life));
    let is_usual = |op: Op| matches!(op, Op::ThreadCreate | Op::ThreadExit);
    touched.iter().all(|entry| is_usual(history.event(entry.event).op))
}

fn nobody_sleeps(node: &Node, left: &[Step]) -> bool {
    let threads: ThreadSet = left.iter().map(|step| step.action.thread).collect();
    !node.sleep.iter().any(|sleeper| threads.contains(sleeper.thread()))
}
