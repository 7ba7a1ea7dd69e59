//! Decisive orderings of a finding: reversals run on the program itself, for a bounded time.

use super::minimizing::Bench;
use crate::decisive::{self, Pair, Rerun, Rerunner, Second};
use crate::exit::Failure;
use crate::explain;
use crate::explore::Plan;
use crate::finding::{Finding, Ordering, StepView};
use crate::frontend::Execution;
use crate::property::{self, Violation};
use rscale_protocol::arena::Step;
use rscale_protocol::{Choice, Ending, ThreadSet};
use std::time::{Duration, Instant};

/// A pair of actions in a decisive order, and the second one as a person sees it, where it is no step.
pub struct Decisive {
    pair: Pair,
    missing: Option<StepView>,
}

impl Bench<'_> {
    /// The pairs of actions whose reversal makes the finding go away.
    pub fn decisive(&mut self, finding: &Finding, steps: &[Step], limit: Duration) -> Vec<Decisive> {
        let haste = self.haste(finding.kind, steps);
        self.host.limit(Instant::now().checked_add(limit));
        self.host.hurry(haste);
        let violation = finding.identity().violation().clone();
        let mut reversing = Reversing { bench: self, violation, execution: Execution::default() };
        let pairs = decisive::pairs(steps, &mut reversing);
        self.host.hurry(None);
        self.host.limit(None);
        pairs.into_iter().map(|pair| Decisive { missing: self.view(&pair), pair }).collect()
    }

    fn view(&self, pair: &Pair) -> Option<StepView> {
        let Second::Missing(action) = pair.second else { return None };
        let step = Step { action, choice: Choice::Proceed, result: 0, enabled: [ThreadSet::EMPTY; 3] };
        self.explainer.steps(&[step], self.host.target()).pop()
    }
}

/// Puts the orders into words, with the names that the steps of the finding have.
pub fn tell(decisive: &[Decisive], finding: &Finding, steps: &[Step]) -> Vec<Ordering> {
    let mut told: Vec<Ordering> = Vec::new();
    for Decisive { pair, missing } in decisive {
        // The same statements in a loop are the same sentence.
        let new = explain::tell(pair, finding, steps, missing.as_ref());
        told.extend(new.filter(|new| told.iter().all(|known| known.text != new.text)));
    }
    told
}

/// Runs schedules and looks whether the finding is gone.
struct Reversing<'a, 'b> {
    bench: &'a mut Bench<'b>,
    violation: Violation,
    execution: Execution,
}

impl Rerunner for Reversing<'_, '_> {
    fn rerun(&mut self, plan: Plan<'_>) -> Rerun {
        if self.bench.host.is_out_of_time() {
            return Rerun::NoTime;
        }
        match self.bench.host.run(plan, &mut self.execution) {
            Ok(()) => {}
            Err(Failure::OutOfTime) => {
                self.bench.host.recover();
                return Rerun::NoTime;
            }
            Err(_) => return Rerun::NoTime,
        }
        let Some(end) = &self.execution.end else { return Rerun::Shows };
        let shown = property::violations(&self.execution, self.bench.rules);
        match end.ending {
            _ if shown.iter().any(|shown| shown.violation == self.violation) => Rerun::Shows,
            Ending::Diverged => usize::try_from(end.value).map_or(Rerun::Shows, Rerun::Refused),
            ending if ending == Ending::Exit || !shown.is_empty() => Rerun::Gone(self.execution.steps.to_vec()),
            _ => Rerun::Shows,
        }
    }
}
