//! What the user asked for, checked and resolved: all that the session needs to know.
//!
//! Everything that can be wrong with a command line is found here, before the program is started for the first time.

mod combinations;
mod duration;
mod filters;
mod invariants;
mod origin;
mod rules;
mod size;
mod watched;

pub use combinations::{Surroundings, check_combination};
pub use duration::parse_duration;
pub use filters::{FilterChoice, parse_filters};
pub use invariants::Invariants;
pub use origin::Origin;
pub use rules::{Rules, Scope};
pub use size::{Size, parse_size};
pub use watched::Watched;

use crate::compile::Subject;
use crate::exit::Failure;
use crate::explore::Locations;
use crate::finding::Kind;
use rscale_protocol::arena::Engine;
use rscale_replay::trace::{self, Parsed};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A search.
#[derive(Debug)]
pub struct RunConfig {
    /// The program.
    pub subject: Subject,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// What a schedule means.
    pub rules: Rules,
    /// Which code is watched.
    pub watched: Watched,
    /// What must hold in every state.
    pub invariants: Invariants,
    /// The filters, in order; None for the default.
    pub filters: Option<Vec<FilterChoice>>,
    /// Whether to go on after the first finding.
    pub keep_going: bool,
    /// Whether to tabulate the distinct ends of the program.
    pub outcomes: bool,
    /// Parallel workers, at most.
    pub jobs: u32,
    /// Whether the user has said how many.
    pub wants_jobs: bool,
    /// Whether the first finding does not depend on which worker is faster.
    pub deterministic: bool,
    /// How long the first of them goes on alone, since the search last began anew.
    pub alone: Duration,
    /// Bound on the number of executions.
    pub max_executions: Option<u64>,
    /// Bound on the memory of rscale and all that it starts.
    pub max_memory: Option<Size>,
    /// Bound on the time.
    pub time_limit: Option<Duration>,
    /// How long to look for a smaller schedule of each finding; None for not at all.
    pub minimize: Option<Duration>,
    /// Where the trace of the first finding goes; see [`trace::numbered_path`] for the others.
    pub trace: PathBuf,
    /// What the user should know about the request.
    pub notes: Vec<String>,
}

impl RunConfig {
    /// How long smaller schedules of a finding are looked for unless the user says otherwise.
    pub const MINIMIZE: Duration = Duration::from_secs(1);
    /// How long one worker goes on alone: most searches end before others could help.
    pub const ALONE: Duration = Duration::from_millis(50);

    /// What its traces say about their executions, under the rules that a finding was made with.
    #[must_use]
    pub fn origin<'a>(&'a self, rules: &'a Rules, locations: &'a Locations) -> Origin<'a> {
        let RunConfig { subject, args, watched, invariants, .. } = self;
        Origin { subject, args, rules, watched, invariants, locations }
    }
}

/// A replay of one schedule.
#[derive(Debug)]
pub struct ReplayConfig {
    /// The program.
    pub subject: Subject,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// What the schedule means.
    pub rules: Rules,
    /// Which code is watched.
    pub watched: Watched,
    /// What must hold in every state.
    pub invariants: Invariants,
    /// The communication variables in memory.
    pub locations: Locations,
    /// What the threads of the program run on.
    pub engine: Engine,
    /// The file that the schedule comes from.
    pub path: PathBuf,
    /// The schedule, and where each step stands in the file.
    pub schedule: Parsed,
    /// What the user wants to know of a state.
    pub query: Query,
}

/// What to find out in a state of a replay.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Query {
    /// The state after so many steps; None for the last one.
    pub after: Option<usize>,
    /// Functions to evaluate there.
    pub functions: Vec<String>,
    /// Whether to show the stacks of all threads.
    pub back_trace: bool,
}

impl ReplayConfig {
    /// Reads the trace and prepares the program that it names, unless the user names another.
    ///
    /// # Errors
    /// When the file is no trace, names no program, or the program is not the one it was recorded with.
    pub fn load(path: &Path, program: Option<&Path>, args: Vec<OsString>, engine: Engine) -> Result<Self, Failure> {
        let schedule = trace::read(path)?;
        let header = &schedule.trace.header;
        let given = program.or(header.program.as_deref().map(Path::new)).ok_or_else(|| {
            Failure::Usage(format!(
                "{} does not say which program it is a trace of; add --program PATH",
                path.display()
            ))
        })?;
        let subject = Subject::prepare(given)?;
        if header.program_hash.as_ref().is_some_and(|recorded| *recorded != subject.hash) {
            return Err(Failure::CannotRun(format!(
                "{} is not the program that {} was recorded with: it has changed since; record a new trace with \
                 `rscale run`, or remove the line \"# hash:\" to try the schedule all the same",
                given.display(),
                path.display()
            )));
        }
        let cannot = |reason: String| Failure::CannotRun(format!("{}: {reason}", path.display()));
        let locations = Locations::from_text(header.option(Origin::LOCATIONS).unwrap_or_default())
            .ok_or_else(|| cannot("the option \"locations\" makes no sense".into()))?;
        let (watched, options) = Watched::from_options(&header.options);
        let (invariants, mut options) = Invariants::from_options(&options);
        options.retain(|(name, _)| name != Origin::LOCATIONS);
        let rules = Rules::from_options(&options).map_err(cannot)?;
        let args = if args.is_empty() { header.arguments.clone() } else { args };
        Ok(ReplayConfig {
            subject,
            args,
            rules,
            watched,
            invariants,
            locations,
            engine,
            path: path.to_owned(),
            schedule,
            query: Query::default(),
        })
    }

    /// What a trace says about the execution that it is a schedule of.
    #[must_use]
    pub fn origin<'a>(&'a self, rules: &'a Rules) -> Origin<'a> {
        let ReplayConfig { subject, args, watched, invariants, locations, .. } = self;
        Origin { subject, args, rules, watched, invariants, locations }
    }

    /// Adds what the user wants to know.
    ///
    /// # Errors
    /// When there is no such state.
    pub fn with_query(mut self, query: Query) -> Result<Self, Failure> {
        self.check_step(query.after)?;
        self.query = query;
        Ok(self)
    }

    /// Whether the schedule has so many steps.
    ///
    /// # Errors
    /// When it has not.
    pub fn check_step(&self, after: Option<usize>) -> Result<(), Failure> {
        let steps = self.schedule.trace.tokens.len();
        match after.filter(|&after| after > steps) {
            None => Ok(()),
            Some(after) => Err(Failure::Usage(format!(
                "--break {after}: the schedule of {} has {}",
                self.path.display(),
                crate::report::count(steps as u64, "step")
            ))),
        }
    }

    /// Whether the trace says that it ends in a hang.
    #[must_use]
    pub fn expects_hang(&self) -> bool {
        self.schedule.trace.header.finding.as_deref().and_then(Kind::of_headline) == Some(Kind::Hang)
    }

    /// Where a step stands: `trace.txt: line 3, column 7`.
    #[must_use]
    pub fn place_of_step(&self, index: usize) -> String {
        match self.schedule.positions.get(index) {
            Some(position) => format!("{}: {position}", self.path.display()),
            None => format!("{}: after the last step", self.path.display()),
        }
    }
}

#[cfg(test)]
impl RunConfig {
    /// A configuration that names no real program.
    pub fn sample() -> RunConfig {
        let filters = vec![FilterChoice::new("nsb", None), FilterChoice::new("db", Some(5))];
        RunConfig {
            subject: Subject::sample("./a.out"),
            args: vec!["3".into()],
            rules: Rules::default(),
            watched: Watched::default(),
            invariants: Invariants::default(),
            filters: Some(filters),
            keep_going: false,
            outcomes: false,
            jobs: 1,
            alone: RunConfig::ALONE,
            wants_jobs: false,
            deterministic: false,
            max_memory: None,
            max_executions: None,
            time_limit: None,
            minimize: None,
            trace: "trace.txt".into(),
            notes: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::TemporaryDirectory;
    use crate::finding::samples;
    use rscale_replay::trace::Trace;
    use std::fs;

    #[test]
    fn a_trace_finds_its_program_again_and_notices_a_change() {
        let directory = TemporaryDirectory::create().expect("a directory");
        let program = directory.path().join("program");
        fs::copy("/bin/true", &program).expect("a copy of a program");
        let mut config = RunConfig::sample();
        config.subject = Subject::prepare(&program).expect("an executable");
        config.rules.seed = 7;
        let finding = samples::deadlock();
        let mut locations = Locations::default();
        locations.add(0x4000, 8);
        config.watched.excluded.push("log".into());
        config.invariants.names.push("ns::sorted()".into());
        let header = config.origin(&config.rules, &locations).header(&finding, Vec::new());
        let path = directory.path().join("trace.txt");
        trace::write(&path, &Trace { header, tokens: finding.schedule, ..Trace::default() }).expect("written");

        let replay = ReplayConfig::load(&path, None, Vec::new(), Engine::Fibers).expect("replayable");
        assert_eq!((replay.subject.given.as_path(), replay.rules), (program.as_path(), config.rules));
        assert_eq!((&replay.args, replay.locations.clone()), (&config.args, locations));
        assert_eq!((&replay.watched, &replay.invariants), (&config.watched, &config.invariants));
        assert!(replay.place_of_step(1).ends_with("trace.txt: line 22, column 3"), "{}", replay.place_of_step(1));

        fs::copy("/bin/false", &program).expect("another program");
        let failure = ReplayConfig::load(&path, None, Vec::new(), Engine::Fibers).expect_err("changed");
        assert!(failure.to_string().contains("it has changed since"), "{failure}");
    }

    #[test]
    fn a_trace_written_by_hand_needs_a_program() {
        let directory = TemporaryDirectory::create().expect("a directory");
        let path = directory.path().join("trace.txt");
        fs::write(&path, "0 1 0").expect("written");
        let failure = ReplayConfig::load(&path, None, Vec::new(), Engine::Fibers).expect_err("no program");
        assert!(failure.to_string().ends_with("add --program PATH"), "{failure}");
        let args = vec!["x".into()];
        let replay = ReplayConfig::load(&path, Some(Path::new("/bin/true")), args.clone(), Engine::Threads);
        let replay = replay.expect("replayable");
        assert_eq!((replay.args, replay.engine, replay.schedule.trace.tokens.len()), (args, Engine::Threads, 3));
    }
}
