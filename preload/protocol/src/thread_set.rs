//! Thread numbers and sets of them.
//!
//! A set is two machine words, so that the shim can put the enabled set into every log entry and the scheduler can
//! copy, compare and intersect sets without allocating.

/// How many threads one execution may create, the main thread included.
pub const MAX_THREADS: usize = 128;

/// The number of a thread, as it stands in traces: 0 is the main thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(transparent)]
pub struct ThreadId(pub u16);

impl ThreadId {
    /// The thread that runs `main`.
    pub const MAIN: ThreadId = ThreadId(0);

    /// The number as an index into per-thread tables.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The thread with this index, if it is one.
    #[must_use]
    pub fn from_index(index: usize) -> Option<ThreadId> {
        (index < MAX_THREADS).then_some(ThreadId(index as u16))
    }
}

impl core::fmt::Display for ThreadId {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.fmt(f)
    }
}

/// A set of threads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(C)]
pub struct ThreadSet([u64; 2]);

impl ThreadSet {
    /// The set without members.
    pub const EMPTY: ThreadSet = ThreadSet([0; 2]);

    /// The set as it stands in the arena.
    #[must_use]
    pub fn words(self) -> [u64; 2] {
        self.0
    }

    /// The set with these bits.
    #[must_use]
    pub fn from_words(words: [u64; 2]) -> ThreadSet {
        ThreadSet(words)
    }

    /// The set of one thread. Both words are computed and none is indexed: a set that is written one word at a time and
    /// read as a whole stalls the processor.
    #[inline(always)]
    fn only(thread: ThreadId) -> [u64; 2] {
        let bit = 1u64 << (thread.0 % 64);
        let is_high = thread.0 / 64 % 2 == 1;
        if is_high { [0, bit] } else { [bit, 0] }
    }

    /// Adds a thread.
    #[inline(always)]
    pub fn insert(&mut self, thread: ThreadId) {
        let [low, high] = Self::only(thread);
        self.0 = [self.0[0] | low, self.0[1] | high];
    }

    /// Takes a thread out.
    #[inline(always)]
    pub fn remove(&mut self, thread: ThreadId) {
        let [low, high] = Self::only(thread);
        self.0 = [self.0[0] & !low, self.0[1] & !high];
    }

    /// Whether the thread is a member.
    #[must_use]
    #[inline(always)]
    pub fn contains(self, thread: ThreadId) -> bool {
        let [low, high] = Self::only(thread);
        thread.index() < MAX_THREADS && (self.0[0] & low) | (self.0[1] & high) != 0
    }

    /// Whether the set has no member.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == [0; 2]
    }

    /// How many members the set has.
    #[must_use]
    pub fn len(self) -> usize {
        (self.0[0].count_ones() + self.0[1].count_ones()) as usize
    }

    /// The lowest member.
    #[must_use]
    pub fn first(self) -> Option<ThreadId> {
        self.next_from(0)
    }

    /// The lowest member that is not below `index`.
    #[must_use]
    #[inline]
    pub fn next_from(self, index: usize) -> Option<ThreadId> {
        let [low, high] = match index {
            0..64 => [self.0[0] & (u64::MAX << index), self.0[1]],
            64..128 => [0, self.0[1] & (u64::MAX << (index - 64))],
            _ => return None,
        };
        match (low, high) {
            (0, 0) => None,
            (0, high) => Some(ThreadId(64 + high.trailing_zeros() as u16)),
            (low, _) => Some(ThreadId(low.trailing_zeros() as u16)),
        }
    }

    /// The members that are not in `other`.
    #[must_use]
    pub fn without(self, other: ThreadSet) -> ThreadSet {
        ThreadSet([self.0[0] & !other.0[0], self.0[1] & !other.0[1]])
    }

    /// The members of either set.
    #[must_use]
    pub fn union(self, other: ThreadSet) -> ThreadSet {
        ThreadSet([self.0[0] | other.0[0], self.0[1] | other.0[1]])
    }

    /// The members, lowest first.
    #[must_use]
    pub fn iter(self) -> Iter {
        Iter { left: self }
    }
}

impl core::fmt::Debug for ThreadSet {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_set().entries(self.iter().map(|t| t.0)).finish()
    }
}

impl FromIterator<ThreadId> for ThreadSet {
    fn from_iter<I: IntoIterator<Item = ThreadId>>(threads: I) -> ThreadSet {
        let mut set = ThreadSet::EMPTY;
        threads.into_iter().for_each(|thread| set.insert(thread));
        set
    }
}

impl IntoIterator for ThreadSet {
    type Item = ThreadId;
    type IntoIter = Iter;
    fn into_iter(self) -> Iter {
        self.iter()
    }
}

/// The members of a [`ThreadSet`], lowest first.
#[derive(Clone, Debug)]
pub struct Iter {
    left: ThreadSet,
}

impl Iterator for Iter {
    type Item = ThreadId;
    #[inline(always)]
    fn next(&mut self) -> Option<ThreadId> {
        let [low, high] = self.left.0;
        if low != 0 {
            self.left.0[0] = low & (low - 1);
            return Some(ThreadId(low.trailing_zeros() as u16));
        }
        if high != 0 {
            self.left.0[1] = high & (high - 1);
            return Some(ThreadId(64 + high.trailing_zeros() as u16));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn behaves_like_a_set_of_numbers(members in prop::collection::btree_set(0u16..MAX_THREADS as u16, 0..20),
                                         removed in 0u16..MAX_THREADS as u16, from in 0usize..140) {
            let mut set: ThreadSet = members.iter().map(|&t| ThreadId(t)).collect();
            prop_assert_eq!(set.len(), members.len());
            prop_assert_eq!(set.iter().map(|t| t.0).collect::<BTreeSet<_>>(), members.clone());
            prop_assert_eq!(set.next_from(from).map(|t| t.index()),
                            members.iter().map(|&t| usize::from(t)).find(|&t| t >= from));
            set.remove(ThreadId(removed));
            prop_assert!(!set.contains(ThreadId(removed)));
        }
    }
}
