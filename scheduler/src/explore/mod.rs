//! Exploration: one search tree, one loop, filters as plug-ins (SCALE, Algorithms 1, 2 and 7).

mod candidates;
mod locations;
mod order;
mod path;
mod search;

pub use candidates::Candidates;
pub use locations::Locations;
pub use order::Order;
pub use path::{Node, Path};
pub use search::{Absorbed, Divergence, Search};

/// What a search has done so far, in the terms of CLI.md.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// How often the program was started from its initial state.
    pub runs: u64,
    /// Runs that came to their end.
    pub executions: u64,
    /// Runs that a filter cut.
    pub blocked: u64,
    /// States visited.
    pub states: u64,
    /// Steps from one visited state to another.
    pub transitions: u64,
    /// Steps of the longest path.
    pub max_depth: u64,
    /// Executions that used up their step budget.
    pub out_of_steps: u64,
}
