//! The distinct ends of the program (`--outcomes`).

use super::host::Host;
use crate::backend::RunEnd;
use crate::summary::Outcome;
use rscale_protocol::Ending;
use std::collections::BTreeMap;

/// How often the program ended in which way.
#[derive(Default)]
pub struct Outcomes {
    table: BTreeMap<(i32, Vec<u8>), u64>,
}

impl Outcomes {
    /// Counts the end of an execution, if it is one of the program.
    pub fn add(&mut self, end: &RunEnd, host: &Host) {
        let Some(status) = status(end) else { return };
        let [stdout, _] = host.output();
        *self.table.entry((status, stdout)).or_insert(0) += 1;
    }

    /// The table for the summary.
    pub fn into_table(self) -> Vec<Outcome> {
        let row = |((exit, stdout), executions): ((i32, Vec<u8>), u64)| Outcome {
            exit,
            stdout: String::from_utf8_lossy(&stdout).into_owned(),
            executions,
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
