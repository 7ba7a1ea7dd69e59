//! Where a search is going to come back to: states of a run from which later ones go on.

use rscale_protocol::arena::RETURNS;

/// The last of these states, from the last on, each by the number of steps that lead there; 0 says nothing. It is
/// advice.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Returns([u32; RETURNS]);

impl Returns {
    /// Nothing is known.
    pub const NONE: Returns = Returns([0; RETURNS]);

    /// The state behind so many steps, and perhaps later ones.
    #[must_use]
    pub fn to(steps: usize) -> Returns {
        let mut returns = Returns::NONE;
        returns.add(steps);
        returns
    }

    /// Adds a state before the others.
    pub fn add(&mut self, steps: usize) {
        if let Some(place) = self.0.iter_mut().find(|place| **place == 0) {
            *place = u32::try_from(steps).unwrap_or(0);
        }
    }

    /// Whether there is no room for more.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.0[RETURNS - 1] != 0
    }

    /// The states.
    #[must_use]
    pub fn steps(&self) -> [u32; RETURNS] {
        self.0
    }
}
