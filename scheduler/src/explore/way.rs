//! Where a search in depth goes on: a path that is known, and what is left beside it.
//!
//! The states of the path were visited before, by another worker, another process, or with a smaller bound: they do not
//! count, and filters do not look for something to prune there. They are told what is known instead.

use super::{Candidates, Order};
use crate::filters::Heritage;
use rscale_protocol::arena::Token;
use rscale_protocol::{ThreadId, ThreadSet};

/// A path, and what is left to explore from its states. Something is left in the last one, if anything is at all.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Way {
    /// The steps of the path.
    pub schedule: Vec<Token>,
    /// The states of it that matter, in order.
    pub forks: Vec<Fork>,
}

/// A state on the path.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Fork {
    /// How many steps lead there.
    pub depth: usize,
    /// What is left to explore from it, beside what the path takes.
    pub steps: Vec<Token>,
    /// Who sleeps there.
    pub asleep: ThreadSet,
    /// Whose next steps others explore from there, and not before those that are left.
    pub foreign: ThreadSet,
    /// Behind whose next steps the program came to an early end.
    pub ended: ThreadSet,
    /// Who goes first there, before all others.
    pub forced: Option<ThreadId>,
    /// What each filter knows of it; nothing, where none knows anything.
    pub heritage: Vec<Heritage>,
}

impl Way {
    /// Some steps from the end of a path.
    #[must_use]
    pub fn to(schedule: Vec<Token>, steps: Vec<Token>) -> Way {
        let fork = Fork { depth: schedule.len(), steps, ..Fork::default() };
        Way { schedule, forks: vec![fork] }
    }

    /// What is known of the state behind so many steps.
    #[must_use]
    pub fn fork_at(&self, depth: usize) -> Option<&Fork> {
        self.forks.binary_search_by_key(&depth, |fork| fork.depth).ok().map(|place| &self.forks[place])
    }

    /// What is to be explored from a state of the path where these steps are possible, with the one that the path
    /// takes.
    #[must_use]
    pub fn candidates_at(&self, depth: usize, enabled: [ThreadSet; 3]) -> Candidates {
        let (taken, fork) = (self.schedule.get(depth), self.fork_at(depth));
        let is_left = |token| taken == Some(&token) || fork.is_some_and(|fork| fork.steps.contains(&token));
        let mut candidates = Candidates::all(enabled);
        candidates.retain(is_left);
        if let Some(thread) = fork.and_then(|fork| fork.forced) {
            candidates.force(thread);
        }
        candidates
    }

    /// Bytes that are kept.
    #[must_use]
    pub fn memory(&self) -> usize {
        let steps: usize = self.forks.iter().map(|fork| fork.steps.len()).sum();
        (self.schedule.len() + steps) * size_of::<Token>() + self.forks.len() * size_of::<Fork>()
    }
}

/// A part of a search in depth that a worker explores.
#[derive(Clone, PartialEq, Debug)]
pub struct Branches {
    /// Where it lies.
    pub way: Way,
    /// The order of exploration.
    pub order: Order,
    /// The part of the whole search that this is, if all that lies behind a state is of a size.
    pub weight: f64,
}

impl Branches {
    /// The path, and what is left to explore from its last state.
    #[must_use]
    pub fn parts(&self) -> (Vec<Token>, Vec<Token>) {
        let steps = self.way.forks.last().map(|fork| fork.steps.clone());
        (self.way.schedule.clone(), steps.unwrap_or_default())
    }

    /// Some steps from the end of a path.
    #[must_use]
    pub fn of_parts(schedule: &[Token], steps: &[Token], order: Order, weight: f64) -> Branches {
        Branches { way: Way::to(schedule.to_vec(), steps.to_vec()), order, weight }
    }
}
