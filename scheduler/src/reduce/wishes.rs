//! What is to be explored from shared states, on its way to those who decide about it.
//!
//! The same reversal shows in many executions. Only what was said before in the same words is left out here: a sequence
//! that merely begins like an earlier one may be needed where that one was not, because of what others have explored.

use super::footprint::Footprint;
use super::history::EventIndex;
use super::plan::{Node, Planner, Wanted};
use super::reversal::{Extent, Reversal};
use super::sharing::Wish;
use rscale_protocol::arena::Token;
use std::collections::HashSet;
use std::hash::{BuildHasher, Hasher, RandomState};

/// As many sequences are remembered; then they may be said again.
const MOST_SAID: usize = 1 << 16;

/// Wishes that have not been sent, and what was said before.
#[derive(Default)]
pub struct Wishes {
    new: Vec<Wish>,
    /// Two independent hashes of each sequence and its place.
    said: HashSet<(u64, u64)>,
    keys: [RandomState; 2],
}

impl Wishes {
    /// Asks for a reversal in a shared state, unless that was done before or is known to be needless.
    pub fn add(&mut self, reversal: &Reversal<'_>, nodes: &[Node], planner: &dyn Planner) {
        let tokens = || reversal.sequence().map(|event| event.token);
        let [one, other] = [0, 1].map(|key| self.hash(key, reversal.first, tokens()));
        let is_covered =
            || planner.extent() == Extent::Whole && nodes[reversal.first as usize].covers(reversal.sequence());
        if !self.said.contains(&(one, other)) && !is_covered() {
            self.is_new((one, other));
            self.push(reversal.first as usize, planner.wanted(reversal));
        }
    }

    fn hash(&self, key: usize, at: u32, tokens: impl Iterator<Item = Token>) -> u64 {
        let mut hasher = self.keys[key].build_hasher();
        hasher.write_u32(at);
        tokens.for_each(|token| hasher.write_u16(token.to_code()));
        hasher.finish()
    }

    /// Asks for one of these events in a shared state, preferably the first, unless that was done before.
    pub fn ask_for_one<'a>(&mut self, events: impl Iterator<Item = &'a Footprint>, at: EventIndex) {
        let events: Vec<Footprint> = events.copied().collect();
        let [one, other] = [0, 1].map(|key| self.hash(key, at, events.iter().map(|event| event.token)));
        if self.is_new((one, other)) {
            self.push(at as usize, Wanted::OneOf(events));
        }
    }

    /// Whether this has not been said before; it has been from now on.
    fn is_new(&mut self, hashes: (u64, u64)) -> bool {
        if self.said.len() >= MOST_SAID {
            self.said.clear();
        }
        self.said.insert(hashes)
    }

    /// Asks for something in a state.
    pub fn push(&mut self, at: usize, wanted: Wanted) {
        self.new.push(Wish { at, wanted });
    }

    /// What is new since the last call.
    pub fn take(&mut self) -> Vec<Wish> {
        std::mem::take(&mut self.new)
    }
}
