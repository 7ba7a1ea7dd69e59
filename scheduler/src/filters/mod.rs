//! State filters: what makes a search smaller than all schedules (SCALE, section 4.2).
//!
//! Exploration is one loop, in `explore`; a filter looks at states as they are reached and prunes their successors, or
//! holds them back until it releases them. To add one: a file here and a line in [`registry`], which also feeds
//! `--help`, `rscale list` and the conformance tests.

mod bounds;
mod db;
mod lcd;
mod nsb;
mod por;
mod sampling;
mod seen;
mod shared;
mod superstep;

pub use shared::{Claim, SharedStates};

use crate::config::FilterChoice;
use crate::explore::{Candidates, Levels, Path, QuietSteps, Search, Strategy, Visited};
use crate::frontend::{Configuration, Fingerprint};
use crate::sample::Sampled;
use rscale_protocol::arena::Token;
use rscale_protocol::{MemoryModel, ThreadSet};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// A filter as users see it.
pub struct FilterInfo {
    /// Its name.
    pub name: &'static str,
    /// What may or must follow an equals sign; in brackets if it may be left out, with two dots if it may be a range.
    pub argument: Option<&'static str>,
    /// The numbers that it takes, if it takes one.
    pub range: RangeInclusive<u64>,
    /// One line about it.
    pub summary: &'static str,
    /// What it needs to see of the program.
    pub needs: Needs,
    /// What it is.
    pub make: Make,
}

impl FilterInfo {
    /// What kind of search it stands for.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self.make {
            Make::Filter(_) => Kind::Filter,
            Make::Strategy(_) => Kind::Reduction,
            Make::Sample(_) | Make::Test(_) => Kind::Sample,
        }
    }

    /// Whether it is there for the tests of rscale alone.
    #[must_use]
    pub fn is_test(&self) -> bool {
        matches!(self.make, Make::Test(_))
    }
}

/// Kinds of searches that a name in the list of filters can stand for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A state filter of the depth-first search.
    Filter,
    /// A strategy that explores what differs, and ends.
    Reduction,
    /// A strategy that runs schedules by chance, and never ends.
    Sample,
}

/// What a name in the list of filters stands for. Filters work together, in the order given; a strategy stands alone.
pub enum Make {
    /// A state filter, made with the number that the user gave.
    Filter(fn(Option<u64>) -> Box<dyn Filter>),
    /// A strategy of its own, made with the number that the user gave.
    Strategy(fn(Option<u64>, Terms) -> Box<dyn Strategy>),
    /// A strategy that has no end of its own, made like the others.
    Sample(fn(Option<u64>, Terms) -> Box<dyn Strategy>),
    /// The same, but it tests rscale and not the program: users are not told of it.
    Test(fn(Terms) -> Box<dyn Strategy>),
}

/// What a strategy has to know of the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Terms {
    /// The seed of the order.
    pub seed: u64,
    /// Whether memory accesses are steps.
    pub sees_accesses: bool,
    /// When stores become visible.
    pub memory: MemoryModel,
    /// Whether invariants look at every state.
    pub has_invariants: bool,
}

/// What a filter needs to see of the program, beyond its steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Needs {
    /// Every round of a thread that waits in a loop; otherwise such a thread is not scheduled until another one has
    /// written something that it reads.
    pub every_round: bool,
    /// Local states, and with them every write.
    pub local_states: bool,
    /// Every path to a state: what it cuts depends on how the state was reached.
    pub every_path: bool,
    /// Every step in its turn: what it cuts depends on how many there were.
    pub every_step: bool,
}

impl Needs {
    /// Nothing.
    pub const NOTHING: Needs = Needs { every_round: false, local_states: false, every_path: false, every_step: false };
}

/// What the chosen filters need together.
#[must_use]
pub fn needs(choices: &[FilterChoice]) -> Needs {
    let chosen = registry().iter().filter(|info| choices.iter().any(|choice| choice.name == info.name));
    chosen.fold(Needs::NOTHING, |all, info| Needs {
        every_round: all.every_round | info.needs.every_round,
        local_states: all.local_states | info.needs.local_states,
        every_path: all.every_path | info.needs.every_path,
        every_step: all.every_step | info.needs.every_step,
    })
}

/// Every filter.
#[must_use]
pub fn registry() -> &'static [FilterInfo] {
    static REGISTRY: [FilterInfo; 19] = [
        nsb::INFO,
        db::INFO,
        bounds::PREEMPTIONS,
        bounds::DELAYS,
        lcd::INFO,
        superstep::INFO,
        por::DPOR,
        por::SOURCE,
        por::OPTIMAL,
        por::EPOR,
        por::EPOR_SH,
        por::NAIVE_BPOR,
        por::BPOR,
        por::SOURCE_BPOR,
        por::LAZY_BPOR,
        sampling::RANDOM,
        sampling::PCT,
        sampling::POS,
        sampling::SWAPS,
    ];
    &REGISTRY
}

/// Those that users are told of.
pub fn listed() -> impl Iterator<Item = &'static FilterInfo> {
    registry().iter().filter(|info| !info.is_test())
}

/// What the registry says about a choice.
#[must_use]
pub fn info(choice: &FilterChoice) -> Option<&'static FilterInfo> {
    registry().iter().find(|info| info.name == choice.name)
}

/// Whether the search has no end of its own.
#[must_use]
pub fn is_endless(choices: &[FilterChoice]) -> bool {
    choices.iter().filter_map(info).any(|info| info.kind() == Kind::Sample)
}

/// Makes the strategy that the chosen filters stand for: several of them, one after the other, where there is a range.
#[must_use]
pub fn strategy(choices: &[FilterChoice], terms: Terms) -> Box<dyn Strategy> {
    let range = choices.iter().enumerate().find_map(|(index, choice)| Some((index, choice.from?, choice.value?)));
    let Some((index, first, last)) = range else { return single(choices, terms) };
    let choices = choices.to_vec();
    let make = move |bound| {
        let mut choices = choices.clone();
        choices[index] = FilterChoice { value: Some(bound), from: None, ..choices[index] };
        single(&choices, terms)
    };
    Box::new(Levels::new(first, last, Box::new(make)))
}

fn single(choices: &[FilterChoice], terms: Terms) -> Box<dyn Strategy> {
    let alone = choices.iter().find_map(|choice| match info(choice)?.make {
        Make::Strategy(make) | Make::Sample(make) => Some(make(choice.value, terms)),
        Make::Test(make) => Some(make(terms)),
        Make::Filter(_) => None,
    });
    alone.unwrap_or_else(|| Box::new(Search::new(state_filters(choices), quiet_steps(choices, terms), terms.seed)))
}

/// What is done at once: something, where states or orders that differ in nothing are explored once.
fn quiet_steps(choices: &[FilterChoice], terms: Terms) -> QuietSteps {
    let reduces = choices.iter().any(|choice| [nsb::INFO.name, superstep::INFO.name].contains(&choice.name));
    let Needs { every_path, every_step, .. } = needs(choices);
    if reduces && !every_path && !every_step && !terms.has_invariants { QuietSteps::all() } else { QuietSteps::none() }
}

/// Makes the state filters among the chosen ones, in order.
#[must_use]
pub fn state_filters(choices: &[FilterChoice]) -> Vec<Box<dyn Filter>> {
    let make = |choice: &FilterChoice| match info(choice)?.make {
        Make::Filter(make) => Some(make(choice.value)),
        Make::Strategy(_) | Make::Sample(_) | Make::Test(_) => None,
    };
    choices.iter().filter_map(make).collect()
}

/// What a search with this filter still covers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Preserves {
    /// Every reachable state.
    EveryState,
    /// Every order of dependent steps, each once: every Mazurkiewicz trace.
    EveryTrace,
    /// Every order of dependent steps, and with it every violation of a property, but not every state on the way.
    EveryOrder,
    /// Everything but some of the states: steps that nobody notices were taken as soon as they could be.
    AllButDelays,
    /// Only part of the schedules: something was cut at a bound.
    OnlyWithin {
        /// The bound, in words that follow "every schedule".
        bound: &'static str,
        /// Its value.
        value: u64,
        /// How many states were cut; 0 if the bound was never hit.
        cut: u64,
    },
    /// Only some of the traces that need few preemptions: something was cut, and more than that may be missing.
    SomeWithin {
        /// The most preemptions.
        preemptions: u64,
        /// How many branches were cut; 0 if the bound was never hit.
        cut: u64,
    },
    /// More than what is within the bound: so many branches were explored because it was too hard to tell what they
    /// need.
    Estimated(u64),
    /// Nothing for certain: schedules were run by chance.
    Sampled(Sampled),
}

/// What a filter knows of a state on the path, for whoever goes on from there: numbers that only the filter
/// understands.
pub type Heritage = Vec<u64>;

/// A state filter. The search calls `visit` once for every state that it reaches, in depth-first order, and `finished`
/// when everything below that state has been explored.
pub trait Filter {
    /// A new state was reached: may take successors out of the candidates.
    fn visit(&mut self, path: &Path, configuration: &mut Configuration, candidates: &mut Candidates);

    /// The path leads through a state that was visited before, by this search or by another one: these candidates are
    /// left there. What lies beside them is not for this filter to cut.
    fn pass(&mut self, path: &Path, configuration: &mut Configuration, candidates: &mut Candidates, _known: &Heritage) {
        self.visit(path, configuration, candidates);
    }

    /// What [`Filter::pass`] is to be told of a state on the path.
    fn heritage(&self, _depth: usize) -> Heritage {
        Heritage::new()
    }

    /// Whether the steps that are left in a state of the path can be explored by someone else.
    fn may_give_away(&self, _path: &Path, _depth: usize) -> bool {
        true
    }

    /// Whether a step that was left in a state of the path has become needless, where these threads sleep beside it.
    fn is_needless(&self, _depth: usize, _step: Token, _asleep: ThreadSet) -> bool {
        false
    }

    /// The search goes on somewhere else, by another path.
    fn leave_path(&mut self) {}

    /// The memory of states, which others will use too from now on, if the filter has one.
    fn share(&mut self) -> Option<Arc<SharedStates>> {
        None
    }

    /// Takes note of the states that it remembers from now on.
    fn note_states(&mut self) {}

    /// Those that it has remembered since the last call.
    fn take_visited(&mut self) -> Option<Visited> {
        None
    }

    /// These were visited by several workers in another process, and these threads slept there.
    fn add_claims(&mut self, _claims: &[(Fingerprint, ThreadSet)]) {}

    /// Remembers these.
    fn add_visited(&mut self, _states: &[Fingerprint]) {}

    /// Uses the memory of another one.
    fn agree_with(&mut self, _states: &Arc<SharedStates>) {}

    /// The steps out of the new state that it has cut at its bound, with what the path would cost then.
    fn cut_here(&self) -> &[(Token, u64)] {
        &[]
    }

    /// Everything within the bound was explored: it is this one now. False if the filter has none that can grow.
    fn raise(&mut self, _bound: u64, _still_cut: u64) -> bool {
        false
    }

    /// Every filter has looked at the new state; these are the successors that will be explored. Returns what is left
    /// to explore if others may have come there, too.
    fn visited(&mut self, _path: &Path, _configuration: &Configuration, _candidates: &Candidates) -> Claim {
        Claim::Everything
    }

    /// Whether the filter has pruned something for a reason that has turned out to be wrong.
    fn was_wrong(&self) -> bool {
        false
    }

    /// The search begins anew: forgets what belongs to the search, but not what it has learned about the program.
    fn restart(&mut self);

    /// Whether `visit` looks at the configuration; where no filter does, none is kept.
    fn needs_configuration(&self) -> bool {
        true
    }

    /// The program came to an early end behind the last step of the path, for all threads at once: nobody goes on
    /// behind that step, so it depends on whatever the others could have done before it. May open steps of the path's
    /// states.
    fn ended_early(&mut self, _path: &mut Path, _configuration: &Configuration) {}

    /// Everything below the last state of the path has been explored.
    fn finished(&mut self, _path: &Path) {}

    /// Whether a state that the filter lets pass is explored in every way, and once in all: then a step that was
    /// explored from a state need not be explored behind others that do not depend on it.
    fn knows_explored(&self) -> bool {
        false
    }

    /// How often it has cut something at its bound.
    fn cut(&self) -> u64 {
        0
    }

    /// Another one like it has cut that much elsewhere.
    fn add_cut(&mut self, _cut: u64) {}

    /// What the search still covers.
    fn preserves(&self) -> Preserves;

    /// Bytes that the filter keeps.
    fn memory(&self) -> usize {
        0
    }
}
