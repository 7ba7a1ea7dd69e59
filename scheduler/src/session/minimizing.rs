//! A finding with a smaller schedule: minimising on the program itself, for a bounded time.

use super::host::Host;
use crate::config::Rules;
use crate::exit::Failure;
use crate::explain::{self, Explainer};
use crate::explore::Plan;
use crate::finding::{Finding, Identity, Kind};
use crate::frontend::Execution;
use crate::minimize::{Replayed, Replayer, Size, Smallest, minimize};
use crate::property::{self, Shown};
use rscale_protocol::arena::{Step, Token};
use rscale_protocol::{Action, Ending};
use std::time::{Duration, Instant};

/// How often it is measured what a run usually takes, and what it takes at least.
const MEASUREMENTS: usize = 3;
const SHORTEST_RUN: Duration = Duration::from_micros(1);
/// How schedules of a program are run and compared.
pub struct Bench<'a> {
    /// The program.
    pub host: &'a mut Host,
    /// What counts as a finding.
    pub rules: &'a Rules,
    /// Its names.
    pub explainer: &'a Explainer,
}

/// Whether this order of steps has been seen to end as it does, or only seemed to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seen {
    /// It has.
    Before,
    /// For as long as there was.
    InHaste,
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
    /// Looks for a smaller schedule for a finding that these steps show. What is returned has been run and shows the
    /// same.
    pub fn minimise(&mut self, finding: &Finding, steps: &[Step], limit: Duration) -> Minimised {
        let found = Size { preemptions: finding.preemptions, ..Size::of(steps, &[]) };
        let wanted = finding.identity();
        let with = |finding: Finding, steps: Vec<Step>, replays, is_complete| {
            let finding = Finding { minimised_from: Some(found), ..finding };
            Minimised { finding, steps, replays, is_complete }
        };
        let deadline = Instant::now().checked_add(limit);
        let mut haste = self.haste(finding.kind, steps);
        let mut replays = 0;
        loop {
            let smallest = self.smallest((steps, found), &wanted, deadline, haste);
            replays += smallest.replays;
            if smallest.size == found {
                return with(finding.clone(), steps.to_vec(), replays, smallest.is_complete);
            }
            let start = Instant::now();
            if let Some((smaller, steps)) = self.explained(&smallest.schedule, &wanted, Seen::InHaste) {
                let finding = Finding { trace: finding.trace.clone(), ..smaller };
                return with(finding, steps, replays, smallest.is_complete);
            }
            // Too hasty, so that something only seemed to hang; or interrupted: the finding is as good as it was.
            let is_over = deadline.is_none_or(|deadline| Instant::now() >= deadline);
            match haste.filter(|_| !is_over && smallest.is_complete && finding.kind == Kind::Hang) {
                Some(before) => haste = Some(start.elapsed().max(before.saturating_mul(2))),
                None => return with(finding.clone(), steps.to_vec(), replays, false),
            }
        }
    }

    /// The smallest schedule that seems to show what is wanted.
    fn smallest(
        &mut self,
        (steps, size): (&[Step], Size),
        wanted: &Identity,
        deadline: Option<Instant>,
        haste: Option<Duration>,
    ) -> Smallest {
        self.host.limit(deadline);
        self.host.hurry(haste);
        let mut showing = Showing { bench: self, wanted: wanted.clone(), execution: Execution::default() };
        let smallest = minimize(steps, size, &mut showing);
        self.host.hurry(None);
        self.host.limit(None);
        smallest
    }

    /// What a run usually takes that does not show the finding, if to show it takes much longer: what hangs takes as
    /// long as the limit for hanging, and what is lost takes several processes. None for all other findings.
    pub fn haste(&mut self, kind: Kind, steps: &[Step]) -> Option<Duration> {
        match kind {
            // However long it takes, one attempt will do.
            Kind::Lost => Some(Duration::MAX),
            Kind::Hang => {
                let schedule = explain::schedule(&steps[..steps.len().saturating_sub(1)]);
                let way = (0..MEASUREMENTS).filter_map(|_| self.time_of(&schedule)).min().unwrap_or_default();
                Some(self.time_to_end().unwrap_or_default().max(way))
            }
            _ => None,
        }
    }

    fn time_of(&mut self, schedule: &[Token]) -> Option<Duration> {
        let start = Instant::now();
        self.host.run_and_pause(schedule, &mut Execution::default()).ok()?;
        Some(start.elapsed().max(SHORTEST_RUN))
    }

    /// What a run to the end takes. What follows the way to the hang may take much longer than that way.
    fn time_to_end(&mut self) -> Option<Duration> {
        let mut execution = Execution::default();
        self.host.hurry(Some(Duration::MAX));
        let start = Instant::now();
        let run = self.host.run(Plan::of(&[]), &mut execution);
        let time = start.elapsed();
        self.host.hurry(None);
        run.ok()?;
        execution.end.is_some_and(|end| end.ending == Ending::Exit).then_some(time)
    }

    /// Runs a schedule once more and explains what it shows, if that is the finding that is wanted.
    pub fn explained(&mut self, schedule: &[Token], wanted: &Identity, seen: Seen) -> Option<(Finding, Vec<Step>)> {
        let mut execution = Execution::default();
        let kind = wanted.violation().kind;
        self.host.expect_hang(kind == Kind::Hang && seen == Seen::Before);
        let run = match kind {
            Kind::Race => self.host.run_and_pause(schedule, &mut execution),
            _ => self.host.run(Plan::of(schedule), &mut execution),
        };
        self.host.expect_hang(false);
        if let Err(Failure::OutOfTime) = run {
            self.host.recover();
        }
        run.ok()?;
        let shown = property::violations(&execution, self.rules);
        let violation = shown.into_iter().map(|shown| shown.violation).find(|shown| shown == wanted.violation())?;
        self.host.look_back(&execution);
        let end = execution.end.as_ref()?;
        let finding = self.explainer.finding(self.host.target(), violation, end, &execution);
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
            return same(execution, steps);
        }
        let identity = self.explainer.identity(self.host.target(), violation, end, &execution.steps);
        if identity == *wanted { same(execution, execution.steps.len()) } else { Replayed::Other }
    }
}

/// The first steps of an execution show the finding.
fn same(execution: &Execution, steps: usize) -> Replayed {
    let (steps, rest) = execution.steps.split_at(steps);
    let next: Vec<Action> = rest.iter().map(|step| step.action).chain(execution.pending.iter().copied()).collect();
    Replayed::Same(steps.to_vec(), Size::of(steps, &next))
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
