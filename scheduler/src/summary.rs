//! The result of a run: one structure that the text report and `--json` both print.
//!
//! Field names and their order are the contract of CLI.md; fields may be added at the end only.

use crate::config::RunConfig;
use crate::exit::{Exit, Failure};
use crate::explore::Level;
use crate::finding::Finding;
use serde::Serialize;

/// What the run came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Explored completely as requested, and nothing found.
    Clean,
    /// Something was found.
    Bug,
    /// Nothing was found, but a bound was hit or the search was interrupted.
    Incomplete,
    /// The program could not be run.
    Error,
    /// The program does not do the same under the same schedule.
    Nondeterministic,
}

impl Verdict {
    /// The name in reports and in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Clean => "clean",
            Verdict::Bug => "bug",
            Verdict::Incomplete => "incomplete",
            Verdict::Error => "error",
            Verdict::Nondeterministic => "nondeterministic",
        }
    }
}

/// How often the program ended one way.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Outcome {
    /// The exit status; 128 plus the signal for a program that was killed by one.
    pub exit: i32,
    /// The standard output; bytes that are no text are replaced.
    pub stdout: String,
    /// How many executions ended like this.
    pub executions: u64,
    /// The standard output in base64, where `stdout` does not show all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stdout_base64: Option<String>,
}

/// The result of `rscale run`.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Summary {
    /// Version of rscale.
    pub rscale: String,
    /// The program as the user named it.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// The filters, as on the command line.
    pub filters: Vec<String>,
    /// The memory model.
    pub memory: String,
    /// What the run came to.
    pub verdict: Verdict,
    /// Whether the search did all that was asked for.
    pub complete: bool,
    /// What follows from that, in words.
    pub guarantee: String,
    /// How often the program was started from its initial state.
    pub runs: u64,
    /// Complete executions.
    pub executions: u64,
    /// Executions cut by a sleep set or a filter before their end.
    pub blocked: u64,
    /// Runs before the search began anew with more scheduling points; not part of `runs`.
    pub discarded: u64,
    /// Distinct states visited.
    pub states: u64,
    /// Steps taken.
    pub transitions: u64,
    /// The longest execution, in steps.
    pub max_depth: u64,
    /// Pairs of actions compared for a race.
    pub race_checks: u64,
    /// Pairs of actions compared for dependence.
    pub dependence_checks: u64,
    /// Wall-clock time.
    pub elapsed_s: f64,
    /// Speed.
    pub executions_per_s: f64,
    /// Most memory that the scheduler process used.
    pub peak_rss_kib: u64,
    /// Parallel workers.
    pub jobs: u32,
    /// What was found, in the order found.
    pub findings: Vec<Finding>,
    /// The distinct ends of the program, if they were asked for.
    pub outcomes: Vec<Outcome>,
    /// How executions were kept apart in the end.
    pub isolation: String,
    /// What the threads of the program ran on.
    pub engine: String,
    /// What the user should know beside the result, such as a fall-back.
    pub notes: Vec<String>,
    /// What came of each bound, where several were searched one after the other.
    pub levels: Vec<Level>,
    /// Trace constraint systems that had no solution (`epor`).
    pub unsatisfiable_systems: u64,
    /// Bytes that the search keeps at its end: states that filters remember, or what is left to reverse.
    pub search_bytes: u64,
    /// Code of the program itself that ran without being watched: what it does to memory is no step.
    pub unwatched: Vec<String>,
}

impl Summary {
    /// A summary in which nothing has happened yet: everything the configuration says, and no result.
    #[must_use]
    pub fn new(config: &RunConfig) -> Summary {
        Summary {
            rscale: env!("CARGO_PKG_VERSION").into(),
            program: config.subject.given.to_string_lossy().into_owned(),
            args: config.args.iter().map(|argument| argument.to_string_lossy().into_owned()).collect(),
            filters: config.filters.iter().flatten().map(ToString::to_string).collect(),
            memory: config.rules.memory.name().into(),
            verdict: Verdict::Incomplete,
            complete: false,
            guarantee: String::new(),
            runs: 0,
            executions: 0,
            blocked: 0,
            discarded: 0,
            states: 0,
            transitions: 0,
            max_depth: 0,
            race_checks: 0,
            dependence_checks: 0,
            elapsed_s: 0.0,
            executions_per_s: 0.0,
            peak_rss_kib: 0,
            jobs: 1,
            findings: Vec::new(),
            outcomes: Vec::new(),
            isolation: isolation_name(config.rules.isolation).into(),
            engine: "fibers".into(),
            notes: config.notes.clone(),
            levels: Vec::new(),
            search_bytes: 0,
            unwatched: Vec::new(),
            unsatisfiable_systems: 0,
        }
    }

    /// The summary of a run that failed, so that scripts find the reason where they look for the result.
    #[must_use]
    pub fn failed(config: &RunConfig, failure: &Failure) -> Summary {
        let verdict = match failure {
            Failure::Usage(_) | Failure::CannotRun(_) => Verdict::Error,
            Failure::Nondeterministic(_) => Verdict::Nondeterministic,
            Failure::Interrupted | Failure::OutOfTime | Failure::OutOfMemory => Verdict::Incomplete,
            Failure::NotShownAgain(_) => Verdict::Bug,
        };
        let mut summary = Summary { verdict, guarantee: "none: there is no result".into(), ..Summary::new(config) };
        summary.notes.push(failure.to_string());
        summary
    }

    /// The exit status that goes with the verdict.
    #[must_use]
    pub fn exit_code(&self) -> Exit {
        match self.verdict {
            Verdict::Clean => Exit::Clean,
            Verdict::Bug => Exit::Found,
            Verdict::Incomplete => Exit::Incomplete,
            Verdict::Error => Exit::Failed,
            Verdict::Nondeterministic => Exit::Nondeterministic,
        }
    }
}

/// The name of an isolation level, as on the command line.
#[must_use]
pub fn isolation_name(isolation: rscale_protocol::arena::Isolation) -> &'static str {
    use rscale_protocol::arena::Isolation;
    match isolation {
        Isolation::Snapshot => "snapshot",
        Isolation::Fork => "fork",
        Isolation::Exec => "exec",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::samples;

    #[test]
    fn the_fields_of_the_contract_come_first_and_in_order() {
        let mut summary = Summary::new(&RunConfig::sample());
        summary.findings.push(samples::deadlock());
        summary.outcomes.push(Outcome { exit: 0, stdout: "ab\n".into(), executions: 5, stdout_base64: None });
        summary.levels.push(Level { bound: 2, executions: 7, findings: 1, complete: false });
        let json = serde_json::to_string(&summary).expect("serialisable");
        let mut rest = json.as_str();
        for name in
            "rscale program args filters memory verdict complete guarantee runs executions blocked discarded states \
                     transitions max_depth race_checks dependence_checks elapsed_s executions_per_s peak_rss_kib jobs \
                     findings outcomes isolation engine notes levels unsatisfiable_systems search_bytes unwatched"
                .split_whitespace()
        {
            let at = rest.find(&format!("\"{name}\":")).unwrap_or_else(|| panic!("{name} is missing or misplaced"));
            rest = &rest[at..];
        }
        assert!(json.contains(r#""outcomes":[{"exit":0,"stdout":"ab\n","executions":5}]"#), "{json}");
        assert!(json.contains(r#""levels":[{"bound":2,"executions":7,"findings":1,"complete":false}]"#), "{json}");
        assert!(json.contains(r#""filters":["nsb","db=5"],"memory":"sc","verdict":"incomplete""#), "{json}");
    }

    #[test]
    fn every_verdict_has_its_exit_status() {
        let status = |verdict| Summary { verdict, ..Summary::new(&RunConfig::sample()) }.exit_code() as u8;
        let verdicts = [Verdict::Clean, Verdict::Bug, Verdict::Error, Verdict::Incomplete, Verdict::Nondeterministic];
        assert_eq!(verdicts.map(status), [0, 1, 2, 3, 4]);
        for verdict in verdicts {
            let json = serde_json::to_string(&verdict).expect("serialisable");
            assert_eq!(json, format!("\"{}\"", verdict.as_str()));
        }
    }

    #[test]
    fn a_failure_stands_in_the_notes() {
        let summary = Summary::failed(&RunConfig::sample(), &Failure::CannotRun("no such program".into()));
        assert_eq!((summary.verdict, summary.complete), (Verdict::Error, false));
        assert_eq!(summary.notes, ["no such program"]);
    }
}
