//! A search on its way, for another process.

use super::{Branches, Counts, Level, Way};
use crate::frontend::Fingerprint;
use crate::parallel::{open, seal};
use crate::reduce::{Names, SavedReduction, SavedShape};
use crate::report::base64;
use crate::sample::SavedSample;
use rscale_protocol::ThreadSet;
use rscale_protocol::arena::Token;
use serde::{Deserialize, Serialize};

/// What is left of a search, and what it has done.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Saved {
    /// A reduction.
    Reduction(SavedReduction),
    /// A sample.
    Sample(SavedSample),
    /// A search that several workers share.
    Crew(SavedCrew),
    /// A search in depth.
    Depth(Box<SavedDepth>),
    /// A search with a bound that grows.
    Levels(Box<SavedLevels>),
}

/// A search with growing bounds, between two runs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SavedLevels {
    /// The level that it has come to.
    pub current: Level,
    /// Those before it.
    pub done: Vec<Level>,
    /// What the levels before it did, if they were other searches.
    pub before: Counts,
    /// What this search had done when the level began.
    pub earlier: Counts,
    /// The search of this level.
    pub search: Saved,
}

/// A search in depth, between two runs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SavedDepth {
    /// The path, what is left beside it, and the order: a message, in base64.
    pub part: String,
    /// What has been done.
    pub counts: Counts,
    /// How often each filter has cut something at its bound.
    pub cut: Vec<u64>,
    /// What has been learned about steps that are taken at once.
    pub quiet: (u32, Vec<(u64, u16)>),
    /// Where else it goes on, as messages.
    #[serde(default)]
    pub roots: Vec<String>,
    /// What a bound that will grow has cut.
    #[serde(default)]
    pub frontier: Option<SavedFrontier>,
}

/// Schedules that a bound has cut, and what they cost.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct SavedFrontier {
    /// Each schedule, by how much of it is that of the one before and what follows, and its cost.
    pub roots: Vec<(usize, Vec<u16>, u64)>,
    /// Whether there were too many to keep.
    pub is_lost: bool,
}

/// States that were visited since a search was saved for the last time.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Visited {
    /// Whether the search has begun anew since: those that were written down before do not count.
    pub anew: bool,
    /// Their hashes, one after the other, in base64.
    pub states: String,
    /// Those that several workers have visited: their hashes, each with who slept there.
    #[serde(default)]
    pub claims: String,
}

impl Visited {
    /// What several of them say, one after the other.
    #[must_use]
    pub fn all(visited: Vec<Visited>) -> Option<Visited> {
        let first = visited.iter().rposition(|visited| visited.anew).unwrap_or(0);
        let valid = visited.get(first..)?;
        let joined = |text: fn(&Visited) -> &String| {
            let bytes = valid.iter().filter_map(|visited| base64::decode(text(visited)));
            base64::encode(&bytes.collect::<Vec<_>>().concat())
        };
        let anew = visited.iter().any(|visited| visited.anew);
        let (states, claims) = (joined(|visited| &visited.states), joined(|visited| &visited.claims));
        (!visited.is_empty()).then_some(Visited { anew, states, claims })
    }

    /// The hashes. None if they are none.
    #[must_use]
    pub fn hashes(&self) -> Option<Vec<Fingerprint>> {
        numbers(&self.states)
    }

    /// The hashes of what several workers have visited, each with who slept there. None if they are none.
    #[must_use]
    pub fn claimed(&self) -> Option<Vec<(Fingerprint, ThreadSet)>> {
        let numbers = numbers(&self.claims)?;
        let claim = |pair: &[u128]| (pair[0], ThreadSet::from_words([pair[1] as u64, (pair[1] >> 64) as u64]));
        numbers.len().is_multiple_of(2).then(|| numbers.chunks_exact(2).map(claim).collect())
    }

    /// These.
    #[must_use]
    pub fn of(anew: bool, hashes: &[Fingerprint]) -> Visited {
        Visited { anew, states: words(hashes.iter().copied()), claims: String::new() }
    }

    /// These, with who slept there.
    #[must_use]
    pub fn together(anew: bool, claims: &[(Fingerprint, ThreadSet)]) -> Visited {
        let number = |set: ThreadSet| u128::from(set.words()[0]) | u128::from(set.words()[1]) << 64;
        let claims = words(claims.iter().flat_map(|&(state, asleep)| [state, number(asleep)]));
        Visited { anew, states: String::new(), claims }
    }
}

/// Numbers in base64.
fn words(numbers: impl Iterator<Item = u128>) -> String {
    let mut bytes = Vec::with_capacity(numbers.size_hint().0 * size_of::<u128>());
    numbers.for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
    base64::encode(&bytes)
}

fn numbers(words: &str) -> Option<Vec<u128>> {
    let bytes = base64::decode(words)?;
    let whole = bytes.chunks_exact(size_of::<u128>());
    let is_whole = whole.remainder().is_empty();
    is_whole.then(|| whole.filter_map(|number| number.try_into().ok()).map(u128::from_le_bytes).collect())
}

/// What several workers know together.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SavedCrew {
    /// What the controller knows, in base64.
    pub controller: String,
    /// What has been done.
    pub counts: Counts,
    /// How often each filter has cut something at its bound.
    #[serde(default)]
    pub cut: Vec<u64>,
    /// What has been learned about steps that are taken at once, where that matters.
    #[serde(default)]
    pub quiet: Option<(u32, Vec<(u64, u16)>)>,
    /// What atomic sections have touched so far.
    #[serde(default)]
    pub shapes: Vec<SavedShape>,
}

impl Saved {
    /// The schedule that has to be run to go on.
    #[must_use]
    pub fn schedule(&self) -> Option<Vec<Token>> {
        match self {
            Saved::Reduction(saved) => saved.schedule(),
            Saved::Levels(saved) => saved.search.schedule(),
            Saved::Depth(saved) => saved.branches().map(|branches| branches.way.schedule),
            Saved::Sample(_) | Saved::Crew(_) => Some(Vec::new()),
        }
    }
}

impl SavedDepth {
    /// The words for a part of a search.
    #[must_use]
    pub fn words(branches: &Branches) -> String {
        base64::encode(&seal(branches, &Names::default()))
    }

    /// The path, and what is left beside it.
    #[must_use]
    pub fn branches(&self) -> Option<Branches> {
        read(&self.part)
    }

    /// Where else it goes on.
    #[must_use]
    pub fn other_ways(&self) -> Option<Vec<Way>> {
        self.roots.iter().map(|root| read(root).map(|branches| branches.way)).collect()
    }
}

fn read(words: &str) -> Option<Branches> {
    open(&base64::decode(words)?, &Names::default()).ok()
}
