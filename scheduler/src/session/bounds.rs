//! The bounds of a search, and why it stopped.

use crate::backend::is_too_much_in_use;
use crate::config::RunConfig;
use crate::explore::Counts;
use crate::filters;
use crate::interrupt;
use std::time::{Duration, Instant};

/// Runs between two looks at the clock: an execution takes microseconds.
const BETWEEN_LOOKS: u64 = 64;

/// Time between two looks at the memory in use.
const BETWEEN_MEASUREMENTS: Duration = Duration::from_millis(20);

/// Why a search stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// Nothing was left.
    Exhausted,
    /// Something was found.
    Found,
    /// `--max-executions`.
    Executions,
    /// `--time-limit`.
    Time,
    /// `--max-memory`.
    Memory,
    /// Ctrl-C.
    Interrupted,
}

/// The bounds of a search.
pub struct Bounds {
    start: Instant,
    /// Time that the search took in other processes.
    before: Duration,
    max_executions: u64,
    /// Whether runs that were cut count too: a search that never ends may have no others.
    counts_runs: bool,
    deadline: Option<Instant>,
    /// How much memory may be used: what there is, if the user does not say.
    max_memory: Option<u64>,
    /// When to look at it next.
    next_measurement: Instant,
}

impl Bounds {
    /// The bounds that the user set; time runs from now.
    pub fn new(config: &RunConfig) -> Bounds {
        let start = Instant::now();
        Bounds {
            start,
            before: Duration::ZERO,
            max_executions: config.max_executions.unwrap_or(u64::MAX),
            counts_runs: config.filters.as_deref().is_some_and(filters::is_endless),
            deadline: config.time_limit.and_then(|limit| start.checked_add(limit)),
            max_memory: config.max_memory.as_ref().map(|size| size.bytes),
            next_measurement: start,
        }
    }

    /// When the time that the user gave is over.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Time since the search began.
    pub fn elapsed(&self) -> Duration {
        self.before + self.start.elapsed()
    }

    /// The search took so long in another process.
    pub fn add_elapsed(&mut self, elapsed: Duration) {
        self.before += elapsed;
    }

    /// How many executions are left; None for any number.
    pub fn runs_left(&self, counts: &Counts) -> Option<u64> {
        (self.max_executions < u64::MAX).then(|| self.max_executions.saturating_sub(self.counted(counts)))
    }

    /// Whether runs that were cut count too.
    pub fn counts_runs(&self) -> bool {
        self.counts_runs
    }

    fn counted(&self, counts: &Counts) -> u64 {
        if self.counts_runs { counts.runs } else { counts.executions }
    }

    /// Whether more memory is used than the user allows, or the machine has. Looking takes some ten microseconds, so it
    /// is not done often.
    pub fn is_out_of_memory(&mut self) -> bool {
        let now = Instant::now();
        if now < self.next_measurement {
            return false;
        }
        self.next_measurement = now + BETWEEN_MEASUREMENTS;
        is_too_much_in_use(self.max_memory)
    }

    /// The bound that is reached, if one is.
    pub fn reached(&mut self, counts: &Counts) -> Option<Stop> {
        if interrupt::requested() {
            return Some(Stop::Interrupted);
        }
        if self.counted(counts) >= self.max_executions {
            return Some(Stop::Executions);
        }
        let look = counts.started().is_multiple_of(BETWEEN_LOOKS);
        if look && self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Some(Stop::Time);
        }
        (look && self.is_out_of_memory()).then_some(Stop::Memory)
    }
}
