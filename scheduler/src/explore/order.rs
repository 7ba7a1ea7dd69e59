//! The order in which successors are picked: by thread number, or shuffled by a seed (the thesis' SCALE(54)). With a
//! seed the program picks at random too, where it runs on beyond the schedule that it was given.

use super::Candidates;
use rscale_protocol::arena::{Beyond, Policy, Token};
use serde::{Deserialize, Serialize};

/// An order of exploration.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Order {
    stream: Stream,
    shuffled: bool,
}

impl Order {
    /// By thread number for seed 0, else shuffled.
    #[must_use]
    pub fn new(seed: u64) -> Order {
        Order { stream: Stream::new(seed), shuffled: seed != 0 }
    }

    /// Where its stream of numbers stands, and whether it goes by that.
    #[must_use]
    pub fn parts(&self) -> (u64, bool) {
        (self.stream.state, self.shuffled)
    }

    /// An order that is shuffled, from where its stream stands, or is not.
    #[must_use]
    pub fn of_parts(state: Option<u64>) -> Order {
        Order { stream: Stream::new(state.unwrap_or(0)), shuffled: state.is_some() }
    }

    /// The next step to explore out of a state.
    pub fn pick(&mut self, candidates: &Candidates) -> Option<Token> {
        if !self.shuffled {
            return candidates.iter().next();
        }
        let count = candidates.len() as u64;
        (count > 0).then(|| candidates.iter().nth((self.stream.next_number() % count) as usize)).flatten()
    }

    /// The order of what follows the next schedule.
    pub fn beyond(&mut self) -> Beyond {
        if self.shuffled { Beyond::by_chance(Policy::Shuffled, self.stream.next_number()) } else { Beyond::FIXED }
    }
}

/// A stream of random numbers (splitmix64): the same seed gives the same ones.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Stream {
    state: u64,
}

/// What the state of a stream grows by.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl Stream {
    /// The stream of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Stream {
        Stream { state: seed }
    }

    /// The stream of a seed behind so many numbers.
    #[must_use]
    pub fn at(seed: u64, place: u64) -> Stream {
        Stream { state: seed.wrapping_add(place.wrapping_mul(STEP)) }
    }

    /// The next number.
    pub fn next_number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        let mixed = (self.state ^ self.state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rscale_protocol::{ThreadId, ThreadSet};
    use std::collections::HashSet;

    #[test]
    fn seed_zero_goes_by_number_and_others_reach_everything() {
        let set: ThreadSet = (3..7).map(ThreadId).collect();
        let candidates = Candidates::all([set, ThreadSet::EMPTY, ThreadSet::EMPTY]);
        assert_eq!(Order::new(0).pick(&candidates).map(|token| token.thread), Some(ThreadId(3)));
        let mut order = Order::new(54);
        let picked: HashSet<_> = (0..100).filter_map(|_| order.pick(&candidates)).collect();
        assert_eq!(picked.len(), 4);
        assert_eq!(Order::new(54).pick(&Candidates::default()), None);
        assert_eq!(Order::new(0).beyond(), Beyond::FIXED);
        assert!(order.beyond() != Beyond::FIXED && order.beyond() != order.beyond());
    }
}
