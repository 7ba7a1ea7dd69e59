//! One round of a thread that may be waiting in a loop: where it began, and what the thread has looked at since.
//!
//! This is what tells a loop that waits from one that gets somewhere, and nothing else: a round knows neither the other
//! threads nor the log. What follows from it, for its thread and for those, is decided [outside](super).

use crate::access::locations::Location;

/// Locations that a round may read.
const MOST_WATCHED: usize = 8;
/// Reads without coming back to the first one, after which another one is taken for the first; then twice as many. A
/// loop whose first round the compiler has taken out of it must not be read 64 times: each read is a scheduling point.
const SHORTEST_ROUND: u32 = 4;

/// What a thread has done since it passed an instruction for the first time.
#[derive(Clone, Copy)]
pub(super) struct Round {
    /// The instruction, and the thread's local state there.
    pub(super) pc: u64,
    local: u64,
    /// What it has read since.
    watched: [u64; MOST_WATCHED],
    count: usize,
    reads: u32,
    /// Reads after which another one is taken for the first.
    most_reads: u32,
    /// Rounds that it may still go while it is let loose.
    pub(super) loose: u32,
    /// Long runs without a step, and without coming to wait.
    pub(super) long_runs: u32,
    /// Whether anything that others write may end its loop.
    pub(super) watches_all: bool,
    /// Whether it looks at something under locks: others that do so change nothing.
    pub(super) polls: bool,
    pub(super) progress: bool,
    /// An atomic update whose effect is not known yet.
    pub(super) update: Option<Update>,
}

/// An atomic update that takes place next.
#[derive(Clone, Copy)]
pub(super) struct Update {
    /// Its bytes, and what they were.
    pub(super) range: Location,
    pub(super) old: u64,
    /// Start of the location that they belong to.
    pub(super) location: u64,
    /// Its place in the log.
    pub(super) logged: usize,
}

impl Round {
    pub(super) const NONE: Round = Round {
        pc: 0,
        local: 0,
        watched: [0; MOST_WATCHED],
        count: 0,
        reads: 0,
        most_reads: SHORTEST_ROUND,
        loose: 0,
        long_runs: 0,
        watches_all: false,
        polls: false,
        progress: true,
        update: None,
    };

    /// The round of a thread that is looked at because it takes no steps: it may wait for anything that others write.
    pub(super) fn of_long_run(pc: u64, local: u64, loose: u32) -> Round {
        Round { pc, local, watches_all: true, progress: false, loose, ..Round::NONE }
    }

    /// The round of a thread that has looked at something under these locks, and has read what an earlier one says.
    pub(super) fn of_polling(mutexes: &[u64], earlier: &Round) -> Round {
        let mut round = Round { polls: true, progress: false, ..Round::NONE };
        mutexes.iter().chain(&earlier.watched[..earlier.count]).for_each(|&location| round.watch(location));
        round
    }

    /// Whoever changes what lies there may end the loop; a thread that yields looks at nothing.
    pub(super) fn watch(&mut self, location: u64) {
        if location == 0 || self.watches(location) {
            return;
        }
        if self.count == MOST_WATCHED {
            self.progress = true; // too much to watch: not taken for a loop
            return;
        }
        self.watched[self.count] = location;
        self.count += 1;
    }

    pub(super) fn watches(&self, location: u64) -> bool {
        self.watched[..self.count].contains(&location)
    }

    /// The thread is about to look at what lies at an address. Whether it waits, because it has come round.
    pub(super) fn look(&mut self, address: u64, pc: u64, local: impl Fn() -> u64) -> bool {
        let is_longer = !self.progress && self.reads == self.most_reads;
        let mut waits = false;
        if self.progress || is_longer {
            let (most_reads, loose) =
                if is_longer { (self.most_reads.saturating_mul(2), self.loose) } else { (SHORTEST_ROUND, 0) };
            *self = Round { pc, local: local(), progress: false, most_reads, loose, ..Round::NONE };
        } else if self.pc == pc {
            waits = self.came_back(local());
            self.reads = 0;
        }
        self.reads += 1;
        self.watch(address);
        waits
    }

    /// Whether the thread is in the state of its last round. In the first one there may be remains of what it did
    /// before the loop, in memory below its frames that hooks save with them.
    pub(super) fn came_back(&mut self, local: u64) -> bool {
        core::mem::replace(&mut self.local, local) == local
    }
}
