//! State filters: what makes a search smaller than all schedules (SCALE, section 4.2).
//!
//! Exploration is one loop, in `explore`; a filter looks at states as they are reached and prunes their successors, or
//! holds them back until it releases them. To add one: a file here and a line in [`registry`], which also feeds
//! `--help`, `rscale list` and the conformance tests.

mod db;
mod nsb;

use crate::config::FilterChoice;
use crate::explore::{Candidates, Path};
use crate::frontend::Configuration;

/// A filter as users see it.
pub struct FilterInfo {
    /// Its name.
    pub name: &'static str,
    /// What may or must follow an equals sign; in brackets if it may be left out.
    pub argument: Option<&'static str>,
    /// One line about it.
    pub summary: &'static str,
    /// Makes one, with the number that the user gave.
    pub make: fn(Option<u64>) -> Box<dyn Filter>,
}

/// Every filter.
#[must_use]
pub fn registry() -> &'static [FilterInfo] {
    &[nsb::INFO, db::INFO]
}

/// Makes the chosen filters, in order.
#[must_use]
pub fn make(choices: &[FilterChoice]) -> Vec<Box<dyn Filter>> {
    let info = |name: &str| registry().iter().find(|info| info.name == name);
    choices.iter().filter_map(|choice| info(choice.name).map(|info| (info.make)(choice.value))).collect()
}

/// What a search with this filter still covers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Preserves {
    /// Every reachable state.
    EveryState,
    /// Only part of the schedules: something was cut at a bound.
    OnlyWithin {
        /// The bound, in words that follow "every schedule".
        bound: &'static str,
        /// Its value.
        value: u64,
        /// How many states were cut; 0 if the bound was never hit.
        cut: u64,
    },
}

/// A state filter. The search calls `visit` once for every state that it reaches, in depth-first order, and `finished`
/// when everything below that state has been explored.
pub trait Filter {
    /// A new state was reached: may take successors out of the candidates.
    fn visit(&mut self, path: &Path, configuration: &mut Configuration, candidates: &mut Candidates);

    /// Whether `visit` looks at the configuration; where no filter does, none is kept.
    fn needs_configuration(&self) -> bool {
        true
    }

    /// Everything below the last state of the path has been explored.
    fn finished(&mut self, _path: &Path) {}

    /// What the search still covers.
    fn preserves(&self) -> Preserves;

    /// Bytes that the filter keeps.
    fn memory(&self) -> usize {
        0
    }
}
