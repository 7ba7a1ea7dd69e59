//! What is to be explored from shared states, on its way to those who decide about it.
//!
//! The same reversal shows in many executions. Only what was said before in the same words is left out here: a sequence
//! that merely begins like an earlier one may be needed where that one was not, because of what others have explored.

use super::footprint::Footprint;
use super::history::EventIndex;
use super::item::Wish;
use super::plan::{Node, Planner, Wanted};
use super::reversal::{Extent, Reversal};
use crate::frontend::VariableHasher;
use rscale_protocol::arena::Token;
use std::collections::HashSet;
use std::hash::BuildHasherDefault;

/// As many sequences are remembered; then they may be said again.
const MOST_SAID: usize = 1 << 16;

/// Wishes that have not been sent, and what was said before.
#[derive(Default)]
pub struct Wishes {
    new: Vec<Wish>,
    said: HashSet<Hashes, BuildHasherDefault<VariableHasher>>,
}

/// Two hashes of a sequence and its place that have nothing to do with each other: what is taken for another one would
/// be lost.
type Hashes = (u64, u64);

const KEYS: (u64, u64) = (0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93);

fn hashes(at: EventIndex, tokens: impl Iterator<Item = Token>) -> Hashes {
    // A word is never 0, and so a longer sequence is another one.
    let words = std::iter::once(u64::from(at)).chain(tokens.map(|token| token.to_code().into())).map(|word| word + 1);
    words.fold(KEYS, |(one, other), word| (mixed(one ^ word, KEYS.0), mixed(other ^ word, KEYS.1)))
}

/// Spreads a word over all bits.
fn mixed(word: u64, key: u64) -> u64 {
    let product = u128::from(word) * u128::from(key);
    product as u64 ^ (product >> 64) as u64
}

impl Wishes {
    /// Asks for a reversal in a shared state, unless that was done before or is known to be needless.
    pub fn add(&mut self, reversal: &Reversal<'_>, nodes: &[Node], planner: &dyn Planner) {
        let hashes = hashes(reversal.first, reversal.sequence().map(|event| event.token));
        let is_covered = || nodes[reversal.first as usize].cover(reversal, None, 0).is_some();
        if self.said.contains(&hashes) || planner.extent() == Extent::Whole && is_covered() {
            return;
        }
        self.is_new(hashes);
        if let Some(wanted) = planner.wanted(reversal, &nodes[reversal.first as usize]) {
            self.push(reversal.first as usize, wanted);
        }
    }

    /// Asks for one of these events in a shared state, preferably the first, unless that was done before.
    pub fn ask_for_one<'a>(&mut self, events: impl Iterator<Item = &'a Footprint>, at: EventIndex) {
        let events: Vec<Footprint> = events.copied().collect();
        if self.is_new(hashes(at, events.iter().map(|event| event.token))) {
            self.push(at as usize, Wanted::OneOf(events));
        }
    }

    /// Whether this has not been said before; it has been from now on.
    fn is_new(&mut self, hashes: Hashes) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;
    use rscale_protocol::{Choice, ThreadId};

    #[test]
    fn what_is_said_of_one_state_is_not_taken_for_what_is_said_of_another() {
        let token = |thread: u16| Token { thread: ThreadId(thread), choice: Choice::Proceed };
        let mut seen = HashSet::new();
        for at in 0..64 {
            assert!(seen.insert(hashes(at, std::iter::empty())));
            for first in 0..64 {
                assert!(seen.insert(hashes(at, [token(first)].into_iter())), "{at}: {first}");
                for second in 0..64 {
                    assert!(seen.insert(hashes(at, [first, second].map(token).into_iter())), "{at}: {first} {second}");
                }
            }
        }
        let lanes = |lane: fn(&Hashes) -> u64| seen.iter().map(lane).collect::<HashSet<u64>>().len();
        assert_eq!((lanes(|hashes| hashes.0), lanes(|hashes| hashes.1)), (seen.len(), seen.len()), "each by itself");
    }
}
