//! The trace file: a schedule as text, with a header that says what it is a schedule of.
//!
//! Lines that begin with `#` are header and comment; everything else is thread numbers in the order they are
//! scheduled. A file of bare numbers, written by hand, is a trace too. What the header holds comes from outside (paths,
//! arguments, messages of the tested program), so every value is [quoted](words) until it is plain ASCII on one line.

mod error;
mod parse;
mod words;
mod write;

pub use error::{ParseError, Position, Problem, TraceError};
pub use parse::{Parsed, parse, read};
pub use write::{numbered_path, render, write};

use rscale_protocol::arena::Token;
use rscale_protocol::{MemoryModel, ThreadId};
use std::collections::BTreeMap;
use std::ffi::OsString;

/// The version of the format, in the first line of every file that rscale writes.
pub const FORMAT: u32 = 1;

/// A schedule and what it is a schedule of.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trace {
    /// What is known about the execution; empty for a file written by hand.
    pub header: Header,
    /// The schedule.
    pub tokens: Vec<Token>,
    /// The names of what is flushed, by the places of the tokens in the schedule, where one is known. In a trace that
    /// was read, such a token says whose store it is, and the name has to tell which one.
    pub flushed: BTreeMap<usize, String>,
}

/// What the header of a trace says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Header {
    /// Version of the rscale that wrote the file.
    pub version: Option<String>,
    /// The program as the user named it: an executable or a source file.
    pub program: Option<OsString>,
    /// BLAKE3 hash of that file, in hexadecimal.
    pub program_hash: Option<String>,
    /// The arguments of the program.
    pub arguments: Vec<OsString>,
    /// The options of the run that change what a schedule means (scope, memory, seed, ...), name and value.
    pub options: Vec<(String, String)>,
    /// What was found: the kind and the message.
    pub finding: Option<String>,
    /// That the schedule was made smaller, and from what size.
    pub minimised: Option<String>,
    /// Where each thread number comes from.
    pub threads: Vec<ThreadOrigin>,
}

impl Header {
    /// The memory model that the schedule is for.
    #[must_use]
    pub fn memory(&self) -> MemoryModel {
        self.option("memory").and_then(MemoryModel::from_name).unwrap_or_default()
    }

    /// The value of an option, if the header names it.
    #[must_use]
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// The creation path of a thread: it is the `child`-th thread that its parent created.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ThreadOrigin {
    /// The number of the thread.
    pub thread: ThreadId,
    /// Who created it.
    pub parent: ThreadId,
    /// How many threads the parent had created before.
    pub child: u32,
}

/// A token as it stands in a trace: the thread number and the mark of the choice; `2!` for a flush of thread 2's oldest
/// store. Under PSO it is followed by the name of what is stored to, or by a number: which of the places that the
/// thread has stored to since its buffer was empty.
#[must_use]
pub fn token_text(token: Token, memory: MemoryModel, flushed: Option<&str>) -> String {
    match (memory.owner(token.thread), flushed) {
        (None, _) => format!("{}{}", token.thread, token.choice.mark()),
        (Some((owner, _)), _) if memory == MemoryModel::Tso => format!("{owner}!"),
        (Some((owner, _)), Some(name)) if is_flush_name(name) => format!("{owner}!{name}"),
        (Some((owner, queue)), _) => format!("{owner}!{queue}"),
    }
}

/// Whether a token can have this name in it: it has to be one word, and no number.
fn is_flush_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:[]+".contains(&byte);
    name.bytes().all(is_plain) && name.bytes().next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
}

#[cfg(test)]
mod tests;
