//! The watchdog: notices a program that runs and takes no step, or waits for something that never comes.
//!
//! Time is the processor time of the program, so that a busy machine accuses nobody. Only a program that sleeps in the
//! kernel is judged by the wall clock, generously.

use super::process_stat::ProcessStat;
use nix::unistd::Pid;
use std::time::{Duration, Instant};

/// When a program counts as hanging.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Processor time without a step.
    pub busy: Duration,
    /// Time asleep without a step.
    pub asleep: Duration,
}

/// Watches one run.
pub struct Watchdog {
    limits: Limits,
    heartbeat: u64,
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
    pub fn new(limits: Limits, pid: Pid, heartbeat: u64) -> Watchdog {
        Watchdog { limits, heartbeat, processor_time: processor_time(pid), since: Instant::now() }
    }

    /// Looks again; says if the program hangs.
    pub fn look(&mut self, pid: Pid, heartbeat: u64) -> Option<Hang> {
        let now = processor_time(pid);
        if heartbeat != self.heartbeat {
            *self = Watchdog::new(self.limits, pid, heartbeat);
            return None;
        }
        let busy = now.saturating_sub(self.processor_time);
        if busy >= self.limits.busy {
            return Some(Hang::Busy);
        }
        let asleep = self.since.elapsed() >= self.limits.asleep && busy * 100 < self.limits.asleep;
        asleep.then_some(Hang::Asleep)
    }
}

/// Processor time that the process has used.
fn processor_time(pid: Pid) -> Duration {
    ProcessStat::of(pid).map_or(Duration::ZERO, |stat| stat.processor_time)
}
