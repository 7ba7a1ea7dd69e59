//! What can be wrong with a trace file: where, what, and what to do about it.

use super::FORMAT;
use rscale_protocol::MAX_THREADS;
use rscale_protocol::arena::MAX_STEPS;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// A place in a trace file; lines and columns count from 1, columns in bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// A trace file could not be read or written.
#[derive(Debug)]
pub enum TraceError {
    /// The file could not be read.
    Read {
        /// Which file.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// The file was read, but it is no trace.
    Parse {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        error: ParseError,
    },
    /// The file could not be written; nothing was left behind.
    Write {
        /// Which file.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TraceError::Read { path, cause } => write!(f, "can not read the trace {}: {cause}", path.display()),
            TraceError::Parse { path, error } => write!(f, "{}: {error}", path.display()),
            TraceError::Write { path, cause } => write!(
                f,
                "can not write the trace {}: {cause}; free space there or name another file with --trace",
                path.display()
            ),
        }
    }
}

impl std::error::Error for TraceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            TraceError::Read { cause, .. } | TraceError::Write { cause, .. } => Some(cause),
            TraceError::Parse { error, .. } => Some(error),
        }
    }
}

/// Bytes that are no trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// Where.
    pub position: Position,
    /// What.
    pub problem: Problem,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.position, self.problem)
    }
}

impl std::error::Error for ParseError {}

/// What is wrong at a place. Texts out of the file are escaped and cut.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Problem {
    /// The file has neither a header nor a step.
    Empty,
    /// The first line names another version of the format.
    UnknownFormat(String),
    /// A token that does not begin with a number.
    NotAToken(String),
    /// A thread number that no program can have.
    ThreadTooLarge(String),
    /// A mark that nobody knows.
    UnknownMark(String),
    /// A flush of a store buffer, which only weak memory models have.
    FlushMark {
        /// The token.
        token: String,
        /// The memory model that it belongs to.
        memory: &'static str,
    },
    /// More steps than an execution can have.
    TooManySteps,
    /// The file is larger than any trace.
    TooLarge,
    /// A word of the header is not quoted as it should be.
    BadQuoting,
    /// A header line does not say what its name promises.
    BadHeader {
        /// The name of the line.
        name: &'static str,
        /// What it should hold.
        expected: &'static str,
    },
    /// A header line stands there twice.
    Repeated(&'static str),
    /// The file ends too early.
    Truncated {
        /// The steps that the header promises, if it got that far.
        expected: Option<usize>,
        /// The steps that are there.
        found: usize,
    },
    /// More steps than the header says.
    Surplus {
        /// The steps that the header promises.
        expected: usize,
        /// The steps that are there.
        found: usize,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Empty => f.write_str(
                "the file holds no schedule; write thread numbers into it, or record a trace with `rscale run`",
            ),
            Problem::UnknownFormat(found) => write!(
                f,
                "this is format \"{found}\", and this rscale knows format {FORMAT}; replay it with the rscale that wrote it"
            ),
            Problem::NotAToken(token) => {
                write!(f, "\"{token}\" is not a step; a step is a thread number, with the mark t or s if need be")
            }
            Problem::ThreadTooLarge(token) => {
                write!(f, "\"{token}\" names no thread; thread numbers go from 0 to {}", MAX_THREADS - 1)
            }
            Problem::UnknownMark(token) => write!(
                f,
                "\"{token}\" carries an unknown mark; known are t (the wait times out) and s (spurious wake-up)"
            ),
            Problem::FlushMark { token, memory } => {
                write!(f, "\"{token}\" flushes a buffered store; that needs the line \"# option: memory {memory}\"")
            }
            Problem::TooManySteps => write!(f, "a schedule has at most {MAX_STEPS} steps; shorten it"),
            Problem::TooLarge => f.write_str("the file is too large for a trace; check its name"),
            Problem::BadQuoting => {
                f.write_str("broken quotes or escapes; inside \"...\" write \\\", \\\\, \\n or \\xNN")
            }
            Problem::BadHeader { name, expected } => {
                write!(f, "\"# {name}:\" needs {expected}; correct or remove the line")
            }
            Problem::Repeated(name) => write!(f, "\"# {name}:\" stands there a second time; remove one of the lines"),
            Problem::Truncated { expected: Some(expected), found } => write!(
                f,
                "the file ends here, after {found} of {expected} steps: it was cut off; record it again, or, if you \
                 shortened it, correct \"# steps:\" and end the last line"
            ),
            Problem::Truncated { expected: None, .. } => {
                f.write_str("the file ends inside its header: it was cut off; record it again")
            }
            Problem::Surplus { expected, found } => {
                write!(f, "{found} steps, but the header says {expected}; if you added some, correct \"# steps:\"")
            }
        }
    }
}
