//! What `/proc` says of a process.

use nix::unistd::Pid;
use std::time::Duration;

/// A part of `/proc/PID/stat`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProcessStat {
    /// The process that started it, or took it over.
    pub parent: Pid,
    /// Processor time that it has used.
    pub processor_time: Duration,
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
    let parent = fields.nth(1)?.parse().ok()?;
    let (user, system) = (fields.nth(9)?.parse::<u64>().ok()?, fields.next()?.parse::<u64>().ok()?);
    // Linux shows processor time in hundredths of a second to programs, whatever its own clock.
    let processor_time = Duration::from_millis(user.checked_add(system)?.checked_mul(10)?);
    Some(ProcessStat { parent: Pid::from_raw(parent), processor_time })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_parent_and_processor_time_behind_a_nasty_name() {
        let stat = "12 (a) 1 2) (b)) R 1 2 3 4 5 6 7 8 9 10 300 45 0 0 20 0 1 0 99";
        let expected = ProcessStat { parent: Pid::from_raw(1), processor_time: Duration::from_millis(3450) };
        assert_eq!(parse(stat), Some(expected));
        assert_eq!(parse("garbage"), None);
    }

    #[test]
    fn knows_its_own_parent() {
        assert_eq!(ProcessStat::of(nix::unistd::getpid()).map(|stat| stat.parent), Some(nix::unistd::getppid()));
        assert_eq!(ProcessStat::of(Pid::from_raw(-1)), None);
    }
}
