//! Memories of states: hashes, and nothing beside them.

use crate::frontend::Fingerprint;

/// 4 GB of hashes.
pub const MOST_STATES: u64 = 1 << 28;

/// No state: only the initial one, which no step leads to, has this hash.
const FREE: Fingerprint = 0;

/// A memory of states: of all, or of some.
#[derive(Debug)]
pub enum States {
    /// Of all.
    All(Unbounded),
    /// Of so many at most.
    Some(Bounded),
}

impl States {
    /// A memory of all states.
    #[must_use]
    pub fn all() -> States {
        States::All(Unbounded::default())
    }

    /// A memory of so many states at most.
    #[must_use]
    pub fn at_most(most: u64) -> States {
        States::Some(Bounded::new(most))
    }

    /// Whether the state is remembered.
    #[must_use]
    pub fn contains(&self, state: Fingerprint) -> bool {
        match self {
            States::All(all) => all.contains(state),
            States::Some(some) => some.contains(state),
        }
    }

    /// Remembers the state.
    pub fn insert(&mut self, state: Fingerprint) {
        match self {
            _ if state == FREE => {}
            States::All(all) => all.insert(state),
            States::Some(some) => some.insert(state),
        }
    }

    /// Bytes that it takes.
    #[must_use]
    pub fn memory(&self) -> usize {
        size_of_val(self.places())
    }

    /// The same, with nothing in it.
    #[must_use]
    pub fn emptied(&self) -> States {
        match self {
            States::All(_) => States::all(),
            States::Some(some) => States::at_most(some.places.len() as u64),
        }
    }

    /// How many are remembered at most, if not all.
    #[must_use]
    pub fn most(&self) -> Option<usize> {
        match self {
            States::All(_) => None,
            States::Some(some) => Some(some.places.len()),
        }
    }

    /// All that are remembered; of those that stand in each other's way, the oldest one first.
    pub fn each(&self, act: impl FnMut(Fingerprint)) {
        self.places().iter().rev().copied().filter(|&state| state != FREE).for_each(act);
    }

    fn places(&self) -> &[Fingerprint] {
        match self {
            States::All(Unbounded { places, .. }) | States::Some(Bounded { places, .. }) => places,
        }
    }
}

/// Every state: a table with open addressing. Hashes are as good as random, so some of their bits are the place.
#[derive(Debug, Default)]
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

    fn contains(&self, state: Fingerprint) -> bool {
        state != FREE && !self.places.is_empty() && self.places[Self::place(&self.places, state)] == state
    }

    fn insert(&mut self, state: Fingerprint) {
        self.make_room();
        let place = Self::place(&self.places, state);
        self.used += usize::from(self.places[place] == FREE);
        self.places[place] = state;
    }
}

/// A number of states at most. Each has a few places where it may stand, and takes the place of the oldest there.
#[derive(Debug)]
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
            let mut seen = States::at_most(most);
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
            let (mut seen, mut expected) = (States::all(), HashSet::new());
            for &state in &states {
                prop_assert_eq!(seen.contains(state), expected.contains(&state));
                seen.insert(state);
                if state != FREE {
                    expected.insert(state);
                }
            }
            prop_assert!((0..3000).all(|state| seen.contains(state << 3) == expected.contains(&(state << 3))));
            let mut known = 0;
            seen.each(|_| known += 1);
            prop_assert_eq!(known, expected.len());
        }
    }

    /// What the table takes, and what it takes for a moment while it grows.
    #[test]
    fn a_state_takes_less_than_64_bytes() {
        let mut seen = States::all();
        for state in 1..200_000u128 {
            let before = seen.memory();
            seen.insert(state.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835));
            let at_once = if seen.memory() == before { before } else { before + seen.memory() };
            let smallest = Unbounded::FIRST * size_of::<Fingerprint>();
            assert!(at_once <= (64 * state as usize).max(smallest), "{at_once} bytes for {state} states");
        }
        assert_eq!(seen.emptied().memory(), 0);
    }
}
