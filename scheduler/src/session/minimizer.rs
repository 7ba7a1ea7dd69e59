//! `rscale minimize`: a recorded schedule, made as small as time allows.

use super::host::{Host, Setting};
use super::minimizing::Bench;
use super::{admit, flushes, functions, racing, reversing, stepping};
use crate::config::{ReplayConfig, Rules};
use crate::exit::Failure;
use crate::explain::Witness;
use crate::explore::{Locations, Plan};
use crate::finding::{Finding, Kind};
use crate::frontend::Execution;
use crate::property::{self, Shown};
use rscale_protocol::Ending;
use rscale_protocol::arena::{Engine, LocalStates};
use rscale_replay::trace::{self, Trace};
use std::path::Path;
use std::time::Duration;

/// What minimising a trace came to.
pub struct Minimal {
    /// The finding with its smallest schedule; its trace is the file that was written.
    pub finding: Finding,
    /// How many schedules were run.
    pub replays: u64,
    /// Whether there was time for everything.
    pub is_complete: bool,
}

/// Minimises a schedule and writes the smallest one. None if it shows no finding.
///
/// # Errors
/// Where the program can not be run, the schedule can not be followed, or the file can not be written.
pub fn minimize(config: &ReplayConfig, output: &Path, limit: Duration) -> Result<Option<Minimal>, Failure> {
    let mut host = start(config)?;
    let mut execution = Execution::default();
    let schedule = &config.schedule.trace.tokens;
    host.expect_hang(config.expects_hang());
    host.run(Plan::of(schedule), &mut execution)?;
    host.expect_hang(false);
    host.look_back(&execution);
    let Some(end) = &execution.end else { return Ok(None) };
    if end.ending == Ending::Diverged {
        let place = config.place_of_step(end.value as usize);
        return Err(Failure::CannotRun(format!("{place}: this step is not possible; `rscale replay` says why")));
    }
    let shown = property::violations(&execution, &config.rules).into_iter();
    // A trace says what it is about, and ends where that shows; what comes later in this execution was not asked for.
    let is_other = |shown: &Shown| config.schedule.trace.header.finding != Some(shown.violation.headline());
    let shown = shown.min_by_key(|shown| (is_other(shown), shown.steps < schedule.len(), shown.steps));
    let Some(shown) = shown else { return Ok(None) };
    if shown.violation.kind == Kind::Race {
        execution = racing::halted(&execution.steps[..shown.steps], &mut host)?;
    }
    let Some(end) = &execution.end else { return Ok(None) };
    let explainer = host.explainer();
    let found = explainer.finding(host.target(), shown.violation, end, &execution);
    let mut bench = Bench { host: &mut host, rules: &config.rules, explainer: &explainer };
    let minimised = bench.minimise(&found, &execution.steps, limit);
    let decisive = bench.decisive(&minimised.finding, &minimised.steps, limit / 2);
    let finding = Finding { trace: Some(output.to_owned()), ..minimised.finding };
    let rules = Rules { isolation: host.isolation(), ..config.rules };
    let header = config.origin(&rules).header(&finding, host.thread_origins());
    trace::write(output, &Trace { header, tokens: finding.schedule.clone(), flushed: flushes::names(&finding) })?;
    let mut finding = stepping::watched(finding, Witness::new(explainer), &mut host);
    finding.orderings = reversing::tell(&decisive, &finding, &minimised.steps);
    let finding = racing::told(finding, &mut host);
    Ok(Some(Minimal { finding, replays: minimised.replays, is_complete: minimised.is_complete }))
}

fn start(config: &ReplayConfig) -> Result<Host, Failure> {
    let program = admit::inspect(&config.subject.executable, &mut Vec::new())?;
    let invariants = functions::resolve(&config.invariants.asked(), &config.subject, &config.watched)?;
    let setting = Setting {
        subject: &config.subject,
        args: &config.args,
        rules: &config.rules,
        watched: &config.watched,
        invariants,
        evaluates: false,
        engine: Engine::Fibers,
        local_states: LocalStates::None,
    };
    let mut host = Host::start(&setting, &program)?;
    host.set_thread_origins(&config.schedule.trace.header.threads);
    host.set_locations(&config.locations, &Locations::default());
    Ok(host)
}
