//! A session: everything between a checked command line and a result.
//!
//! [`run`] is SCALE's generic scheduler (Algorithm 7), with whole executions in place of single steps: run the schedule
//! that the strategy decides on, check the properties, let the strategy read the execution, until nothing is left.

mod admit;
mod bounds;
mod containers;
mod crew;
mod debugging;
mod depicting;
mod flushes;
mod functions;
mod glance;
mod guarantee;
mod host;
mod minimizer;
mod minimizing;
mod outcomes;
mod racing;
mod record;
mod resume;
mod retracing;
mod reversing;
mod seating;
mod simulator;
mod stepping;
mod unseen;

pub use admit::{coverage, warnings};
pub use debugging::{Debuggee, Position};
pub use depicting::{Depicted, depict};
pub use minimizer::{Minimal, minimize};
pub use resume::Keeping;
pub use simulator::replay;

use crate::backend::Guess;
use crate::config::{FilterChoice, Rules, RunConfig, Scope};
use crate::exit::Failure;
use crate::explore::{Absorbed, Counts, Divergence, Locations, SavedCrew, Strategy};
use crate::filters::{self, Terms};
use crate::frontend::Execution;
use crate::interrupt;
use crate::journal::Journal;
use crate::property;
use crate::report::progress::{Counters, Progress};
use crate::summary::{Summary, Verdict};
use bounds::{Bounds, Stop};
use glance::Glances;
use host::{Host, Setting};
use outcomes::Outcomes;
use record::Recorder;
use rscale_instrument::elf::Program;
use rscale_protocol::Ending;
use rscale_protocol::arena::Engine;
use std::time::Duration;

/// The filters of a search for which the user names none: one execution per Mazurkiewicz trace. A budget of spurious
/// wake-ups, which all threads share, is part of the state and of no order; and what an invariant reads is ordered by
/// nothing where accesses are no steps. So then states are compared.
fn default_filters(config: &RunConfig) -> &'static [FilterChoice] {
    const OPTIMAL: [FilterChoice; 1] = [FilterChoice::new("optimal", None)];
    const STATES: [FilterChoice; 1] = [FilterChoice::new("nsb", None)];
    let sees_invariants = config.invariants.names.is_empty() || config.rules.scope == Scope::All;
    if config.rules.spurious == 0 && sees_invariants { &OPTIMAL } else { &STATES }
}

/// Explores the schedules of a program.
///
/// # Errors
/// Where the program can not be run, or can not be controlled.
pub fn run(config: &RunConfig, keeping: Keeping, progress: &mut Progress) -> Result<Summary, Failure> {
    let is_first = config.deterministic && !config.keep_going;
    let jobs = if config.deterministic && config.keep_going { 1 } else { config.jobs };
    match run_with(jobs, config, keeping, progress)? {
        // Several workers have found something, by chance before something else: one worker finds what it finds.
        summary if is_first && summary.jobs > 1 && summary.verdict == Verdict::Bug => {
            run_with(1, config, Keeping::Nothing, progress)
        }
        summary => Ok(summary),
    }
}

fn run_with(jobs: u32, config: &RunConfig, keeping: Keeping, progress: &mut Progress) -> Result<Summary, Failure> {
    let mut summary = Summary::new(config);
    let program = admit::inspect(&config.subject.executable, &mut summary.notes)?;
    let filters = config.filters.as_deref().unwrap_or_else(|| default_filters(config));
    let setting = Setting {
        subject: &config.subject,
        args: &config.args,
        rules: &config.rules,
        watched: &config.watched,
        invariants: functions::resolve(&config.invariants.asked(), &config.subject, &config.watched)?,
        evaluates: false,
        engine: Engine::Fibers,
        local_states: admit::local_states(filters, &program, config),
    };
    summary.notes.extend(functions::notes(&setting.invariants));
    if config.rules.races && !program.has_debug_info {
        summary.notes.push(
            "the program has no debug information: atomic loads and stores can not be told from plain ones, and are \
             reported as races; compile with -g"
                .into(),
        );
    }
    let host = Host::start(&setting, &program)?;
    summary.filters = filters.iter().map(ToString::to_string).collect();
    let Rules { seed, scope, memory, .. } = config.rules;
    let has_invariants = !config.invariants.names.is_empty();
    let terms = Terms { seed, sees_accesses: scope == Scope::All, memory, has_invariants };
    let mut exploration = Exploration {
        config,
        search: filters::strategy(filters, terms),
        locations: Locations::default(),
        observed: Locations::default(),
        host,
        recorder: Recorder::new(config),
        outcomes: config.outcomes.then(Outcomes::default),
        bounds: Bounds::new(config),
        journal: None,
        filters,
        terms,
        jobs,
        alone_until: config.alone,
        was_together: false,
        together: None,
        crew: None,
        lost: 0,
        glances: None,
        notes: Vec::new(),
    };
    exploration.host.set_deadline(exploration.bounds.deadline());
    exploration.host.set_memory_limit(config.max_memory.as_ref().map(|size| size.bytes));
    exploration.sit();
    let stopped = exploration.keep(keeping)?;
    exploration.note_single_worker();
    let stop = match stopped {
        Some(stop) => stop,
        None => {
            exploration.glances = Glances::beside(filters, terms, exploration.search.counts().started());
            exploration.explore(progress)?
        }
    };
    exploration.host.sit(None);
    exploration.keep_state(true);
    exploration.summarise(stop, &mut summary);
    note_threads(config, &program, &mut summary);
    Ok(summary)
}

/// Notes about programs with several threads, and with one. Libraries may start threads for a program that does not seem
/// to, and many programs start none unless there is much to do: what has happened counts.
fn note_threads(config: &RunConfig, program: &Program, summary: &mut Summary) {
    if summary.max_depth > 0 && config.rules.scope == Scope::All {
        summary.notes.extend(unseen::note(program));
        summary.notes.extend(containers::note(program, &config.watched.libraries));
    }
    if summary.max_depth == 0 && summary.executions > 0 {
        summary.notes.push("the program has created no threads: there is one schedule".into());
    }
}

/// A search under way.
struct Exploration<'a> {
    config: &'a RunConfig,
    search: Box<dyn Strategy>,
    /// The communication variables in memory that are known so far.
    locations: Locations,
    /// What invariants read: locations, and synchronisation objects.
    observed: Locations,
    host: Host,
    recorder: Recorder<'a>,
    outcomes: Option<Outcomes>,
    bounds: Bounds,
    journal: Option<Journal>,
    filters: &'a [FilterChoice],
    terms: Terms,
    /// How many may search.
    jobs: u32,
    /// When others may begin to help.
    alone_until: Duration,
    /// Whether several workers have searched, and what they have done, if the search does not know.
    was_together: bool,
    together: Option<Counts>,
    /// What several workers knew in another process.
    crew: Option<SavedCrew>,
    /// Executions that were lost with their process.
    lost: u64,
    /// When to look at schedules with few preemptions.
    glances: Option<Glances>,
    /// What the user should know.
    notes: Vec<String>,
}

impl Exploration<'_> {
    fn explore(&mut self, progress: &mut Progress) -> Result<Stop, Failure> {
        let mut execution = Execution::default();
        loop {
            if let Some(stop) = self.bounds.reached(&self.search.counts()) {
                return Ok(stop);
            }
            if self.crew.is_some() || self.needs_help() {
                match self.go_on_together(progress)? {
                    Stop::Exhausted if self.goes_on_alone() => continue,
                    stop => return Ok(stop),
                }
            }
            if let Some(stop) = self.glance(self.search.counts().started())? {
                return Ok(stop);
            }
            let Some(plan) = self.search.next_schedule() else { return Ok(Stop::Exhausted) };
            match self.host.run(plan, &mut execution) {
                Ok(()) => {}
                Err(Failure::Interrupted) if self.search.counts().started() > 0 => return Ok(Stop::Interrupted),
                Err(Failure::OutOfTime) if self.search.counts().started() > 0 => return Ok(Stop::Time),
                Err(Failure::OutOfMemory) if self.search.counts().started() > 0 => return Ok(Stop::Memory),
                Err(failure) => return Err(failure),
            }
            let output = (self.outcomes.is_some() || self.search.reads_output()).then(|| self.host.output());
            let is_finding = self.check(&execution)?;
            if execution.is_lost() {
                self.give_up()?;
                continue;
            }
            let stops = is_finding && !self.config.keep_going;
            if !stops && self.finds_locations(&execution) {
                progress.tick(|| self.counters(execution.steps.len()));
                continue;
            }
            let before = self.search.counts().executions;
            output.iter().for_each(|[stdout, _]| self.search.note_output(stdout));
            let runs_ahead = !is_finding && execution.ending() == Some(Ending::Exit);
            if runs_ahead && self.host.dares_ahead() {
                self.search.foreseen().into_iter().for_each(|plan| self.host.run_ahead(plan, Guess::Bold));
            }
            match self.search.begin_absorbing(&execution) {
                Absorbed::Diverged(divergence) if !is_finding => return Err(nondeterministic(&self.host, &divergence)),
                Absorbed::Diverged(_) => {}
                Absorbed::Astray => return Err(crew::does_not_fit()),
                Absorbed::Added => {
                    execution.steps.settle();
                    if runs_ahead && self.host.can_run_ahead() {
                        self.search.foreseen().into_iter().for_each(|plan| self.host.run_ahead(plan, Guess::Certain));
                    }
                    self.search.finish_absorbing();
                }
            }
            if let (Some(outcomes), Some(end), Some([stdout, _])) = (&mut self.outcomes, &execution.end, output) {
                outcomes.add(end, stdout, self.search.counts().executions > before);
            }
            self.keep_state(is_finding);
            if stops {
                return Ok(Stop::Found);
            }
            if self.search.was_wrong() {
                self.begin_anew(0);
            }
            progress.tick(|| self.counters(execution.steps.len()));
        }
    }

    /// Goes on without what lies behind an execution that was lost.
    fn give_up(&mut self) -> Result<(), Failure> {
        if self.search.counts().runs == 0 {
            return Err(killed_at_once());
        }
        self.search.give_up();
        self.lost += 1;
        Ok(())
    }

    /// Whether the execution showed that more locations matter than was known. Then what a step is changes, and the
    /// search begins anew: executions before this one had no unordered accesses there, but their schedules do not name
    /// the new steps.
    fn finds_locations(&mut self, execution: &Execution) -> bool {
        let Some(end) = &execution.end else { return false };
        let has_grown = crew::learn(end, self.config.rules.scope, &mut self.locations, &mut self.observed);
        if has_grown {
            self.host.set_locations(&self.locations, &self.observed);
            self.begin_anew(1);
        }
        has_grown
    }

    fn begin_anew(&mut self, discarded: u64) {
        self.search.begin_anew(discarded);
        self.recorder.begin_anew(&self.locations);
        self.glances.iter_mut().for_each(Glances::begin_anew);
        self.alone_until = self.bounds.elapsed() + self.config.alone;
        if self.search.counts().runs == 0 {
            self.outcomes = self.config.outcomes.then(Outcomes::default);
        }
    }

    /// Looks at what the execution shows. Returns whether it is a finding.
    fn check(&mut self, execution: &Execution) -> Result<bool, Failure> {
        let is_lost_at_once = execution.is_lost() && self.search.counts().runs == 0;
        if is_lost_at_once || execution.ending().is_none_or(|ending| ending == Ending::Diverged) {
            return Ok(false);
        }
        let mut shown = property::violations(execution, &self.config.rules);
        if shown.is_empty() {
            return Ok(false);
        }
        if !self.config.keep_going {
            shown.truncate(1);
        }
        let before = self.recorder.count();
        for shown in &shown {
            self.recorder.record(shown, execution, &self.locations, &mut self.host)?;
        }
        self.search.note_findings((self.recorder.count() - before) as u64);
        self.keep_findings(before);
        Ok(true)
    }

    fn counters(&self, depth: usize) -> Counters {
        Counters {
            executions: self.search.counts().started(),
            depth: depth as u64,
            findings: self.recorder.count() as u64,
            explored: self.search.explored(),
        }
    }

    fn summarise(mut self, stop: Stop, summary: &mut Summary) {
        let counts = self.together.unwrap_or_else(|| self.search.counts());
        summary.jobs = if self.was_together { self.jobs } else { 1 };
        let elapsed = self.bounds.elapsed().as_secs_f64();
        summary.runs = counts.runs;
        summary.executions = counts.executions;
        summary.blocked = counts.blocked;
        summary.discarded = counts.discarded;
        summary.race_checks = counts.race_checks;
        summary.dependence_checks = counts.dependence_checks;
        summary.unsatisfiable_systems = counts.unsatisfiable;
        summary.states = counts.states;
        summary.transitions = counts.transitions;
        summary.max_depth = counts.max_depth;
        summary.elapsed_s = elapsed;
        summary.executions_per_s = if elapsed > 0.0 { counts.started() as f64 / elapsed } else { 0.0 };
        summary.peak_rss_kib = peak_memory();
        summary.search_bytes = self.search.memory() as u64;
        summary.isolation = crate::summary::isolation_name(self.host.isolation()).into();
        summary.notes.append(&mut self.host.take_notes());
        summary.notes.append(&mut self.notes);
        summary.notes.extend(self.journal.as_mut().and_then(Journal::trouble).map(str::to_owned));
        summary.outcomes = self.outcomes.map(Outcomes::into_table).unwrap_or_default();
        let stop = if interrupt::requested() { Stop::Interrupted } else { stop };
        summary.levels = self.search.levels();
        let found = self.recorder.count() > 0;
        let end = guarantee::End { stop, found, counts, lost: self.lost };
        let covered = guarantee::of(&*self.search, end, self.config, self.host.target());
        if stop == Stop::Exhausted && guarantee::was_cut_at_bound(&*self.search) {
            summary.notes.extend(self.recorder.findings_from_before().map(guarantee::beyond));
        }
        summary.findings = self.recorder.into_findings();
        summary.complete = covered.complete;
        summary.guarantee = covered.text;
        summary.unwatched = covered.unwatched;
        summary.verdict = match (summary.findings.is_empty(), covered.complete) {
            (false, _) => Verdict::Bug,
            (true, true) => Verdict::Clean,
            (true, false) => Verdict::Incomplete,
        };
    }
}

/// Not even the first execution comes to an end.
fn killed_at_once() -> Failure {
    Failure::CannotRun(
        "the program was killed from outside (SIGKILL) several times in a row, perhaps for want of memory".into(),
    )
}

/// The program did something else than before.
fn nondeterministic(host: &Host, divergence: &Divergence) -> Failure {
    let explainer = host.explainer();
    let line = |step| explainer.steps(&[step], host.target()).remove(0);
    let expected = line(divergence.expected);
    let got = divergence.got.map(line);
    let place = |view: &crate::finding::StepView| {
        format!("thread {} {} at {}", view.token.thread, view.summary(), view.location)
    };
    Failure::Nondeterministic(format!(
        "the program does not do the same under the same schedule: at step {}, expected {}, got {}. Something \
         outside of rscale's control decides what it does (addresses, uninitialised memory, hardware, other processes)",
        divergence.index + 1,
        place(&expected),
        got.as_ref().map_or_else(|| "no such step".to_string(), place),
    ))
}

/// Most memory that this process has used, in KiB.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
