//! Where sections end: what executions have shown about the program.
//!
//! Branches are not seen in machine code, nor which reads an address is computed from. Both show when a section that
//! was planned is run: some thread does something else than was planned. From then on no section goes on behind the
//! event before that.

use std::collections::HashSet;

/// Places in the program, by the addresses of their instructions.
#[derive(Clone, Debug, Default)]
pub struct Ends {
    /// What comes behind these may depend on the order of the section's events.
    branching: HashSet<u64>,
    /// What these touch may depend on it.
    varying: HashSet<u64>,
}

impl Ends {
    /// These places: where what comes behind may depend on the order of events, and where what is touched may.
    #[must_use]
    pub fn at(branching: &[u64], varying: &[u64]) -> Ends {
        Ends { branching: branching.iter().copied().collect(), varying: varying.iter().copied().collect() }
    }

    /// All places, as [`Ends::at`] has them.
    #[must_use]
    pub fn places(&self) -> [Vec<u64>; 2] {
        [&self.branching, &self.varying].map(|places| {
            let mut places: Vec<u64> = places.iter().copied().collect();
            places.sort_unstable();
            places
        })
    }

    /// Whether sections end behind what the program does here.
    #[must_use]
    pub fn stop_behind(&self, pc: u64) -> bool {
        self.branching.contains(&pc)
    }

    /// Whether what the program does here belongs to no section.
    #[must_use]
    pub fn bars(&self, pc: u64) -> bool {
        self.varying.contains(&pc)
    }

    /// A thread has done something else than was planned: behind this place, or at this place if nothing came before.
    pub fn learn(&mut self, before: Option<u64>, pc: u64) {
        match before {
            Some(before) => self.branching.insert(before),
            None => self.varying.insert(pc),
        };
    }
}
