//! One memory of states for several workers.
//!
//! A state is explored by whoever *claims* it: who comes there first. Everybody else leaves it alone, and whatever lies
//! behind it, so when all have done what they have claimed, everything has been explored.
//!
//! Where threads sleep in a state, what begins with them is not explored from there. Another path may lead to the same
//! state with other threads asleep, and no order of events says which of the two comes first. So what slept is
//! remembered with the state (Godefroid, 1996): who comes there later explores what slept then and does not now, and
//! nothing else. Then what a visit has to explore never depends on what somebody else may not have explored yet, but on
//! what lies behind the state alone.
//!
//! Hashes are as good as random: the memory is divided by some of their bits into parts with a lock each, and workers
//! hardly ever meet at one.

use super::seen::States;
use crate::explore::Visited;
use crate::frontend::Fingerprint;
use rscale_protocol::ThreadSet;
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Parts of a memory. More than a few times as many as workers bring nothing.
const PARTS: usize = 256;

/// The bits of a hash that choose the part: the place within it is chosen by the lowest ones.
const PART_SHIFT: u32 = 96;

/// A memory of states that several workers share.
#[derive(Debug)]
pub struct SharedStates {
    parts: Vec<Part>,
    /// Whether what is claimed is noted, to be written down, and whether all was forgotten before.
    is_noted: AtomicBool,
    is_anew: AtomicBool,
}

/// What is left to explore in a state that a worker has come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// Everything: nobody was there before.
    Everything,
    /// What these threads do next, which slept when others were there.
    Only(ThreadSet),
    /// Nothing.
    Nothing,
}

/// A part, in cache lines of its own.
#[derive(Debug)]
#[repr(align(64))]
struct Part(Mutex<Known>);

/// States, with who slept there whenever somebody came.
#[derive(Debug, Default)]
struct Known {
    asleep: HashMap<Fingerprint, ThreadSet, BuildHasherDefault<LowBits>>,
    /// How many there may be, if that is bounded, and in which order they came.
    most: Option<usize>,
    order: VecDeque<Fingerprint>,
    /// What was claimed since that was asked for.
    noted: Vec<(Fingerprint, ThreadSet)>,
}

impl Known {
    fn at_most(most: Option<usize>) -> Known {
        Known { most, ..Known::default() }
    }

    fn claim(&mut self, state: Fingerprint, asleep: ThreadSet) -> Claim {
        let Some(known) = self.asleep.get_mut(&state) else {
            self.insert(state, asleep);
            return Claim::Everything;
        };
        let awake = known.without(asleep);
        *known = known.without(awake);
        if awake.is_empty() { Claim::Nothing } else { Claim::Only(awake) }
    }

    fn insert(&mut self, state: Fingerprint, asleep: ThreadSet) {
        self.asleep.insert(state, asleep);
        if let Some(most) = self.most {
            self.order.push_back(state);
            if self.order.len() > most {
                self.order.pop_front().map(|oldest| self.asleep.remove(&oldest));
            }
        }
    }

    fn memory(&self) -> usize {
        self.asleep.capacity() * size_of::<(Fingerprint, ThreadSet)>()
            + self.order.capacity() * size_of::<Fingerprint>()
    }
}

impl SharedStates {
    /// Shares what was known to one, who has explored all that slept.
    #[must_use]
    pub fn of(states: &States) -> SharedStates {
        let (parts, most) = match states.most() {
            None => (PARTS, None),
            Some(most) => {
                let parts = PARTS.min(most);
                (parts, Some(most / parts))
            }
        };
        let parts = (0..parts).map(|_| Part(Mutex::new(Known::at_most(most)))).collect();
        let shared = SharedStates { parts, is_noted: AtomicBool::new(false), is_anew: AtomicBool::new(false) };
        states.each(|state| _ = shared.claim(state, ThreadSet::EMPTY));
        shared
    }

    /// The same, with nothing in it.
    #[must_use]
    pub fn emptied(&self) -> SharedStates {
        let empty = |Part(part): &Part| Part(Mutex::new(Known::at_most(lock(part).most)));
        let (is_noted, is_anew) = (AtomicBool::new(self.is_noted.load(Relaxed)), AtomicBool::new(true));
        SharedStates { parts: self.parts.iter().map(empty).collect(), is_noted, is_anew }
    }

    /// Notes what is claimed from now on.
    pub fn note(&self) {
        self.is_noted.store(true, Relaxed);
    }

    /// What was claimed since the last call, while nobody claims anything.
    #[must_use]
    pub fn take_noted(&self) -> Visited {
        let noted = self.parts.iter().flat_map(|Part(part)| std::mem::take(&mut lock(part).noted));
        Visited::together(self.is_anew.swap(false, Relaxed), &noted.collect::<Vec<_>>())
    }

    /// Another process has been in a state where these threads slept.
    pub fn restore(&self, state: Fingerprint, asleep: ThreadSet) {
        let mut known = self.part(state);
        match known.asleep.get_mut(&state) {
            Some(before) => *before = before.without(before.without(asleep)),
            None => known.insert(state, asleep),
        }
    }

    fn part(&self, state: Fingerprint) -> MutexGuard<'_, Known> {
        let place = (state >> PART_SHIFT) as usize % self.parts.len();
        lock(&self.parts[place].0)
    }

    /// Whether nothing would be left to explore in a state where these threads sleep.
    #[must_use]
    pub fn covers(&self, state: Fingerprint, asleep: ThreadSet) -> bool {
        self.part(state).asleep.get(&state).is_some_and(|known| known.without(asleep).is_empty())
    }

    /// Claims what is left of a state where these threads sleep.
    #[must_use]
    pub fn claim(&self, state: Fingerprint, asleep: ThreadSet) -> Claim {
        let mut known = self.part(state);
        let claim = known.claim(state, asleep);
        if claim != Claim::Nothing && self.is_noted.load(Relaxed) {
            let left = known.asleep.get(&state).copied().unwrap_or(asleep);
            known.noted.push((state, left));
        }
        claim
    }

    /// Bytes that it takes.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.parts.iter().map(|Part(part)| lock(part).memory()).sum()
    }
}

fn lock(part: &Mutex<Known>) -> MutexGuard<'_, Known> {
    part.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The low bits of a hash, which are as good as any.
#[derive(Default)]
struct LowBits(u64);

impl Hasher for LowBits {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0.rotate_left(8) ^ u64::from(byte));
    }
    fn write_u128(&mut self, state: u128) {
        self.0 = state as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rscale_protocol::ThreadId;
    use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
    use std::thread;

    /// Spreads small numbers as hashes are spread.
    fn state(number: u128) -> Fingerprint {
        number.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
    }

    fn threads(numbers: &[u16]) -> ThreadSet {
        numbers.iter().copied().map(ThreadId).collect()
    }

    #[test]
    fn each_state_is_claimed_once() {
        let mut known = States::all();
        (1..100).for_each(|number| known.insert(state(number)));
        let shared = SharedStates::of(&known);
        let claimed = AtomicU64::new(0);
        let is_mine = |number: &u128| shared.claim(state(*number), ThreadSet::EMPTY) == Claim::Everything;
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| claimed.fetch_add((1..20_000).filter(is_mine).count() as u64, SeqCst));
            }
        });
        assert_eq!(claimed.into_inner(), 20_000 - 100);
        assert!((1..20_000).all(|number| shared.covers(state(number), ThreadSet::EMPTY)));
        assert!(!shared.covers(state(20_000), ThreadSet::EMPTY) && !shared.emptied().covers(state(1), threads(&[1])));
    }

    /// What slept in every visit is explored by none, and anything else by one.
    #[test]
    fn what_slept_before_and_does_not_now_is_left() {
        let shared = SharedStates::of(&States::all());
        assert_eq!(shared.claim(state(1), threads(&[1, 2, 3])), Claim::Everything);
        assert!(!shared.covers(state(1), threads(&[2, 3])) && shared.covers(state(1), threads(&[1, 2, 3, 4])));
        assert_eq!(shared.claim(state(1), threads(&[2, 4])), Claim::Only(threads(&[1, 3])));
        assert_eq!(shared.claim(state(1), threads(&[2])), Claim::Nothing);
        assert_eq!(shared.claim(state(1), threads(&[1, 3])), Claim::Only(threads(&[2])));
        assert_eq!(shared.claim(state(1), ThreadSet::EMPTY), Claim::Nothing);
    }

    #[test]
    fn a_bound_holds_for_all_parts_together() {
        for most in [1, 2, 9, 100, 5000] {
            let shared = SharedStates::of(&States::at_most(most));
            (1..20_000).for_each(|number| _ = shared.claim(state(number), ThreadSet::EMPTY));
            let is_known = |number: &u128| shared.covers(state(*number), ThreadSet::EMPTY);
            let known = (1..20_000).filter(is_known).count() as u64;
            assert!(known <= most && known * 2 >= most, "{known} of {most}");
        }
    }
}
