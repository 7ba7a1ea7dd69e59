//! The distinct ends of the program (`--outcomes`).

use crate::backend::RunEnd;
use crate::report::base64;
use crate::summary::Outcome;
use rscale_protocol::Ending;
use std::collections::BTreeMap;

/// How often the program ended in which way.
#[derive(Default)]
pub struct Outcomes {
    table: BTreeMap<(i32, Vec<u8>), u64>,
}

impl Outcomes {
    /// Notes how a run ended, if that is an end of the program. One that a filter cut ran on to its end all the same:
    /// what it shows is real, but it does not count as an execution.
    pub fn add(&mut self, end: &RunEnd, stdout: Vec<u8>, is_complete: bool) {
        if let Some(status) = status(end) {
            *self.table.entry((status, stdout)).or_insert(0) += u64::from(is_complete);
        }
    }

    /// Adds what others noted.
    pub fn merge(&mut self, others: Outcomes) {
        for (key, executions) in others.table {
            *self.table.entry(key).or_insert(0) += executions;
        }
    }

    /// Exit status, standard output and executions.
    pub fn rows(&self) -> Vec<(i32, Vec<u8>, u64)> {
        self.table.iter().map(|((exit, stdout), &executions)| (*exit, stdout.clone(), executions)).collect()
    }

    /// The table that these are the rows of.
    pub fn from_rows(rows: &[(i32, Vec<u8>, u64)]) -> Outcomes {
        Outcomes {
            table: rows.iter().map(|(exit, stdout, executions)| ((*exit, stdout.clone()), *executions)).collect(),
        }
    }

    /// The table for the summary.
    pub fn into_table(self) -> Vec<Outcome> {
        let row = |((exit, stdout), executions): ((i32, Vec<u8>), u64)| {
            let stdout_base64 = str::from_utf8(&stdout).is_err().then(|| base64::encode(&stdout));
            Outcome { exit, stdout: String::from_utf8_lossy(&stdout).into_owned(), executions, stdout_base64 }
        };
        self.table.into_iter().map(row).collect()
    }
}

/// The status that a shell would show.
fn status(end: &RunEnd) -> Option<i32> {
    match end.ending {
        Ending::Exit => Some(end.value as i32),
        Ending::Crash | Ending::Killed => Some(128 + end.value as i32),
        Ending::Assertion | Ending::Abort | Ending::Memory => Some(128 + libc::SIGABRT),
        _ => None,
    }
}
