//! Memory models: when the stores of a thread become visible to others.
//!
//! Under TSO and PSO a store goes to a buffer first, and becomes visible by a step of its own: the *flush*. Flushes are
//! steps of *shadow threads*, which have numbers like threads, above those of the program. Under TSO every thread has
//! one shadow, which flushes its stores in their order. Under PSO it has one for each location that it has stored to
//! since its buffer was empty for certain: stores to different locations overtake each other.
//!
//! The number of a shadow says whose it is. So all that chooses, orders and counts threads works for shadows as it is.

use crate::thread_set::{MAX_THREADS, ThreadId};

/// What a load may see.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u32)]
pub enum MemoryModel {
    /// Sequential consistency: the last store.
    #[default]
    Sc = 0,
    /// Total store order: a thread's stores may be delayed, in their order.
    Tso = 1,
    /// Partial store order: those to different locations in any order.
    Pso = 2,
}

impl MemoryModel {
    /// Every model.
    pub const ALL: [MemoryModel; 3] = [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso];

    /// The model with this number.
    #[must_use]
    pub fn from_code(code: u32) -> Option<MemoryModel> {
        MemoryModel::ALL.into_iter().find(|&model| model as u32 == code)
    }

    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            MemoryModel::Sc => "sc",
            MemoryModel::Tso => "tso",
            MemoryModel::Pso => "pso",
        }
    }

    /// The model with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<MemoryModel> {
        MemoryModel::ALL.into_iter().find(|model| model.name() == name)
    }

    /// Whether stores are buffered.
    #[must_use]
    pub fn is_weak(self) -> bool {
        self != MemoryModel::Sc
    }

    /// How many threads a program may have: the numbers from here on are those of shadows.
    #[must_use]
    pub fn threads(self) -> usize {
        match self {
            MemoryModel::Sc => MAX_THREADS,
            MemoryModel::Tso => MAX_THREADS / 2,
            MemoryModel::Pso => MAX_THREADS / 16,
        }
    }

    /// How many shadows a thread has.
    #[must_use]
    pub fn queues(self) -> usize {
        MAX_THREADS / self.threads() - 1
    }

    /// A shadow of a thread.
    #[must_use]
    pub fn shadow(self, owner: ThreadId, queue: usize) -> Option<ThreadId> {
        let is_there = owner.index() < self.threads() && queue < self.queues();
        is_there.then(|| ThreadId(((queue + 1) * self.threads() + owner.index()) as u16))
    }

    /// All shadows of a thread.
    pub fn shadows(self, owner: ThreadId) -> impl Iterator<Item = ThreadId> {
        (0..self.queues()).filter_map(move |queue| self.shadow(owner, queue))
    }

    /// Whose shadow it is, and which one; None for a thread of the program.
    #[must_use]
    pub fn owner(self, shadow: ThreadId) -> Option<(ThreadId, usize)> {
        let queue = (shadow.index() / self.threads()).checked_sub(1)?;
        Some((ThreadId((shadow.index() % self.threads()) as u16), queue))
    }

    /// The thread of the program: the owner of a shadow, any other thread itself.
    #[must_use]
    pub fn program_thread(self, thread: ThreadId) -> ThreadId {
        self.owner(thread).map_or(thread, |(owner, _)| owner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shadow_knows_its_owner() {
        for model in MemoryModel::ALL {
            for owner in (0..model.threads()).map(|index| ThreadId(index as u16)) {
                assert_eq!(model.owner(owner), None, "{model:?} {owner}");
                for (queue, shadow) in model.shadows(owner).enumerate() {
                    assert_eq!(model.owner(shadow), Some((owner, queue)), "{model:?} {shadow}");
                    assert!(shadow.index() < MAX_THREADS && model.program_thread(shadow) == owner);
                }
            }
        }
    }

    #[test]
    fn models_are_found_by_name_and_number() {
        for model in MemoryModel::ALL {
            assert_eq!(MemoryModel::from_name(model.name()), Some(model));
            assert_eq!(MemoryModel::from_code(model as u32), Some(model));
        }
        assert_eq!((MemoryModel::from_name("arm"), MemoryModel::from_code(3)), (None, None));
        assert_eq!(MemoryModel::ALL.map(MemoryModel::queues), [0, 1, 15]);
    }
}
