//! The program while a debugger looks at it: it follows its schedule by itself, and is told where to stop.

use super::result::read_end;
use super::{RunEnd, Target};
use std::sync::atomic::Ordering::{Relaxed, Release};

impl Target {
    /// The next execution waits for a debugger after so many steps, or at its end.
    pub fn expect_debugger(&self, stop_after: u64) {
        self.arena().debugging.is_attached.store(0, Relaxed);
        self.stop_for_debugger(stop_after);
    }

    /// The execution stops after so many steps, or at its end.
    pub fn stop_for_debugger(&self, stop_after: u64) {
        self.arena().debugging.stop_after.store(stop_after, Relaxed);
    }

    /// A debugger holds the program: the execution goes on when the debugger lets it.
    pub fn debugger_attached(&self) {
        self.arena().debugging.is_attached.store(1, Release);
    }

    /// How many steps the execution that a debugger holds has taken, and how it ended or that it is paused. None if the
    /// program wrote nonsense over it.
    #[must_use]
    pub fn debugged_state(&self) -> Option<(u64, RunEnd)> {
        Some((self.arena().result.steps.load(Relaxed), read_end(self.arena())?))
    }
}
