//! `lcd`: local cycle detection (SCALE, Algorithm 5).
//!
//! A thread that comes back to the same local state, and has changed nothing that others could see on the way, has gone
//! round in a loop: it waits. Everything that can follow can follow without that round too, so nothing is explored from
//! there. The local state is the bytes of the stack and the registers; a write to any other memory is progress, whether
//! it is a scheduling point or not. Steps of other threads in between do not matter as long as none of them depends on
//! a step of the round: then they could as well have come before it, or after. Attempts that failed are like reads
//! here: two of them fail in either order.

use super::{Filter, FilterInfo, Make, Needs, Preserves};
use crate::explore::{Candidates, Path};
use crate::frontend::Configuration;
use rscale_protocol::ThreadId;
use rscale_protocol::arena::{LocalState, Step};

pub(super) const INFO: FilterInfo = FilterInfo {
    name: "lcd",
    argument: None,
    range: 0..=0,
    summary: "local cycle detection: a round of a loop that changes nothing is not repeated",
    needs: Needs { every_round: true, local_states: true, ..Needs::NOTHING },
    make: Make::Filter(|_| Box::new(LocalCycles::default())),
};

#[derive(Default)]
struct LocalCycles {
    /// The steps between the current state and the one that is looked at.
    passed: Vec<Step>,
}

impl Filter for LocalCycles {
    fn visit(&mut self, path: &Path, _configuration: &mut Configuration, candidates: &mut Candidates) {
        if !candidates.is_empty() && self.closes_cycle(path) {
            candidates.retain(|_| false);
        }
    }

    fn needs_configuration(&self) -> bool {
        false
    }

    fn restart(&mut self) {}

    fn preserves(&self) -> Preserves {
        Preserves::EveryState
    }
}

impl LocalCycles {
    /// Whether the last step closed a local cycle of its thread.
    fn closes_cycle(&mut self, path: &Path) -> bool {
        let [before @ .., current] = path.nodes() else { return false };
        let Some(thread) = before.last().and_then(|node| node.taken).map(|step| step.action.thread) else {
            return false;
        };
        self.passed.clear();
        let mut after = current.arrived;
        for (index, node) in before.iter().enumerate().rev() {
            let Some(step) = node.taken else { return false };
            if made_progress(&step, after, thread) || self.conflicts(&step, thread) {
                return false;
            }
            let led_here = index.checked_sub(1).and_then(|previous| before[previous].token());
            if led_here.is_some_and(|token| token.thread == thread) && node.arrived.is_same(current.arrived) {
                return true;
            }
            self.passed.push(step);
            after = node.arrived;
        }
        false
    }

    /// Whether the order of the step and a later one matters, one of them being the thread's.
    fn conflicts(&self, step: &Step, thread: ThreadId) -> bool {
        let is_own = |step: &Step| step.action.thread == thread;
        let matters = |later: &Step| {
            !(changed_nothing(step) && changed_nothing(later)) && step.action.is_dependent(&later.action)
        };
        self.passed.iter().any(|later| is_own(step) != is_own(later) && matters(later))
    }
}

fn changed_nothing(step: &Step) -> bool {
    step.action.op.changed_nothing(step.result)
}

/// Whether the step, or the code behind it, changed something other than the stack of the thread, if it is the
/// thread's.
fn made_progress(step: &Step, after: LocalState, thread: ThreadId) -> bool {
    step.action.thread == thread && (!changed_nothing(step) || after.may_have_written())
}
