//! How often the state of a search is written down.
//!
//! Often enough that little is lost with the process, and seldom enough that the search does not notice: what takes long
//! to write down, because it is large or the disk is slow, is written down less often.

use std::time::{Duration, Instant};

/// Between two states, at least.
const INTERVAL: Duration = Duration::from_secs(1);
/// The search goes on for this many times as long as it took to write its state down, so that it loses a fortieth of
/// its time at most.
const REST: u32 = 40;
/// But not for longer than this: that is what a search can lose.
const LONGEST: Duration = Duration::from_secs(5);
/// Runs between two looks at the clock.
const BETWEEN_LOOKS: u64 = 64;

/// When the next state is to be written down.
#[derive(Debug)]
pub(super) struct Pace {
    /// When something was last written.
    last: Instant,
    /// How long the search goes on before the next state.
    interval: Duration,
    runs: u64,
}

impl Pace {
    /// Nothing has been written down so far.
    pub(super) fn new() -> Pace {
        Pace { last: Instant::now(), interval: INTERVAL, runs: 0 }
    }

    /// A run has been added to the search. Whether it is time, if that is looked at now.
    pub(super) fn is_due(&mut self) -> bool {
        self.runs += 1;
        self.runs.is_multiple_of(BETWEEN_LOOKS) && self.is_time()
    }

    /// Whether the state is to be written down, by the clock alone.
    pub(super) fn is_time(&self) -> bool {
        self.last.elapsed() >= self.interval
    }

    /// Something has been written down.
    pub(super) fn restart(&mut self) {
        self.last = Instant::now();
    }

    /// The search had to wait since then for a state to be written down.
    pub(super) fn waited(&mut self, since: Instant) {
        self.restart();
        self.interval = (since.elapsed() * REST).clamp(INTERVAL, LONGEST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_long_is_done_less_often() {
        let mut pace = Pace::new();
        let ago = |time: Duration| Instant::now().checked_sub(time).expect("the machine runs for longer");
        for (took, between) in [(0, 1), (50, 2), (100, 4), (5000, 5)] {
            pace.waited(ago(Duration::from_millis(took)));
            pace.last = ago(Duration::from_millis(between * 1000 - 200));
            assert!(!pace.is_time(), "a state took {took} ms");
            pace.last = ago(Duration::from_millis(between * 1000 + 1000));
            assert!(pace.is_time(), "a state took {took} ms");
        }
    }

    #[test]
    fn the_clock_is_looked_at_seldom() {
        let mut pace = Pace::new();
        let long_ago = Instant::now().checked_sub(LONGEST).expect("the machine runs for longer");
        pace.last = long_ago;
        let due = (0..BETWEEN_LOOKS).filter(|_| pace.is_due()).count();
        assert_eq!(due, 1);
        pace.restart();
        assert!(pace.last > long_ago, "it counts from now on");
    }
}
