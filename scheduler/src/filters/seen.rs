//! Memories of states: hashes, and nothing beside them.

use crate::frontend::Fingerprint;

/// 4 GB of hashes.
pub const MOST_STATES: u64 = 1 << 28;

/// No state: only the initial one, which no step leads to, has this hash.
const FREE: Fingerprint = 0;

/// A memory of states.
pub trait Seen {
    /// Whether the state is remembered.
    fn contains(&self, state: Fingerprint) -> bool;
    /// Remembers the state.
    fn insert(&mut self, state: Fingerprint);
    /// Forgets everything.
    fn clear(&mut self);
    /// Bytes that it takes.
    fn memory(&self) -> usize;
}

/// Every state: a table with open addressing. Hashes are as good as random, so some of their bits are the place.
#[derive(Default)]
pub struct Unbounded {
    /// A power of two of them, or none.
    places: Vec<Fingerprint>,
    used: usize,
}

impl Unbounded {
    const FIRST: usize = 1 << 10;

    /// The place of the state, or the free one where it belongs.
    fn place(places: &[Fingerprint], state: Fingerprint) -> usize {
        let mask = places.len() - 1;
        let mut place = state as usize & mask;
        while places[place] != state && places[place] != FREE {
            place = (place + 1) & mask;
        }
        place
    }

    /// Four fifths are filled at most, so that a free place is never far.
    fn make_room(&mut self) {
        if self.used * 5 < self.places.len() * 4 {
            return;
        }
        let mut larger = vec![FREE; (self.places.len() * 2).max(Self::FIRST)];
        for &state in self.places.iter().filter(|&&state| state != FREE) {
            let place = Self::place(&larger, state);
            larger[place] = state;
        }
        self.places = larger;
    }
}

impl Seen for Unbounded {
    fn contains(&self, state: Fingerprint) -> bool {
        state != FREE && !self.places.is_empty() && self.places[Self::place(&self.places, state)] == state
    }

    fn insert(&mut self, state: Fingerprint) {
        if state == FREE {
            return;
        }
        self.make_room();
        let place = Self::place(&self.places, state);
        self.used += usize::from(self.places[place] == FREE);
        self.places[place] = state;
    }

    fn clear(&mut self) {
        *self = Unbounded::default();
    }

    fn memory(&self) -> usize {
        self.places.capacity() * size_of::<Fingerprint>()
    }
}

/// A number of states at most. Each has a few places where it may stand, and takes the place of the oldest there.
pub struct Bounded {
    /// Sets of places, one after the other.
    places: Vec<Fingerprint>,
    /// Places that a state may stand in.
    ways: usize,
}

impl Bounded {
    const WAYS: usize = 8;

    /// Room for so many.
    pub fn new(most: u64) -> Bounded {
        let most = most.clamp(1, MOST_STATES) as usize;
        let ways = Self::WAYS.min(most);
        Bounded { places: vec![FREE; most / ways * ways], ways }
    }

    fn start(&self, state: Fingerprint) -> usize {
        state as usize % (self.places.len() / self.ways) * self.ways
    }
}

impl Seen for Bounded {
    fn contains(&self, state: Fingerprint) -> bool {
        let start = self.start(state);
        state != FREE && self.places[start..start + self.ways].contains(&state)
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
        self.places.fill(FREE);
    }

    fn memory(&self) -> usize {
        self.places.capacity() * size_of::<Fingerprint>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

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

        /// Also where hashes are not random at all.
        #[test]
        fn an_unbounded_memory_forgets_nothing(states in prop::collection::vec((0u128..3000).prop_map(|state| state << 3), 1..4000)) {
            let (mut seen, mut expected) = (Unbounded::default(), HashSet::new());
            for &state in &states {
                prop_assert_eq!(seen.contains(state), expected.contains(&state));
                seen.insert(state);
                if state != FREE {
                    expected.insert(state);
                }
            }
            prop_assert!((0..3000).all(|state| seen.contains(state << 3) == expected.contains(&(state << 3))));
            prop_assert_eq!(seen.used, expected.len());
        }
    }

    /// What the table takes, and what it takes for a moment while it grows.
    #[test]
    fn a_state_takes_less_than_64_bytes() {
        let mut seen = Unbounded::default();
        for state in 1..200_000u128 {
            let before = seen.memory();
            seen.insert(state.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835));
            let at_once = if seen.memory() == before { before } else { before + seen.memory() };
            let smallest = Unbounded::FIRST * size_of::<Fingerprint>();
            assert!(at_once <= (64 * state as usize).max(smallest), "{at_once} bytes for {state} states");
        }
        seen.clear();
        assert_eq!(seen.memory(), 0);
    }
}
