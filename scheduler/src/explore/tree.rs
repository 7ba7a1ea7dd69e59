//! Parts of a search in depth: steps from a state, with all that lies behind them.

use super::Order;
use rscale_protocol::arena::Token;
use serde::{Deserialize, Serialize};

/// Steps from a state, with all that lies behind them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Branches {
    /// The tokens of the path to the state.
    schedule: Vec<u16>,
    /// The steps from there that are to be explored.
    steps: Vec<u16>,
    order: Order,
    /// The part of the whole search that this is, if all that lies behind a state is of a size.
    weight: f64,
}

impl Branches {
    /// The path, the steps from its end, the order, and the weight.
    #[must_use]
    pub fn parts(&self) -> (Vec<Token>, Vec<Token>, Order, f64) {
        let tokens = |codes: &[u16]| codes.iter().filter_map(|&code| Token::from_code(code)).collect();
        (tokens(&self.schedule), tokens(&self.steps), self.order, self.weight)
    }

    /// See [`Branches::parts`].
    #[must_use]
    pub fn of_parts(schedule: &[Token], steps: &[Token], order: Order, weight: f64) -> Branches {
        let [schedule, steps] = [schedule, steps].map(|tokens| tokens.iter().map(|token| token.to_code()).collect());
        Branches { schedule, steps, order, weight }
    }

    /// The part of the whole search that this is.
    #[must_use]
    pub fn weight(&self) -> f64 {
        self.weight
    }
}
