//! Exploration: one search tree, one loop, filters as plug-ins (SCALE, Algorithms 1, 2 and 7).

mod candidates;
mod frontier;
mod levels;
mod locations;
mod order;
mod path;
mod quiet;
mod running;
mod saved;
mod search;
mod strategy;
mod tree;
mod way;

pub use candidates::Candidates;
pub use frontier::Frontier;
pub use levels::{Level, Levels};
pub use locations::Locations;
pub use order::{Order, Stream};
pub use path::{Node, Path};
pub use quiet::{KnownQuiet, QuietSteps};
pub use running::{Running, preemptions, running_after};
pub use saved::{Saved, SavedCrew, SavedDepth, SavedFrontier, SavedLevels, Visited};
pub use search::Search;
pub use strategy::{Absorbed, Divergence, Plan, Strategy, divergence, explored};
pub use way::{Branches, Fork, Way};

use rscale_protocol::Ending;
use serde::{Deserialize, Serialize};

/// What a search has done so far, in the terms of CLI.md.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Counts {
    /// How often the program was started from its initial state.
    pub runs: u64,
    /// Runs that came to their end.
    pub executions: u64,
    /// Runs that a filter cut.
    pub blocked: u64,
    /// Runs before the search began anew: what they showed is explored again.
    pub discarded: u64,
    /// States visited.
    pub states: u64,
    /// Steps from one visited state to another.
    pub transitions: u64,
    /// Steps of the longest path.
    pub max_depth: u64,
    /// Executions that used up their step budget.
    pub out_of_steps: u64,
    /// Pairs of events that were looked at as a race.
    pub race_checks: u64,
    /// Pairs of events that were compared to see whether their order matters.
    pub dependence_checks: u64,
    /// Trace constraint systems that were found to have no solution.
    pub unsatisfiable: u64,
}

impl Counts {
    /// Counts a run that ended in this way; whether all of it belongs to the search.
    pub fn add_run(&mut self, ending: Option<Ending>, is_whole: bool) {
        use Ending::{Assumption, Diverged, Sleeping, StepBudget};
        let is_cut = matches!(ending, Some(StepBudget | Sleeping | Assumption | Diverged) | None);
        self.runs += 1;
        self.out_of_steps += u64::from(is_whole && ending == Some(StepBudget));
        if is_whole && !is_cut { self.executions += 1 } else { self.blocked += 1 }
    }

    /// The counts of a search that begins anew: its runs, and so many more, were in vain.
    #[must_use]
    pub fn anew(&self, discarded: u64) -> Counts {
        Counts { discarded: self.started() + discarded, ..Counts::default() }
    }

    /// How often the program was started in all.
    #[must_use]
    pub fn started(&self) -> u64 {
        self.runs + self.discarded
    }

    /// What has been done since it was so much.
    #[must_use]
    pub fn since(&self, earlier: &Counts) -> Counts {
        Counts {
            runs: self.runs - earlier.runs,
            executions: self.executions - earlier.executions,
            blocked: self.blocked - earlier.blocked,
            discarded: self.discarded - earlier.discarded,
            states: self.states - earlier.states,
            transitions: self.transitions - earlier.transitions,
            max_depth: self.max_depth,
            out_of_steps: self.out_of_steps - earlier.out_of_steps,
            race_checks: self.race_checks - earlier.race_checks,
            dependence_checks: self.dependence_checks - earlier.dependence_checks,
            unsatisfiable: self.unsatisfiable - earlier.unsatisfiable,
        }
    }

    /// What two searches have done together.
    #[must_use]
    pub fn and(&self, other: &Counts) -> Counts {
        Counts {
            runs: self.runs + other.runs,
            executions: self.executions + other.executions,
            blocked: self.blocked + other.blocked,
            discarded: self.discarded + other.discarded,
            states: self.states + other.states,
            transitions: self.transitions + other.transitions,
            max_depth: self.max_depth.max(other.max_depth),
            out_of_steps: self.out_of_steps + other.out_of_steps,
            race_checks: self.race_checks + other.race_checks,
            dependence_checks: self.dependence_checks + other.dependence_checks,
            unsatisfiable: self.unsatisfiable + other.unsatisfiable,
        }
    }
}
