//! `rscale run`: explore the schedules of a program.

use super::ci::CiArgs;
use super::described::described;
use super::run_values::{EngineArg, IsolationArg, MemoryArg, Minimize, ScopeArg, parse_minimize};
use super::{OutputArgs, check_file};
use crate::compile::Subject;
use crate::config::{
    FilterChoice, Invariants, Rules, RunConfig, Scope, Size, Surroundings, Watched, check_combination, parse_duration,
    parse_filters, parse_size,
};
use crate::exit::{Exit, Failure};
use crate::launch::Processors;
use crate::report::progress::Progress;
use crate::report::{Target, escape, json, print, text};
use crate::session::Keeping;
use crate::summary::Summary;
use crate::{filters, session};
use clap::Args;
use rscale_protocol::MemoryModel;
use rscale_protocol::arena::{Isolation, MAX_STEPS, UNBOUNDED};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Explore the schedules of a program
#[derive(Args, Debug)]
pub struct RunArgs {
    /// An executable, or a .c/.cc/.cpp/.cxx file, which is compiled first
    program: PathBuf,
    /// Arguments of the program
    #[arg(last = true)]
    args: Vec<OsString>,

    /// State filters, in order (see rscale list)
    #[arg(long, value_name = "a,b=N", help_heading = "Search")]
    filters: Option<String>,
    /// Scheduling points [default: all]
    #[arg(long, value_name = "sync|all", hide_possible_values = true, help_heading = "Search")]
    scope: Option<ScopeArg>,
    /// Watch a shared library as well (repeatable)
    #[arg(long, value_name = "LIB", help_heading = "Search")]
    instrument: Vec<PathBuf>,
    /// Do not watch a function or source file (repeatable)
    #[arg(long, value_name = "NAME", help_heading = "Search")]
    exclude: Vec<String>,
    /// Only say what would be watched
    #[arg(long, help_heading = "Search")]
    dry_run: bool,
    /// Memory model [default: sc]
    #[arg(long, value_name = "sc|tso|pso", hide_possible_values = true, help_heading = "Search")]
    memory: Option<MemoryArg>,
    /// Stores per store buffer [default: any number]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(..i64::from(UNBOUNDED)),
          help_heading = "Search")]
    buffer: Option<u32>,
    /// Spurious wake-ups per execution [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = "Search")]
    spurious: Option<u64>,
    /// Order of the search, random choices [default: 0]
    #[arg(long, value_name = "S", allow_negative_numbers = true, help_heading = "Search")]
    seed: Option<u64>,
    /// Parallel workers [default: all cores]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=MOST_JOBS), help_heading = "Search")]
    jobs: Option<u32>,

    /// The first finding is that of one worker
    #[arg(long, help_heading = "Search")]
    deterministic: bool,
    /// Milliseconds that one worker goes on alone, for tests of small programs
    #[arg(long, value_name = "N", hide = true)]
    alone: Option<u64>,

    /// Collect all distinct findings, not only the first
    #[arg(long, help_heading = "Findings")]
    keep_going: bool,
    /// Memory that is not freed is a finding
    #[arg(long, help_heading = "Findings")]
    leaks: bool,
    /// An exit status other than 0 is a finding
    #[arg(long, help_heading = "Findings")]
    exit_status: bool,
    /// Data races are findings
    #[arg(long, help_heading = "Findings")]
    races: bool,
    /// int f(void) that is true in every state (repeatable)
    #[arg(long, value_name = "NAME", help_heading = "Findings")]
    invariant: Vec<String>,
    /// A file that names such functions, one per line
    #[arg(long, value_name = "FILE", help_heading = "Findings")]
    properties: Option<PathBuf>,
    /// Tabulate the distinct ends of the program
    #[arg(long, help_heading = "Findings")]
    outcomes: bool,

    /// Time to make a finding smaller, or off [default: 1s]
    #[arg(long, value_name = "TIME", value_parser = parse_minimize, help_heading = "Findings")]
    minimize: Option<Minimize>,

    /// Stop after N executions
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(1..), help_heading = "Bounds")]
    max_executions: Option<u64>,
    /// Steps per execution [default: 100000]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(1..=MAX_STEPS as u64),
          help_heading = "Bounds")]
    max_steps: Option<u64>,
    /// Stop at so much memory in use: 500M, 2G
    #[arg(long, value_name = "SIZE", value_parser = parse_size, help_heading = "Bounds")]
    max_memory: Option<Size>,
    /// Stop after 500ms, 30s, 5m, 1h
    #[arg(long, value_name = "TIME", value_parser = parse_duration, help_heading = "Bounds")]
    time_limit: Option<Duration>,
    /// CPU time of one step that is a hang [default: 5s]
    #[arg(long, value_name = "TIME", value_parser = parse_duration, help_heading = "Bounds")]
    hang_limit: Option<Duration>,

    /// snapshot, fork or exec [default: snapshot]
    #[arg(long, value_name = "LEVEL", hide_possible_values = true, help_heading = "Engine")]
    isolation: Option<IsolationArg>,
    /// What threads run on [default: fibers]
    #[arg(long, value_name = "NAME", hide_possible_values = true, help_heading = "Engine")]
    engine: Option<EngineArg>,

    /// Write the search ahead, for rscale resume
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    journal: Option<PathBuf>,
    /// Trace of the first finding [default: trace.txt]
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    trace: Option<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    ci: CiArgs,
    /// No progress line on the terminal
    #[arg(long, help_heading = "Output")]
    no_progress: bool,
    /// A line of progress so often, in logs too
    #[arg(long, value_name = "TIME", value_parser = parse_duration, help_heading = "Output")]
    log_interval: Option<Duration>,
}

/// More than this are a mistake of typing: workers have a process of the program each.
const MOST_JOBS: i64 = 1024;

/// As many as there are processors.
fn processors() -> u32 {
    Processors::all().map_or(1, |processors| processors.count() as u32).max(1)
}

impl RunArgs {
    /// Runs the search and reports.
    pub fn execute(self) -> Result<Exit, Failure> {
        self.execute_keeping(Keeping::Nothing)
    }

    /// Replaces what may be different when a search goes on.
    pub(super) fn go_on_with(
        &mut self,
        max_executions: Option<u64>,
        time_limit: Option<Duration>,
        output: OutputArgs,
        no_progress: bool,
    ) {
        self.max_executions = max_executions.or(self.max_executions);
        self.time_limit = time_limit.or(self.time_limit);
        (self.output, self.no_progress) = (output, no_progress);
    }

    /// Runs the search, or goes on with it, and reports.
    pub(super) fn execute_keeping(self, keeping: Keeping) -> Result<Exit, Failure> {
        let is_dry = self.dry_run;
        let journal = self.journal.clone();
        let ci = self.ci.clone();
        let log_interval = self.log_interval;
        let (config, output, no_progress) = self.resolve()?;
        let keeping = match (keeping, journal) {
            (Keeping::Nothing, Some(path)) => Keeping::In(path, described(&config)?),
            (keeping, _) => keeping,
        };
        if is_dry {
            print(output.target(), &session::coverage(&config)?)?;
            return Ok(Exit::Clean);
        }
        if !output.quiet
            && let Ok(Some(warning)) = session::warnings(&config.subject.executable)
        {
            print(Target::Stderr, &format!("note: {}\n", escape::text(&warning)))?;
        }
        let mut progress = Progress::new(!output.quiet && !no_progress).logging(log_interval);
        let result = session::run(&config, keeping, &mut progress);
        drop(progress);
        let summary = match result {
            Ok(summary) => summary,
            Err(failure) => {
                // The failure itself says more than the failure to write it down.
                let summary = Summary::failed(&config, &failure);
                let _ = output.json_destination().map(|destination| json::write(&destination, &summary));
                let _ = ci.write(&summary, output.target());
                return Err(failure);
            }
        };
        let look = output.look();
        let report = if output.quiet { text::render_quiet(&summary, &look) } else { text::render(&summary, &look) };
        print(output.target(), &report)?;
        if let Some(destination) = output.json_destination() {
            json::write(&destination, &summary)?;
        }
        ci.write(&summary, output.target())?;
        Ok(summary.exit_code())
    }

    /// Checks everything that can be checked without the program, then prepares the program.
    fn resolve(self) -> Result<(RunConfig, OutputArgs, bool), Failure> {
        self.refuse_what_is_not_there()?;
        let mut rules = self.rules();
        let filters = self.chosen_filters(&rules).map_err(|reason| Failure::Usage(format!("--filters: {reason}")))?;
        rules.schedules_waiting = filters::needs(filters.as_deref().unwrap_or_default()).every_round;
        let trace = self.trace.unwrap_or_else(|| "trace.txt".into());
        check_file("--trace", &trace)?;
        self.journal.as_deref().map_or(Ok(()), |journal| check_file("--journal", journal))?;
        self.output.check()?;
        self.ci.check()?;
        let invariants = Invariants::new(self.invariant, self.properties.as_deref())?;
        let config = RunConfig {
            subject: Subject::prepare(&self.program)?,
            args: self.args,
            rules,
            watched: Watched { libraries: self.instrument, excluded: self.exclude },
            invariants,
            filters,
            keep_going: self.keep_going,
            outcomes: self.outcomes,
            jobs: self.jobs.unwrap_or_else(processors),
            alone: self.alone.map_or(RunConfig::ALONE, Duration::from_millis),
            wants_jobs: self.jobs.is_some(),
            deterministic: self.deterministic,
            max_executions: self.max_executions,
            max_memory: self.max_memory,
            time_limit: self.time_limit,
            minimize: self.minimize.map_or(Some(RunConfig::MINIMIZE), |minimize| minimize.0),
            trace,
            notes: Vec::new(),
        };
        Ok((config, self.output, self.no_progress))
    }

    fn chosen_filters(&self, rules: &Rules) -> Result<Option<Vec<FilterChoice>>, String> {
        let Some(list) = &self.filters else { return Ok(None) };
        let filters = parse_filters(list, filters::registry())?;
        let ends = self.max_executions.is_some() || self.time_limit.is_some();
        check_combination(&filters, Surroundings { rules, ends })?;
        Ok(Some(filters))
    }

    fn refuse_what_is_not_there(&self) -> Result<(), Failure> {
        let is_weak = self.memory.is_some_and(|memory| memory != MemoryArg::Sc);
        let reason = if self.buffer.is_some() && !is_weak {
            "--buffer bounds store buffers, which only --memory tso and pso have"
        } else if is_weak && self.scope == Some(ScopeArg::Sync) {
            "--memory tso and pso are about memory accesses; they need --scope all"
        } else if self.races && self.scope == Some(ScopeArg::Sync) {
            "--races is about memory accesses; it needs --scope all"
        } else if self.engine == Some(EngineArg::Threads) {
            "--engine threads is for `rscale replay` only; a search needs --engine fibers"
        } else if self.engine == Some(EngineArg::Ptrace) {
            "--engine ptrace is not there yet; use --engine fibers"
        } else if self.scope == Some(ScopeArg::Sync) && !(self.instrument.is_empty() && self.exclude.is_empty()) {
            "--instrument and --exclude choose memory accesses; they need --scope all"
        } else {
            return Ok(());
        };
        Err(Failure::Usage(reason.into()))
    }

    fn rules(&self) -> Rules {
        let default = Rules::default();
        Rules {
            scope: match self.scope {
                Some(ScopeArg::Sync) => Scope::Sync,
                Some(ScopeArg::All) | None => Scope::All,
            },
            memory: match self.memory {
                Some(MemoryArg::Sc) | None => MemoryModel::Sc,
                Some(MemoryArg::Tso) => MemoryModel::Tso,
                Some(MemoryArg::Pso) => MemoryModel::Pso,
            },
            buffer: self.buffer,
            schedules_waiting: default.schedules_waiting,
            isolation: match self.isolation {
                Some(IsolationArg::Snapshot) | None => Isolation::Snapshot,
                Some(IsolationArg::Fork) => Isolation::Fork,
                Some(IsolationArg::Exec) => Isolation::Exec,
            },
            seed: self.seed.unwrap_or(default.seed),
            spurious: self.spurious.unwrap_or(default.spurious),
            max_steps: self.max_steps.unwrap_or(default.max_steps),
            hang_limit: self.hang_limit.unwrap_or(default.hang_limit),
            leaks: self.leaks,
            exit_status: self.exit_status,
            races: self.races,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        run: RunArgs,
    }

    fn resolve(options: &[&str]) -> Result<RunConfig, Failure> {
        let line = ["run", "/bin/true"].iter().chain(options);
        let parsed = Line::try_parse_from(line).map_err(|error| Failure::Usage(error.to_string()))?;
        parsed.run.resolve().map(|(config, _, _)| config)
    }

    #[test]
    fn defaults_are_as_documented() {
        let config = resolve(&[]).expect("valid");
        assert_eq!((config.rules, config.filters, config.jobs), (Rules::default(), None, processors()));
        assert_eq!((config.max_executions, config.time_limit), (None, None));
        assert_eq!(config.trace, PathBuf::from("trace.txt"));
        assert!(config.notes.is_empty() && config.watched == Watched::default());
        assert_eq!(config.minimize, Some(Duration::from_secs(1)));
        assert!(!config.keep_going && !config.outcomes && config.args.is_empty());
    }

    #[test]
    fn options_arrive() {
        let options = "--scope sync --memory sc --keep-going --outcomes --jobs 1 --seed 9 --max-executions 5 --max-steps 77 \
                       --invariant sorted --invariant ns::full() --time-limit 2m --isolation fork --engine fibers \
                       --trace x.txt --minimize off --spurious 2 --leaks --exit-status --hang-limit 500ms --filters db=9 --quiet \
                       --color never --no-progress -- -a --seed";
        let config = resolve(&options.split_whitespace().collect::<Vec<_>>()).expect("valid");
        let rules = Rules {
            scope: Scope::Sync,
            memory: MemoryModel::Sc,
            buffer: None,
            schedules_waiting: true,
            isolation: Isolation::Fork,
            seed: 9,
            spurious: 2,
            max_steps: 77,
            hang_limit: Duration::from_millis(500),
            leaks: true,
            exit_status: true,
            races: false,
        };
        assert_eq!(config.rules, rules);
        assert_eq!((config.max_executions, config.time_limit), (Some(5), Some(Duration::from_secs(120))));
        assert!(config.keep_going && config.outcomes && config.notes.is_empty());
        assert_eq!((config.minimize, &config.args[..]), (None, &["-a".into(), "--seed".into()][..]));
        assert_eq!(config.invariants.names, ["sorted", "ns::full()"]);
    }

    #[test]
    fn what_is_not_there_yet_is_refused_in_words() {
        let message = |options: &[&str]| resolve(options).expect_err("refused").to_string();
        assert!(message(&["--memory", "arm"]).contains("invalid value 'arm'"));
        assert!(message(&["--buffer", "2"]).contains("only --memory tso and pso have"));
        assert!(message(&["--memory", "sc", "--buffer", "0"]).contains("only --memory tso and pso have"));
        assert!(message(&["--memory", "tso", "--buffer", "-1"]).contains("invalid value '-1'"));
        assert!(message(&["--memory", "pso", "--scope", "sync"]).contains("they need --scope all"));
        assert!(message(&["--races", "--scope", "sync"]).contains("it needs --scope all"));
        assert!(message(&["--jobs", "0"]).contains("0 is not in"));
        assert!(message(&["--engine", "threads"]).contains("for `rscale replay` only"));
        assert!(message(&["--engine", "ptrace"]).contains("not there yet"));
        assert!(message(&["--filters", "no-such-filter"]).starts_with("--filters: there is no filter"));
        assert!(message(&["--filters", "lcd", "--scope", "sync"]).contains("lcd has to see every write"));
        assert!(message(&["--time-limit", "30"]).contains("500ms, 30s, 5m or 1h"));
        assert!(message(&["--minimize", "on"]).contains("500ms, 30s, 5m or 1h"));
        assert!(message(&["--max-executions", "0"]).contains("0 is not in"));
        assert!(message(&["--max-steps", "9999999"]).contains("is not in"));
        assert!(message(&["--scope", "sync", "--exclude", "f"]).contains("need --scope all"));
        assert!(message(&["--seed", "-1"]).contains("invalid value '-1'"));
    }
}
