//! The table of synchronisation objects, by address.
//!
//! Objects are appended to a dense array and found through an index with open addressing. The index hashes by the low
//! bits of the address only: objects that are neighbours in memory stay neighbours in the index, so that a program with
//! an array of mutexes dirties one or two pages of the table and not one per mutex (restoring costs time per page).

use super::{Barrier, Condition, Futex, Mutex, Once, RwLock, Semaphore, Spin};

/// How many objects an execution may use; few in tests, whose threads have small stacks to build a model on.
pub const CAPACITY: usize = if cfg!(test) { 1 << 10 } else { 1 << 15 };
const INDEX_SIZE: usize = CAPACITY * 2;

/// What an object is and what state it is in. The tag has a byte of its own, so that all zeroes is `Unknown`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum ObjectState {
    /// Nothing is known of it.
    #[default]
    Unknown,
    /// After its destruction.
    Destroyed,
    /// A mutex.
    Mutex(Mutex),
    /// A condition variable.
    Condition(Condition),
    /// A read-write lock.
    RwLock(RwLock),
    /// A spin lock.
    Spin(Spin),
    /// A barrier.
    Barrier(Barrier),
    /// A semaphore.
    Semaphore(Semaphore),
    /// A once flag.
    Once(Once),
    /// A futex word.
    Futex(Futex),
}

/// One object, on a cache line of its own: every operation looks at one or two.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(align(64))]
pub struct Object {
    /// Where it lies.
    pub address: u64,
    /// Virtual time of the last operation on it.
    pub time: u64,
    /// Its state.
    pub state: ObjectState,
}

/// The objects of an execution.
#[derive(Clone)]
#[repr(C)]
pub struct Objects {
    used: usize,
    /// Whether some mutex notices the death of its owner.
    has_robust: bool,
    /// How many times something was looked at that is told apart by time.
    moment: u32,
    objects: [Object; CAPACITY],
    /// Position in `objects` plus one; 0 is free.
    index: [u16; INDEX_SIZE],
}

impl Objects {
    /// No objects.
    #[must_use]
    pub const fn new() -> Objects {
        const FREE: Object = Object { address: 0, time: 0, state: ObjectState::Unknown };
        Objects { used: 0, has_robust: false, moment: 0, objects: [FREE; CAPACITY], index: [0; INDEX_SIZE] }
    }

    /// The object at this address.
    #[must_use]
    pub fn find(&self, address: u64) -> Option<&Object> {
        self.position(address).ok().map(|position| &self.objects[position])
    }

    /// The object at this address.
    pub fn find_mut(&mut self, address: u64) -> Option<&mut Object> {
        self.position(address).ok().map(|position| &mut self.objects[position])
    }

    /// Puts an object at this address into this state, whatever was there before. False if the table is full.
    pub fn set(&mut self, address: u64, state: ObjectState) -> bool {
        self.replace(address, state).is_some()
    }

    /// As [`Objects::set`]; returns the state it was in before, or None if the table is full.
    #[inline]
    pub fn replace(&mut self, address: u64, state: ObjectState) -> Option<ObjectState> {
        self.has_robust |= matches!(state, ObjectState::Mutex(mutex) if mutex.robust);
        match self.position(address) {
            Ok(position) => Some(core::mem::replace(&mut self.objects[position].state, state)),
            Err(_) if self.used == CAPACITY => None,
            Err(free) => {
                self.objects[self.used] = Object { address, time: 0, state };
                self.used += 1;
                self.index[free] = self.used as u16;
                Some(ObjectState::Unknown)
            }
        }
    }

    /// Whether some mutex notices the death of its owner.
    #[must_use]
    pub fn has_robust(&self) -> bool {
        self.has_robust
    }

    /// A number that grows: what is told apart by when it happened has it.
    pub(super) fn next_moment(&mut self) -> u32 {
        self.moment = self.moment.wrapping_add(1);
        self.moment
    }

    /// All objects, in the order of their first use.
    pub fn iter(&self) -> impl Iterator<Item = &Object> {
        self.objects[..self.used.min(CAPACITY)].iter()
    }

    /// The first object in a range from which this holds. Looks at each place in the range or at each object, whatever
    /// is less.
    pub fn find_within(&self, start: u64, length: u64, holds: impl Fn(&Object) -> bool) -> Option<&Object> {
        const PLACES: usize = 4;
        if length / (PLACES as u64) < self.used as u64 {
            let places = (start..start.saturating_add(length)).step_by(PLACES);
            return places.filter_map(|address| self.find(address)).find(|object| holds(object));
        }
        self.iter().find(|object| object.address.wrapping_sub(start) < length && holds(object))
    }

    /// All objects, to change them.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Object> {
        self.objects[..self.used.min(CAPACITY)].iter_mut()
    }

    /// The position of the object, or else the free index slot where it belongs.
    fn position(&self, address: u64) -> Result<usize, usize> {
        let mut slot = (address >> 2) as usize % INDEX_SIZE;
        loop {
            match self.index[slot] {
                0 => return Err(slot),
                entry if self.objects[usize::from(entry) - 1].address == address => return Ok(usize::from(entry) - 1),
                _ => slot = (slot + 1) % INDEX_SIZE,
            }
        }
    }
}

impl Default for Objects {
    fn default() -> Objects {
        Objects::new()
    }
}

impl core::fmt::Debug for Objects {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn finds_what_was_set(addresses in prop::collection::vec(0u64..4096, 1..200)) {
            let mut objects = Box::new(Objects::new());
            let mut expected = HashMap::new();
            for (i, address) in addresses.iter().map(|a| a * 8 + 0x1000).enumerate() {
                let state = if i % 2 == 0 { ObjectState::Destroyed } else { ObjectState::Unknown };
                prop_assert!(objects.set(address, state));
                expected.insert(address, state);
            }
            prop_assert_eq!(objects.iter().count(), expected.len());
            for (address, state) in expected {
                prop_assert_eq!(objects.find(address).map(|o| o.state), Some(state));
            }
            prop_assert!(objects.find(8).is_none());
        }
    }

    #[test]
    fn objects_in_a_range_are_found_in_both_ways() {
        let mut objects = Box::new(Objects::new());
        let is_destroyed = |object: &Object| object.state == ObjectState::Destroyed;
        (0..100u64).for_each(|i| assert!(objects.set(0x1000 + i * 40, ObjectState::Destroyed)));
        for length in [41, 4000] {
            let found = |start| objects.find_within(start, length, is_destroyed).map(|object| object.address);
            assert_eq!((found(0x1000), found(0x1000 + 99 * 40)), (Some(0x1000), Some(0x1000 + 99 * 40)));
            assert_eq!((found(0x1004), found(0x8000)), (Some(0x1000 + 40), None));
            assert_eq!(objects.find_within(0x1000, length, |object| !is_destroyed(object)), None);
        }
    }

    #[test]
    fn a_full_table_says_so() {
        let mut objects = Box::new(Objects::new());
        assert!((0..CAPACITY as u64).all(|i| objects.set(0x1000 + i * 40, ObjectState::Destroyed)));
        assert!(!objects.set(8, ObjectState::Destroyed));
        assert!(objects.set(0x1000, ObjectState::Unknown), "known objects can still change");
        assert!(objects.find(8).is_none());
    }

    #[test]
    fn an_object_fills_a_cache_line() {
        assert_eq!(size_of::<Object>(), 64);
    }
}
