//! Recording findings: explained while the execution is halted, written to a file, confirmed by running it again, and
//! made as small as time allows.

use super::host::Host;
use super::minimizing::{Bench, Minimised};
use super::retracing::{self, Retraced};
use super::{flushes, racing, reversing, stepping};
use crate::backend::RunEnd;
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
    found: Vec<Found>,
    /// The locations of which accesses are steps in that search.
    world: Locations,
    /// What it is known to show, in numbers: explaining takes milliseconds, and the same bug may show in most
    /// executions.
    seen: HashSet<Sight>,
    /// The names of the program, for those that are known already in words alone.
    explainer: Option<Explainer>,
}

/// How often an execution is run again because its process was killed while it was looked at.
const ATTEMPTS: u32 = 3;

/// An execution that shows something.
#[derive(Clone, Copy)]
struct Scene<'e> {
    shown: &'e Shown,
    execution: &'e Execution,
    /// The locations of which accesses are steps in it.
    locations: &'e Locations,
}

/// A finding.
struct Found {
    finding: Finding,
    /// What is a step in its schedule.
    locations: Locations,
    /// Whether it has shown in the search as it is now, with steps as they are known now.
    shows: bool,
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
        Recorder { config, found: Vec::new(), world: Locations::default(), seen: HashSet::new(), explainer: None }
    }

    /// The search begins anew, with accesses of these locations as steps.
    pub fn begin_anew(&mut self, world: &Locations) {
        self.world = world.clone();
        self.seen.clear();
        self.found.iter_mut().for_each(|found| found.shows = false);
    }

    /// The search goes on with these locations; nobody knows in which of its worlds another process found what is
    /// known.
    pub fn go_on(&mut self, world: &Locations) {
        self.begin_anew(world);
        self.found.iter_mut().for_each(|found| found.shows = true);
    }

    /// What was found before the search last began anew, and has not shown since.
    pub fn findings_from_before(&self) -> impl Iterator<Item = &Finding> {
        self.found.iter().filter(|found| !found.shows).map(|found| &found.finding)
    }

    /// How many were found.
    pub fn count(&self) -> usize {
        self.found.len()
    }

    /// What was found from this one on, each with the locations of which accesses are steps in its schedule.
    pub fn findings_from(&self, first: usize) -> impl Iterator<Item = (&Finding, &Locations)> {
        self.found.iter().skip(first).map(|found| (&found.finding, &found.locations))
    }

    /// What was found, for good.
    pub fn into_findings(self) -> Vec<Finding> {
        self.found.into_iter().map(|found| found.finding).collect()
    }

    /// Records what the halted execution shows, unless it is known already.
    pub fn record(
        &mut self,
        shown: &Shown,
        execution: &Execution,
        locations: &Locations,
        host: &mut Host,
    ) -> Result<(), Failure> {
        let is_current = *locations == self.world;
        if is_current && !self.seen.insert(Sight::of(&shown.violation, execution)) {
            return Ok(());
        }
        self.look_at(Scene { shown, execution, locations }, host, ATTEMPTS)
    }

    /// Records what the halted execution shows. What was read of a process that somebody killed meanwhile may be wrong:
    /// then another one is brought to the same state, and looked at again.
    fn look_at(&mut self, scene: Scene<'_>, host: &mut Host, attempts: u32) -> Result<(), Failure> {
        let Scene { shown: Shown { violation, steps }, execution, locations } = scene;
        let halted;
        let execution = match violation.kind {
            Kind::Race => {
                halted = racing::halted(&execution.steps[..*steps], host)?;
                &halted
            }
            _ => execution,
        };
        let Some(end) = &execution.end else { return Ok(()) };
        host.look_back(execution);
        let is_current = *locations == self.world;
        if let Some(known) = self.known(violation, end, execution, host) {
            known.shows |= is_current;
            return Ok(());
        }
        let explainer = host.explainer();
        let finding = explainer.finding(host.target(), violation.clone(), end, execution);
        if attempts > 0 && !end.is_lost() && !host.target().is_there() {
            let mut again = Execution::default();
            run_again(&finding, host, &mut again)?;
            return self.look_at(Scene { execution: &again, ..scene }, host, attempts - 1);
        }
        self.add(finding, Scene { execution, ..scene }, host, explainer)
    }

    /// Adds a finding that is new.
    fn add(
        &mut self,
        mut finding: Finding,
        scene: Scene<'_>,
        host: &mut Host,
        explainer: Explainer,
    ) -> Result<(), Failure> {
        let Scene { shown: Shown { violation, .. }, execution, locations } = scene;
        // The file comes first: whatever happens from here on, the finding is not lost.
        finding.trace = Some(trace::numbered_path(&self.config.trace, self.count() + 1));
        self.write(&finding, locations, host)?;
        let mut stepped = locations.clone();
        // What was lost has been tried often enough.
        let is_confirmed = violation.kind == Kind::Lost;
        match if is_confirmed { Ok(()) } else { confirm(&finding, violation, host, &self.config.rules) } {
            Err(Failure::Interrupted | Failure::OutOfTime | Failure::OutOfMemory) => {
                finding.explanation.push("not confirmed by a second run: there was no time left".into());
            }
            confirmed => {
                confirmed?;
                (finding, stepped) = self.improved(finding, execution, locations, host, explainer)?;
            }
        }
        if stepped != *locations {
            host.set_locations(locations, &Locations::default());
        }
        self.found.push(Found { finding, locations: stepped, shows: *locations == self.world });
        Ok(())
    }

    /// The finding that this is, if it was found before, in an execution that ended otherwise for other threads. To
    /// tell that takes a place and few words: nothing else is explained.
    fn known(&mut self, violation: &Violation, end: &RunEnd, execution: &Execution, host: &Host) -> Option<&mut Found> {
        if self.found.is_empty() {
            return None;
        }
        let target = host.target();
        let kept = self.explainer.take().and_then(|explainer| explainer.again(target));
        let explainer = self.explainer.insert(kept.unwrap_or_else(|| host.explainer()));
        let identity = explainer.identity(target, violation.clone(), end, &execution.steps);
        self.found.iter_mut().find(|known| known.finding.identity() == identity)
    }

    /// The finding with the smallest schedule for which there is time, with all that is to be said about it, and with
    /// what is a step there. The file is replaced, whole or not at all.
    fn improved(
        &self,
        finding: Finding,
        execution: &Execution,
        locations: &Locations,
        host: &mut Host,
        explainer: Explainer,
    ) -> Result<(Finding, Locations), Failure> {
        let Some(limit) = self.config.minimize else {
            let watched = stepping::watched(finding, Witness::new(explainer), host);
            return Ok((racing::told(watched, host), locations.clone()));
        };
        let mut bench = Bench { host, rules: &self.config.rules, explainer: &explainer };
        // What invariants read is a matter of the search.
        let has_invariants = !self.config.invariants.names.is_empty();
        let retraced = || retracing::retrace(&finding, execution, locations, &mut bench);
        let Retraced { finding, steps, locations } = (!has_invariants).then(retraced).flatten().unwrap_or_else(|| {
            Retraced { steps: execution.steps.to_vec(), locations: locations.clone(), finding: finding.clone() }
        });
        let Minimised { finding, steps, .. } = bench.minimise(&finding, &steps, limit);
        let decisive = bench.decisive(&finding, &steps, limit / 2);
        self.write(&finding, &locations, host)?;
        let mut finding = stepping::watched(finding, Witness::new(explainer), host);
        finding.orderings = reversing::tell(&decisive, &finding, &steps);
        Ok((racing::told(finding, host), locations))
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

/// Runs the schedule of a finding, and on to the end.
fn run_again(finding: &Finding, host: &mut Host, again: &mut Execution) -> Result<(), Failure> {
    host.expect_hang(finding.kind == Kind::Hang);
    let run = host.run(Plan::of(&finding.schedule), again);
    host.expect_hang(false);
    run
}

/// Runs the schedule again: the same must happen.
fn confirm(finding: &Finding, violation: &Violation, host: &mut Host, rules: &Rules) -> Result<(), Failure> {
    let mut again = Execution::default();
    run_again(finding, host, &mut again)?;
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
