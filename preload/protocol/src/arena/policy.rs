//! How threads are chosen where the schedule that was given ends.

use crate::Quiet;

/// Points at which `pct` can lower a priority: one less than the depth of the bugs that it looks for.
pub const MAX_CHANGES: usize = 15;

/// A rule by which the next thread is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u32)]
pub enum Policy {
    /// Stay on the thread, else take the lowest one.
    #[default]
    Fixed = 0,
    /// Any thread that can proceed, by chance; one that yields or sleeps only if there is no other.
    Shuffled = 1,
    /// Any step that can be taken, by chance, all with the same probability.
    Random = 2,
    /// The thread with the highest priority; at some points the priority of the thread that runs is lowered.
    Pct = 3,
    /// The next step with the highest priority; steps in conflict with the one that is taken get new ones.
    Pos = 4,
}

impl Policy {
    /// The policy with this number.
    #[must_use]
    pub fn from_code(code: u32) -> Option<Policy> {
        use Policy::{Fixed, Pct, Pos, Random, Shuffled};
        [Fixed, Shuffled, Random, Pct, Pos].into_iter().find(|&policy| policy as u32 == code)
    }
}

/// What is done beyond the schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Beyond {
    /// The rule.
    pub policy: Policy,
    /// Seed of what it leaves to chance.
    pub seed: u64,
    /// Steps that are taken as soon as they can be, whoever else could go on.
    pub quiet: Quiet,
    /// Whether the threads that sleep do so before the last step of the schedule already, so that it may wake them.
    pub sleeps_early: bool,
    /// Steps beyond the schedule, counted from 1, behind which `pct` lowers a priority: the i-th to the i-th lowest. 0
    /// stands for none.
    pub changes: [u64; MAX_CHANGES],
}

impl Beyond {
    /// The fixed order.
    pub const FIXED: Beyond = Beyond {
        policy: Policy::Fixed,
        seed: 0,
        quiet: Quiet::NOTHING,
        sleeps_early: false,
        changes: [0; MAX_CHANGES],
    };

    /// A policy without change points.
    #[must_use]
    pub fn by_chance(policy: Policy, seed: u64) -> Beyond {
        Beyond { policy, seed, ..Beyond::FIXED }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_are_known_by_their_numbers() {
        let known = (0..10).filter_map(Policy::from_code).collect::<std::vec::Vec<_>>();
        assert_eq!(known, [Policy::Fixed, Policy::Shuffled, Policy::Random, Policy::Pct, Policy::Pos]);
        assert!(known.iter().enumerate().all(|(code, policy)| *policy as usize == code));
        assert_eq!(Beyond::default(), Beyond::FIXED);
    }
}
