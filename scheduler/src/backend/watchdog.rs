//! The watchdog: notices a program that runs and takes no step, or waits for something that never comes.
//!
//! Time is the processor time of the program, so that a busy machine accuses nobody. Only a program that sleeps in the
//! kernel is judged by the wall clock, generously.

use super::process_stat::{ProcessStat, processor_time};
use nix::unistd::Pid;
use std::time::{Duration, Instant};

/// How much sooner a program counts as hanging where it has been seen to hang.
const HASTE: u32 = 4;

/// How many times what a program usually takes is suspicious, and what no program is suspected for: what processors do
/// in between, or other processes that it waits for.
const MARGIN: u32 = 16;
const LEAST_BUSY: Duration = Duration::from_millis(10);
const LEAST_ASLEEP: Duration = Duration::from_millis(200);

/// When a program counts as hanging.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Processor time without a step.
    pub busy: Duration,
    /// Time asleep without a step.
    pub asleep: Duration,
}

/// By what the watchdog sees that the program moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Life {
    /// Steps that were taken.
    pub steps: u64,
    /// Mebibytes of the heap that are in use: a program that takes all there is comes to an end.
    pub heap: u64,
    /// The process that evaluates a function for the program, which sleeps meanwhile, or 0.
    pub evaluator: i32,
}

impl Life {
    /// Whose time counts.
    fn process(&self, program: Pid) -> Pid {
        if self.evaluator > 0 { Pid::from_raw(self.evaluator) } else { program }
    }
}

impl Limits {
    /// For what has hung before: it need not take as long to be believed.
    #[must_use]
    pub fn once_more(self) -> Limits {
        Limits { busy: self.busy / HASTE, asleep: self.asleep / HASTE }
    }

    /// For what will be tried with more patience if it seems to hang: a few times what it usually takes. Never more
    /// than these limits.
    #[must_use]
    pub fn hasty(self, usual: Duration) -> Limits {
        let times = |least: Duration| usual.saturating_mul(MARGIN).max(least);
        Limits { busy: times(LEAST_BUSY).min(self.busy), asleep: times(LEAST_ASLEEP).min(self.asleep) }
    }

    /// The lower one.
    pub(super) fn shortest(self) -> Duration {
        self.busy.min(self.asleep)
    }
}

/// Watches one run.
pub struct Watchdog {
    limits: Limits,
    seen: Life,
    processor_time: Duration,
    since: Instant,
}

/// How a program hangs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hang {
    /// It computes.
    Busy,
    /// It waits in a system call.
    Asleep,
}

impl Watchdog {
    /// Starts to watch.
    pub fn new(limits: Limits, pid: Pid, seen: Life) -> Watchdog {
        Watchdog { limits, seen, processor_time: processor_time(seen.process(pid)), since: Instant::now() }
    }

    /// Looks again; says if the program hangs.
    pub fn look(&mut self, pid: Pid, seen: Life) -> Option<Hang> {
        if seen != self.seen {
            *self = Watchdog::new(self.limits, pid, seen);
            return None;
        }
        let now = processor_time(seen.process(pid));
        let busy = now.saturating_sub(self.processor_time);
        if busy >= self.limits.busy {
            return Some(Hang::Busy);
        }
        let asleep = self.since.elapsed() >= self.limits.asleep && busy * 100 < self.limits.asleep;
        // On a busy machine it may wait for nothing but a processor.
        let is_waiting = || ProcessStat::of(seen.process(pid)).is_none_or(|stat| !stat.is_running);
        (asleep && is_waiting()).then_some(Hang::Asleep)
    }
}
