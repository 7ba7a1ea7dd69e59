//! The program while a debugger looks at it: it follows its schedule by itself, and is told where to stop.

use super::result::read_end;
use super::{RunEnd, Target};
use rscale_protocol::Variable;
use std::sync::atomic::Ordering::{Relaxed, Release};

/// An execution that a debugger holds.
pub struct Debugged {
    /// How many steps have begun.
    pub begun: u64,
    /// Whether the last of them is not over: the debugger has stopped the program on its way, and not where it was told
    /// to.
    pub is_under_way: bool,
    /// How it ended, or that it is paused.
    pub end: RunEnd,
}

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

    /// The execution ends where it makes this store; with None it does not.
    pub fn end_at_store(&self, store: Option<Variable>) {
        self.arena().debugging.last_store.store(store.map_or(0, |store| store.0), Relaxed);
    }

    /// A debugger holds the program: the execution goes on when the debugger lets it.
    pub fn debugger_attached(&self) {
        self.arena().debugging.is_attached.store(1, Release);
    }

    /// Where the execution stands that a debugger holds. None if the program wrote nonsense over it.
    #[must_use]
    pub fn debugged_state(&self) -> Option<Debugged> {
        let begun = self.arena().mailbox.heartbeat.load(Relaxed);
        let is_under_way = begun != self.arena().result.steps.load(Relaxed);
        Some(Debugged { begun, is_under_way, end: read_end(self.arena())? })
    }
}
