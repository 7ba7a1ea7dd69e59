//! What the kernel says of a process.

use nix::time::{clock_getcpuclockid, clock_gettime};
use nix::unistd::Pid;
use std::time::Duration;

/// A part of `/proc/PID/stat`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProcessStat {
    /// The process that started it, or took it over.
    pub parent: Pid,
    /// Whether its first thread runs, or would if there were a processor for it.
    pub is_running: bool,
    /// Whether it has ended, and nobody has asked how yet.
    pub has_ended: bool,
}

impl ProcessStat {
    /// Asks about a process; nothing if there is none with this number.
    pub fn of(pid: Pid) -> Option<ProcessStat> {
        parse(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }
}

/// The name of the program, in parentheses, may contain anything.
fn parse(stat: &str) -> Option<ProcessStat> {
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    let parent = Pid::from_raw(fields.next()?.parse().ok()?);
    Some(ProcessStat { parent, is_running: state == "R", has_ended: matches!(state, "Z" | "X") })
}

/// Processor time that a process has used, to the microsecond; none if it is gone.
pub fn processor_time(pid: Pid) -> Duration {
    if pid.as_raw() <= 0 {
        return Duration::ZERO;
    }
    clock_getcpuclockid(pid).and_then(clock_gettime).map_or(Duration::ZERO, Duration::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_state_and_parent_behind_a_nasty_name() {
        let stat = |state| format!("12 (a) 1 2) (b)) {state} 1 2 3 4 5 6 7 8 9 10 300 45 0 0 20 0 1 0 99");
        for (state, is_running, has_ended) in [("R", true, false), ("S", false, false), ("Z", false, true)] {
            assert_eq!(parse(&stat(state)), Some(ProcessStat { parent: Pid::from_raw(1), is_running, has_ended }));
        }
        assert_eq!(parse("garbage"), None);
    }

    #[test]
    fn knows_its_own_parent() {
        assert_eq!(ProcessStat::of(nix::unistd::getpid()).map(|stat| stat.parent), Some(nix::unistd::getppid()));
        assert_eq!(ProcessStat::of(Pid::from_raw(-1)), None);
    }

    #[test]
    fn processor_time_goes_on() {
        /// The kernel gives no such number.
        const NONE: i32 = 1 << 23;
        let own = nix::unistd::getpid();
        let before = processor_time(own);
        while processor_time(own) < before + Duration::from_micros(100) {}
        assert_eq!(processor_time(Pid::from_raw(NONE)), Duration::ZERO);
    }
}
