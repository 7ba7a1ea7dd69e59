//! A search on its way, for another process.

use super::Counts;
use crate::reduce::SavedReduction;
use crate::sample::SavedSample;
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
}

/// What several workers know together.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SavedCrew {
    /// What the controller knows, in base64.
    pub controller: String,
    /// What has been done.
    pub counts: Counts,
}

impl Saved {
    /// The schedule that has to be run to go on.
    #[must_use]
    pub fn schedule(&self) -> Option<Vec<Token>> {
        match self {
            Saved::Reduction(saved) => saved.schedule(),
            Saved::Sample(_) | Saved::Crew(_) => Some(Vec::new()),
        }
    }
}
