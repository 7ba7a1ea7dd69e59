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
mod exploring;
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
mod summarising;
mod unseen;

pub use admit::{coverage, warnings};
pub use debugging::{Debuggee, Position};
pub use depicting::{Depicted, depict};
pub use minimizer::{Minimal, minimize};
pub use resume::Keeping;
pub use simulator::replay;

use crate::config::{FilterChoice, Rules, RunConfig, Scope};
use crate::exit::Failure;
use crate::explore::{Counts, Locations, SavedCrew, Strategy};
use crate::filters::{self, Terms};
use crate::journal::Journal;
use crate::report::progress::Progress;
use crate::summary::{Summary, Verdict};
use bounds::{Bounds, Stop};
use exploring::{killed_at_once, nondeterministic};
use glance::Glances;
use host::{Host, Setting};
use outcomes::Outcomes;
use record::Recorder;
use rscale_instrument::elf::Program;
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
    summary.notes.extend(note_missing_debug_info(config, &program));
    let host = Host::start(&setting, &program)?;
    summary.filters = filters.iter().map(ToString::to_string).collect();
    let mut exploration = Exploration::new(jobs, config, filters, host);
    let stop = exploration.carry_out(keeping, progress)?;
    exploration.summarise(stop, &mut summary);
    summarising::note_threads(config, &program, &mut summary);
    Ok(summary)
}

/// Which objects are atomic, types say.
fn note_missing_debug_info(config: &RunConfig, program: &Program) -> Option<String> {
    (config.rules.races && !program.has_debug_info).then(|| {
        "the program has no debug information: atomic loads and stores can not be told from plain ones, and are \
         reported as races; compile with -g"
            .into()
    })
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

impl<'a> Exploration<'a> {
    fn new(jobs: u32, config: &'a RunConfig, filters: &'a [FilterChoice], host: Host) -> Exploration<'a> {
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
        exploration
    }

    /// Explores, from the start or from where an earlier process was, until something stops it.
    fn carry_out(&mut self, keeping: Keeping, progress: &mut Progress) -> Result<Stop, Failure> {
        self.sit();
        let stopped = self.keep(keeping)?;
        self.note_single_worker();
        let stop = match stopped {
            Some(stop) => stop,
            None => {
                self.glances = Glances::beside(self.filters, self.terms, self.search.counts().started());
                self.explore(progress)?
            }
        };
        self.host.sit(None);
        self.keep_state(true);
        Ok(stop)
    }
}
