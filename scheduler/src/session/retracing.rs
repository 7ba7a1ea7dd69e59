//! A finding once more, with accesses that its execution has shown to matter as steps.
//!
//! An access is a step where the search knows that it matters, and an execution may fail before that is known: often
//! the first one does. Its schedule then names no access that led there, and nothing can be said about their order. So
//! the execution is retraced: the same order of the steps that it had, with the accesses in between where their threads
//! made them.

use super::crew;
use super::host::Host;
use super::minimizing::{Bench, Seen};
use crate::explain;
use crate::explore::{Locations, Plan};
use crate::finding::{Finding, Identity, Kind};
use crate::frontend::Execution;
use crate::minimize::Replayed;
use rscale_protocol::arena::{Step, Token};
use rscale_protocol::{Choice, Family, MemoryModel, ThreadId};
use std::time::{Duration, Instant};

/// How often what is shared may turn out to be more.
const ROUNDS: usize = 8;
/// What it may take.
const LIMIT: Duration = Duration::from_millis(500);

/// What was found, in more steps.
pub struct Retraced {
    /// The finding.
    pub finding: Finding,
    /// The steps that show it.
    pub steps: Vec<Step>,
    /// What is a step there.
    pub locations: Locations,
}

/// Retraces an execution that shows a finding, if more locations matter than these. The program is left with those of
/// the result, or as it was if there is none.
pub fn retrace(
    finding: &Finding,
    execution: &Execution,
    locations: &Locations,
    bench: &mut Bench<'_>,
) -> Option<Retraced> {
    let is_told = !matches!(finding.kind, Kind::Race | Kind::Invariant | Kind::Lost);
    if !is_told || bench.rules.memory != MemoryModel::Sc || execution.end.as_ref()?.races.is_empty() {
        return None;
    }
    let haste = bench.haste(finding.kind, &execution.steps);
    bench.host.limit(Instant::now().checked_add(LIMIT));
    bench.host.hurry(haste);
    let wanted = finding.identity();
    let found = with_all_locations(&wanted, execution, locations, bench);
    if bench.host.is_out_of_time() {
        bench.host.recover();
    }
    bench.host.hurry(None);
    bench.host.limit(None);
    let retraced = found.and_then(|(schedule, locations)| {
        let (found, steps) = bench.explained(&schedule, &wanted, Seen::Before)?;
        Some(Retraced { finding: Finding { trace: finding.trace.clone(), ..found }, steps, locations })
    });
    if retraced.is_none() {
        bench.host.set_locations(locations, &Locations::default());
    }
    retraced
}

/// The schedule with all that matters, and what that is.
fn with_all_locations(
    wanted: &Identity,
    execution: &Execution,
    locations: &Locations,
    bench: &mut Bench<'_>,
) -> Option<(Vec<Token>, Locations)> {
    let (mut end, mut steps) = (execution.end.clone()?, execution.steps.to_vec());
    let (mut locations, mut observed) = (locations.clone(), Locations::default());
    for _ in 0..ROUNDS {
        if !crew::learn(&end, bench.rules.scope, &mut locations, &mut observed) {
            return Some((explain::schedule(&steps), locations));
        }
        bench.host.set_locations(&locations, &observed);
        let schedule = follow(&steps, bench.host)?;
        let mut again = Execution::default();
        let Replayed::Same(more, _) = bench.show(Plan::of(&schedule), wanted, &mut again) else { return None };
        (end, steps) = (again.end?, more);
    }
    None
}

/// The schedule of an execution in which the steps come in the same order, with accesses between them that were none.
fn follow(steps: &[Step], host: &mut Host) -> Option<Vec<Token>> {
    let mut trail = Trail { steps, done: 0, schedule: Vec::new() };
    let mut execution = Execution::default();
    while let Some(next) = steps.get(trail.done) {
        let before = trail.schedule.len();
        let proceeds = Token { thread: next.action.thread, choice: Choice::Proceed };
        for token in [proceeds, next.token()] {
            trail.schedule.truncate(before);
            trail.schedule.push(token);
            host.run(Plan::of(&trail.schedule), &mut execution).ok()?;
            trail.schedule.pop();
            trail.take(&execution.steps);
            if trail.schedule.len() > before {
                break;
            }
        }
        if trail.schedule.len() == before {
            return None;
        }
    }
    Some(trail.schedule)
}

/// How far an execution was retraced.
struct Trail<'a> {
    steps: &'a [Step],
    /// How many of them were taken again.
    done: usize,
    /// With what came between them.
    schedule: Vec<Token>,
}

impl Trail<'_> {
    /// Adds what an execution did beyond the schedule, as far as it is the same.
    fn take(&mut self, taken: &[Step]) {
        let mut running = self.steps.get(self.done).map(|step| step.action.thread);
        for step in taken.iter().skip(self.schedule.len()) {
            let is_next = self.steps.get(self.done).is_some_and(|next| is_same(next, step));
            let is_between = running == Some(step.action.thread) && self.is_new(step, step.action.thread);
            if !is_next && !is_between {
                return;
            }
            self.done += usize::from(is_next);
            running = Some(step.action.thread);
            self.schedule.push(step.token());
        }
    }

    /// Whether the step is an access that was no step of its thread before.
    fn is_new(&self, step: &Step, thread: ThreadId) -> bool {
        let next = self.steps[self.done..].iter().find(|next| next.action.thread == thread);
        step.action.op.family() == Family::Memory && !next.is_some_and(|next| is_same(next, step))
    }
}

fn is_same(one: &Step, other: &Step) -> bool {
    let what = |step: &Step| (step.token(), step.action.op, step.action.pc);
    what(one) == what(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rscale_protocol::{Action, Op, Variable};

    fn step(thread: u16, op: Op, pc: u64) -> Step {
        let action = Action { pc, ..Action::new(ThreadId(thread), op, Variable(64)) };
        Step { action, choice: Choice::Proceed, result: 0, enabled: Default::default() }
    }

    #[test]
    fn accesses_stay_with_the_steps_of_their_threads() {
        let old = [step(1, Op::MutexLock, 1), step(2, Op::MutexLock, 2), step(1, Op::MutexUnlock, 3)];
        let mut trail = Trail { steps: &old, done: 0, schedule: Vec::new() };
        let first =
            [step(1, Op::Read, 7), step(1, Op::MutexLock, 1), step(1, Op::Write, 8), step(1, Op::MutexUnlock, 3)];
        trail.take(&first);
        assert_eq!((trail.done, trail.schedule.len()), (1, 3), "the unlock comes later");
        let second =
            [&first[..3], &[step(2, Op::Write, 9), step(2, Op::MutexLock, 2), step(1, Op::MutexUnlock, 3)]].concat();
        trail.take(&second);
        assert_eq!((trail.done, trail.schedule.len()), (3, 6));
    }

    #[test]
    fn another_way_is_not_followed() {
        let old = [step(1, Op::MutexLock, 1), step(2, Op::MutexLock, 2)];
        let mut trail = Trail { steps: &old, done: 0, schedule: Vec::new() };
        trail.take(&[step(2, Op::Read, 5), step(2, Op::MutexLock, 2)]);
        assert!(trail.schedule.is_empty(), "it was another one's turn");
        trail.take(&[step(1, Op::Yield, 4)]);
        assert!(trail.schedule.is_empty(), "no access, and not what it did");
    }
}
