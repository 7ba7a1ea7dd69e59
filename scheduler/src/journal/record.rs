//! What stands in a journal: one line per record, `CHECKSUM JSON`.
//!
//! The checksum is the BLAKE3 hash of the JSON. Every record carries its number, so that a line that is missing shows.

use crate::explore::{Saved, Visited};
use serde::{Deserialize, Serialize};

/// Changes with what records mean.
pub const VERSION: u32 = 3;

/// A record and its number, as it is read.
#[derive(Deserialize, Debug)]
pub struct Numbered {
    /// Records before it.
    pub number: u64,
    /// What it says.
    pub record: Record,
}

/// What a record says.
#[derive(Clone, Serialize, Deserialize, PartialEq, Debug)]
pub enum Record {
    /// The search; the first record, and no other.
    Search(Search),
    /// Where the search stands: what comes before need not be done again.
    State(Box<State>),
    /// A finding. It is written down before anything else happens.
    Finding(Found),
}

/// What is searched.
#[derive(Clone, Serialize, Deserialize, PartialEq, Debug)]
pub struct Search {
    /// [`VERSION`].
    pub version: u32,
    /// The version of rscale.
    pub rscale: String,
    /// The words behind `rscale run`.
    pub arguments: Vec<String>,
    /// Where it was run.
    pub directory: String,
    /// The hash of the program.
    pub program_hash: String,
}

/// A search on its way.
#[derive(Clone, Serialize, Deserialize, PartialEq, Debug)]
pub struct State {
    /// What is left to explore.
    pub search: Saved,
    /// The communication variables, and what invariants read.
    pub locations: String,
    /// See `locations`.
    pub observed: String,
    /// Thread, parent, and the how-many-th child of that it is.
    pub threads: Vec<(u16, u16, u32)>,
    /// Exit status, standard output, executions.
    pub outcomes: Vec<(i32, Vec<u8>, u64)>,
    /// Seconds that it took so far.
    pub elapsed: f64,
    /// The states that were visited since the state before, if that is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visited: Option<Visited>,
}

/// A finding, in what it takes to see it again.
#[derive(Clone, Serialize, Deserialize, PartialEq, Debug)]
pub struct Found {
    /// The schedule, as tokens.
    pub schedule: Vec<u16>,
    /// The communication variables that it is about.
    pub locations: String,
}

/// The line of a record.
#[must_use]
pub fn line(number: u64, record: &Record) -> String {
    #[derive(Serialize)]
    struct Numbered<'a> {
        number: u64,
        record: &'a Record,
    }
    let json = serde_json::to_string(&Numbered { number, record }).expect("records have only strings as keys");
    format!("{} {json}\n", blake3::hash(json.as_bytes()).to_hex())
}

impl Numbered {
    /// What a line, without its end, says; None if it is damaged.
    #[must_use]
    pub fn from_line(line: &[u8]) -> Option<Numbered> {
        let (checksum, json) = line.split_at_checked(CHECKSUM)?;
        let json = json.strip_prefix(b" ")?;
        let is_whole = blake3::hash(json).to_hex().as_bytes() == checksum;
        is_whole.then(|| serde_json::from_slice(json).ok()).flatten()
    }
}

/// Characters of a checksum.
pub const CHECKSUM: usize = 2 * blake3::OUT_LEN;
