//! `random`: every step that can be taken has the same chance, a time-out or a spurious wake-up like any other.

use super::steps;
use crate::{random, world};
use rscale_protocol::ThreadSet;
use rscale_protocol::arena::Token;

/// One of the steps.
pub fn pick(awake: &[ThreadSet; 3]) -> Option<Token> {
    let count: usize = awake.iter().map(|set| set.len()).sum();
    (count > 0).then(|| steps(awake).nth(random::number(&world::get().order) as usize % count)).flatten()
}
