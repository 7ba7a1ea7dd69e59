//! A finding with a smaller schedule: minimising on the program itself, for a bounded time.

use super::host::Host;
use crate::config::Rules;
use crate::exit::Failure;
use crate::explain::Explainer;
use crate::explore::Plan;
use crate::finding::{Finding, Identity, Kind};
use crate::frontend::Execution;
use crate::minimize::{Replayed, Replayer, Size, minimize};
use crate::property::{self, Shown};
use rscale_protocol::Ending;
use rscale_protocol::arena::{Step, Token};
use std::time::{Duration, Instant};

/// How schedules of a program are run and compared.
pub struct Bench<'a> {
    /// The program.
    pub host: &'a mut Host,
    /// What counts as a finding.
    pub rules: &'a Rules,
    /// Its names.
    pub explainer: &'a Explainer,
}

/// What minimising came to.
pub struct Minimised {
    /// The finding with the smallest schedule.
    pub finding: Finding,
    /// The steps of that schedule.
    pub steps: Vec<Step>,
    /// How many schedules were run.
    pub replays: u64,
    /// Whether there was time for everything.
    pub is_complete: bool,
}

impl Bench<'_> {
    /// Looks for a smaller schedule for a finding that these steps show. What is returned has been run and shows the same.
    pub fn minimise(&mut self, finding: &Finding, steps: &[Step], limit: Duration) -> Minimised {
        let found = Size::of(steps);
        let with = |finding: Finding, steps: Vec<Step>, replays, is_complete| {
            let finding = Finding { minimised_from: Some(found), ..finding };
            Minimised { finding, steps, replays, is_complete }
        };
        // Every run of what hangs takes as long as the limit for hanging.
        if finding.kind == Kind::Hang {
            return Minimised { finding: finding.clone(), steps: steps.to_vec(), replays: 0, is_complete: false };
        }
        self.host.limit(Instant::now().checked_add(limit));
        let mut showing = Showing { bench: self, wanted: finding.identity(), execution: Execution::default() };
        let smallest = minimize(steps, &mut showing);
        self.host.limit(None);
        if smallest.size == found {
            return with(finding.clone(), steps.to_vec(), smallest.replays, smallest.is_complete);
        }
        match self.explained(&smallest.schedule, &finding.identity()) {
            Some((smaller, steps)) => {
                let finding = Finding { trace: finding.trace.clone(), ..smaller };
                with(finding, steps, smallest.replays, smallest.is_complete)
            }
            // Interrupted in between: the finding is as good as it was.
            None => with(finding.clone(), steps.to_vec(), smallest.replays, false),
        }
    }

    /// Runs a schedule once more and explains what it shows, if that is the finding that is wanted.
    pub fn explained(&mut self, schedule: &[Token], wanted: &Identity) -> Option<(Finding, Vec<Step>)> {
        let mut execution = Execution::default();
        match wanted.violation().kind {
            Kind::Race => self.host.run_and_pause(schedule, &mut execution).ok()?,
            _ => self.host.run(Plan::of(schedule), &mut execution).ok()?,
        }
        let shown = property::violations(&execution, self.rules);
        let violation = shown.into_iter().map(|shown| shown.violation).find(|shown| shown == wanted.violation())?;
        let end = execution.end.as_ref()?;
        let finding = self.explainer.finding(self.host.target(), violation, end, &execution.steps);
        (finding.identity() == *wanted).then(|| (finding, execution.steps.to_vec()))
    }

    /// Runs a schedule and compares what it shows.
    pub fn show(&mut self, plan: Plan<'_>, wanted: &Identity, execution: &mut Execution) -> Replayed {
        match self.host.run(plan, execution) {
            Ok(()) => {}
            Err(Failure::OutOfTime) => {
                self.host.recover();
                return Replayed::NoTime;
            }
            Err(_) => return Replayed::NoTime,
        }
        let Some(end) = &execution.end else { return Replayed::Other };
        if end.ending == Ending::Diverged {
            return usize::try_from(end.value).map_or(Replayed::Other, Replayed::Refused);
        }
        let shown = property::violations(execution, self.rules);
        let shown = shown.into_iter().find(|shown| shown.violation == *wanted.violation());
        let Some(Shown { violation, steps }) = shown else { return Replayed::Other };
        if violation.kind == Kind::Race {
            return Replayed::Same(execution.steps[..steps].to_vec());
        }
        let identity = self.explainer.identity(self.host.target(), violation, end, &execution.steps);
        if identity == *wanted { Replayed::Same(execution.steps.to_vec()) } else { Replayed::Other }
    }
}

/// Runs schedules and looks whether they show the finding that is wanted.
struct Showing<'a, 'b> {
    bench: &'a mut Bench<'b>,
    wanted: Identity,
    execution: Execution,
}

impl Replayer for Showing<'_, '_> {
    fn replay(&mut self, schedule: &[Token]) -> Replayed {
        if self.bench.host.is_out_of_time() {
            return Replayed::NoTime;
        }
        self.bench.show(Plan::of(schedule), &self.wanted, &mut self.execution)
    }
}
