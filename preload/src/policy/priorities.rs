//! Priorities by chance: what `pct` and `pos` have in common.
//!
//! A thread has one priority for each way in which it can take a step: a time-out is taken as if a clock were a thread
//! of its own, and so is a spurious wake-up. Priorities are drawn when they are first looked at.

use super::steps;
use crate::{random, world};
use core::cell::Cell;
use rscale_protocol::arena::Token;
use rscale_protocol::{MAX_THREADS, ThreadId, ThreadSet};

/// Set in every priority that was drawn: what is lowered by hand lies below all of them.
const DRAWN: u64 = 1 << 63;

/// The priorities: a part of the world. All zeroes: none has been drawn.
pub struct Priorities {
    slots: [[Cell<u64>; MAX_THREADS]; 3],
}

impl Priorities {
    /// None has been drawn.
    pub const fn new() -> Priorities {
        Priorities { slots: [const { [const { Cell::new(0) }; MAX_THREADS] }; 3] }
    }

    /// Gives a step a priority: below all that are drawn, unless 0, which stands for a new one.
    pub fn set(&self, token: Token, priority: u64) {
        self.slots[token.choice as usize][token.thread.index()].set(priority & !DRAWN);
    }

    /// All priorities of the thread are to be drawn anew.
    pub fn forget(&self, thread: ThreadId) {
        self.slots.iter().for_each(|slots| slots[thread.index()].set(0));
    }

    /// The step with the highest priority.
    pub fn highest(&self, awake: &[ThreadSet; 3]) -> Option<Token> {
        steps(awake).max_by_key(|&token| self.of(token))
    }

    fn of(&self, token: Token) -> u64 {
        let slot = &self.slots[token.choice as usize][token.thread.index()];
        if slot.get() == 0 {
            slot.set(random::number(&world::get().order) | DRAWN);
        }
        slot.get()
    }
}
