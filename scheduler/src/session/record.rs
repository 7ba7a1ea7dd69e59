//! Recording findings: explained while the execution is halted, written to a file, confirmed by running it again, and
//! made as small as time allows.

use super::host::Host;
use super::minimizing::{Bench, Minimised};
use super::{flushes, racing, reversing, stepping};
use crate::config::{Rules, RunConfig};
use crate::exit::Failure;
use crate::explain::{self, Explainer, Witness};
use crate::explore::{Locations, Plan};
use crate::finding::{Finding, Kind};
use crate::frontend::Execution;
use crate::property::{self, Shown, Violation};
use rscale_protocol::{Op, ThreadId, Variable};
use rscale_replay::trace::{self, Trace};
use std::collections::HashSet;

/// The findings of a search.
pub struct Recorder<'a> {
    config: &'a RunConfig,
    findings: Vec<Finding>,
    /// What is known already, in numbers: explaining takes milliseconds, and the same bug may show in most executions.
    seen: HashSet<Sight>,
}

/// A finding before it is explained.
#[derive(PartialEq, Eq, Hash)]
pub struct Sight {
    kind: Kind,
    message: String,
    /// Where the last step of the execution was called from, and what every thread was about to do.
    last: Option<u64>,
    pending: Vec<(ThreadId, Op, Variable, u64)>,
}

impl Sight {
    /// What an execution shows.
    pub fn of(violation: &Violation, execution: &Execution) -> Sight {
        if violation.kind == Kind::Race {
            // It says which code it is about, and what happens elsewhere makes no other race of it.
            return Sight { kind: violation.kind, message: violation.message.clone(), last: None, pending: Vec::new() };
        }
        let pending = execution.pending.iter().map(|action| (action.thread, action.op, action.object, action.pc));
        Sight {
            kind: violation.kind,
            message: violation.message.clone(),
            last: execution.steps.last().map(|step| step.action.pc),
            pending: pending.collect(),
        }
    }
}

impl<'a> Recorder<'a> {
    /// Nothing found yet.
    pub fn new(config: &'a RunConfig) -> Recorder<'a> {
        Recorder { config, findings: Vec::new(), seen: HashSet::new() }
    }

    /// What was found.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// What was found, for good.
    pub fn into_findings(self) -> Vec<Finding> {
        self.findings
    }

    /// Records what the halted execution shows, unless it is known already.
    pub fn record(
        &mut self,
        shown: &Shown,
        execution: &Execution,
        locations: &Locations,
        host: &mut Host,
    ) -> Result<(), Failure> {
        let violation = &shown.violation;
        if !self.seen.insert(Sight::of(violation, execution)) {
            return Ok(());
        }
        let halted;
        let execution = match violation.kind {
            Kind::Race => {
                halted = racing::halted(&execution.steps[..shown.steps], host)?;
                &halted
            }
            _ => execution,
        };
        let Some(end) = &execution.end else { return Ok(()) };
        let explainer = host.explainer();
        let mut finding = explainer.finding(host.target(), violation.clone(), end, &execution.steps);
        let identity = finding.identity();
        if self.findings.iter().any(|known| known.identity() == identity) {
            return Ok(());
        }
        // The file comes first: whatever happens from here on, the finding is not lost.
        finding.trace = Some(trace::numbered_path(&self.config.trace, self.findings.len() + 1));
        self.write(&finding, locations, host)?;
        if violation.kind == Kind::Lost {
            // To see it again may cost the process again, or not: it was tried often enough.
            self.findings.push(finding);
            return Ok(());
        }
        match confirm(&finding, violation, host, &self.config.rules) {
            Err(Failure::Interrupted | Failure::OutOfTime | Failure::OutOfMemory) => {
                finding.explanation.push("not confirmed by a second run: there was no time left".into());
            }
            confirmed => {
                confirmed?;
                finding = self.improved(finding, execution, locations, host, explainer)?;
            }
        }
        self.findings.push(finding);
        Ok(())
    }

    /// The finding with the smallest schedule for which there is time, and with all that is to be said about it. The file
    /// is replaced, whole or not at all.
    fn improved(
        &self,
        finding: Finding,
        execution: &Execution,
        locations: &Locations,
        host: &mut Host,
        explainer: Explainer,
    ) -> Result<Finding, Failure> {
        let Some(limit) = self.config.minimize else {
            return Ok(racing::told(stepping::watched(finding, Witness::new(explainer), host), host));
        };
        let mut bench = Bench { host, rules: &self.config.rules, explainer: &explainer };
        let Minimised { finding, steps, .. } = bench.minimise(&finding, &execution.steps, limit);
        let decisive = bench.decisive(&finding, &steps, limit / 2);
        self.write(&finding, locations, host)?;
        let mut finding = stepping::watched(finding, Witness::new(explainer), host);
        finding.orderings = reversing::tell(&decisive, &finding, &steps);
        Ok(racing::told(finding, host))
    }

    /// Writes the trace of a finding.
    fn write(&self, finding: &Finding, locations: &Locations, host: &Host) -> Result<(), Failure> {
        let Some(path) = &finding.trace else { return Ok(()) };
        let rules = Rules { isolation: host.isolation(), ..self.config.rules };
        let header = self.config.origin(&rules, locations).header(finding, host.thread_origins());
        let trace = Trace { header, tokens: finding.schedule.clone(), flushed: flushes::names(finding) };
        // Without its file a finding can not be shown again; what it is shall be known all the same.
        trace::write(path, &trace).map_err(|error| {
            let place = finding.location.as_ref().map_or_else(String::new, |place| format!(" at {place}"));
            Failure::CannotRun(format!("found {}{place}, but {error}", finding.headline()))
        })
    }
}

/// Runs the schedule again: the same must happen.
fn confirm(finding: &Finding, violation: &Violation, host: &mut Host, rules: &Rules) -> Result<(), Failure> {
    let mut again = Execution::default();
    host.run(Plan::of(&finding.schedule), &mut again)?;
    let shows_again = |shown: &Shown| {
        shown.violation == *violation && explain::schedule(&again.steps[..shown.steps]) == finding.schedule
    };
    if property::violations(&again, rules).iter().any(shows_again) {
        return Ok(());
    }
    Err(Failure::Nondeterministic(format!(
        "found {}, but the same schedule did not show it again: something outside of rscale's control decides what the \
         program does; the schedule is in {}",
        finding.headline(),
        finding.trace.as_ref().map_or_else(String::new, |path| path.display().to_string())
    )))
}
