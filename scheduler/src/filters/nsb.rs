//! `nsb`: not seen before (SCALE, Algorithm 3).
//!
//! A successor whose representation was visited before is pruned. Representations are compared by their 128-bit hashes.
//! `nsb=N` keeps at most N of them: a state that was forgotten is explored again, nothing is lost but time.

use super::{Filter, FilterInfo, Make, Needs, Preserves};
use crate::explore::{Candidates, Path};
use crate::frontend::{Configuration, Fingerprint};
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// 4 GB of hashes.
const MOST_STATES: u64 = 1 << 28;

pub(super) const INFO: FilterInfo = FilterInfo {
    name: "nsb",
    argument: Some("[N]"),
    range: 1..=MOST_STATES,
    summary: "not seen before: a state is explored once, however it is reached; with N, as many are remembered",
    needs: Needs::NOTHING,
    make: Make::Filter(|value| match value {
        None => Box::new(NotSeenBefore { seen: Unbounded::default() }),
        Some(most) => Box::new(NotSeenBefore { seen: Bounded::new(most) }),
    }),
};

/// Prunes what was visited.
struct NotSeenBefore<S> {
    seen: S,
}

/// A memory of states.
trait Seen {
    fn contains(&self, state: Fingerprint) -> bool;
    fn insert(&mut self, state: Fingerprint);
    fn clear(&mut self);
    fn memory(&self) -> usize;
}

impl<S: Seen> Filter for NotSeenBefore<S> {
    fn visit(&mut self, _path: &Path, configuration: &mut Configuration, candidates: &mut Candidates) {
        candidates.retain(|token| {
            configuration.fingerprint_after(token).is_none_or(|fingerprint| !self.seen.contains(fingerprint))
        });
    }

    fn visited(&mut self, configuration: &Configuration, candidates: &Candidates) {
        if !candidates.is_partial() {
            self.seen.insert(configuration.fingerprint());
        }
    }

    fn restart(&mut self) {
        self.seen.clear();
    }

    fn preserves(&self) -> Preserves {
        Preserves::EveryState
    }

    fn memory(&self) -> usize {
        self.seen.memory()
    }
}

/// Every state.
#[derive(Default)]
struct Unbounded(HashSet<Fingerprint, BuildHasherDefault<TakeBits>>);

impl Seen for Unbounded {
    fn contains(&self, state: Fingerprint) -> bool {
        self.0.contains(&state)
    }

    fn insert(&mut self, state: Fingerprint) {
        self.0.insert(state);
    }

    fn clear(&mut self) {
        self.0.clear();
    }

    fn memory(&self) -> usize {
        // The table keeps an entry and a control byte for every slot.
        self.0.capacity() * (size_of::<Fingerprint>() + 1)
    }
}

/// A number of states at most. Each has a few places where it may stand, and takes the place of the oldest there.
struct Bounded {
    /// Sets of places, one after the other; 0 is free.
    places: Vec<Fingerprint>,
    /// Places that a state may stand in.
    ways: usize,
}

impl Bounded {
    const WAYS: usize = 8;

    fn new(most: u64) -> Bounded {
        let most = most.clamp(1, MOST_STATES) as usize;
        let ways = Self::WAYS.min(most);
        Bounded { places: vec![0; most / ways * ways], ways }
    }

    fn start(&self, state: Fingerprint) -> usize {
        state as usize % (self.places.len() / self.ways) * self.ways
    }
}

impl Seen for Bounded {
    fn contains(&self, state: Fingerprint) -> bool {
        let start = self.start(state);
        self.places[start..start + self.ways].contains(&state)
    }

    fn insert(&mut self, state: Fingerprint) {
        let start = self.start(state);
        let set = &mut self.places[start..start + self.ways];
        if !set.contains(&state) {
            set.rotate_right(1);
            set[0] = state;
        }
    }

    fn clear(&mut self) {
        self.places.fill(0);
    }

    fn memory(&self) -> usize {
        self.places.capacity() * size_of::<Fingerprint>()
    }
}

/// Fingerprints are hashes already: some of their bits will do.
#[derive(Default)]
struct TakeBits(u64);

impl Hasher for TakeBits {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0.rotate_left(8) ^ u64::from(byte));
    }
    fn write_u128(&mut self, value: u128) {
        self.0 = value as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// It never claims to have seen what it has not, and remembers the latest of every set.
        #[test]
        fn a_bounded_memory_forgets_but_does_not_invent(most in 1u64..40, states in prop::collection::vec(1u128..100, 1..200)) {
            let mut seen = Bounded::new(most);
            let room = seen.memory();
            for (count, &state) in states.iter().enumerate() {
                seen.insert(state);
                prop_assert!(seen.contains(state));
                let known = (1..100).filter(|&state| seen.contains(state)).count();
                prop_assert!(known <= most as usize);
                prop_assert!((1..100).all(|state| !seen.contains(state) || states[..=count].contains(&state)));
            }
            prop_assert_eq!(seen.memory(), room);
        }
    }
}
