//! How rscale ends: the exit status, and the failures that keep it from giving a result.
//!
//! CLI.md fixes the numbers. They stand here and nowhere else; everything that ends rscale becomes an [`Exit`].

use crate::report::count;
use rscale_replay::trace::TraceError;
use std::fmt;
use std::process::ExitCode;

/// The exit status of rscale.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Exit {
    /// Explored completely as requested, nothing found; a replay without a finding; a query answered.
    Clean = 0,
    /// Something was found.
    Found = 1,
    /// Wrong usage, or rscale or the program could not be run.
    Failed = 2,
    /// Nothing was found, but the search is incomplete.
    Incomplete = 3,
    /// The program is nondeterministic beyond control.
    Nondeterministic = 4,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// Why there is no result. The text says what happened, where, and what to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The user asked for what can not be had.
    Usage(String),
    /// Rscale or the program could not be run.
    CannotRun(String),
    /// The program does not do the same under the same schedule.
    Nondeterministic(String),
    /// Ctrl-C before there was anything to report.
    Interrupted,
    /// The time limit was over before there was anything to report.
    OutOfTime,
    /// The memory limit was reached before there was anything to report.
    OutOfMemory,
    /// One of these three, before so many findings that are known from a journal had been shown again.
    NotShownAgain(usize),
}

impl Failure {
    /// The exit status that goes with the failure.
    #[must_use]
    pub fn exit(&self) -> Exit {
        match self {
            Failure::Usage(_) | Failure::CannotRun(_) => Exit::Failed,
            Failure::Nondeterministic(_) => Exit::Nondeterministic,
            Failure::Interrupted | Failure::OutOfTime | Failure::OutOfMemory => Exit::Incomplete,
            Failure::NotShownAgain(_) => Exit::Found,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(text) | Failure::CannotRun(text) | Failure::Nondeterministic(text) => f.write_str(text),
            Failure::Interrupted => f.write_str("interrupted before the first execution"),
            Failure::OutOfTime => f.write_str("the time limit was over before the end of the first execution"),
            Failure::OutOfMemory => f.write_str(
                "the memory limit was reached before the end of the first execution, or all memory was in use",
            ),
            Failure::NotShownAgain(findings) => {
                let findings = count(*findings as u64, "finding");
                write!(f, "stopped before what the journal has was shown again ({findings}); `rscale resume` shows it")
            }
        }
    }
}

impl std::error::Error for Failure {}

impl From<TraceError> for Failure {
    fn from(error: TraceError) -> Failure {
        Failure::CannotRun(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_have_the_documented_status() {
        let status = |failure: Failure| failure.exit() as u8;
        assert_eq!(status(Failure::Usage(String::new())), 2);
        assert_eq!(status(Failure::CannotRun(String::new())), 2);
        assert_eq!(status(Failure::Interrupted), 3);
        assert_eq!(status(Failure::NotShownAgain(1)), 1);
        assert_eq!(status(Failure::Nondeterministic(String::new())), 4);
        assert_eq!([Exit::Clean as u8, Exit::Found as u8], [0, 1]);
    }
}
