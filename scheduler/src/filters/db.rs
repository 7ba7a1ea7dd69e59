//! `db=N`: depth bound (SCALE, Algorithm 4).

use super::{Filter, FilterInfo, Make, Needs, Preserves};
use crate::explore::{Candidates, Path};
use crate::frontend::Configuration;

pub(super) const INFO: FilterInfo = FilterInfo {
    name: "db",
    argument: Some("N"),
    range: 0..=u64::MAX,
    summary: "depth bound: nothing beyond N steps is explored",
    needs: Needs { every_round: true, every_step: true, ..Needs::NOTHING },
    make: Make::Filter(|value| Box::new(DepthBound { bound: value.unwrap_or(0), cut: 0 })),
};

struct DepthBound {
    bound: u64,
    cut: u64,
}

impl Filter for DepthBound {
    fn visit(&mut self, path: &Path, _configuration: &mut Configuration, candidates: &mut Candidates) {
        if path.depth() as u64 >= self.bound && !candidates.is_empty() {
            self.cut += 1;
            candidates.retain(|_| false);
        }
    }

    fn needs_configuration(&self) -> bool {
        false
    }

    fn restart(&mut self) {
        self.cut = 0;
    }

    fn cut(&self) -> u64 {
        self.cut
    }

    fn add_cut(&mut self, cut: u64) {
        self.cut += cut;
    }

    fn preserves(&self) -> Preserves {
        Preserves::OnlyWithin { bound: "steps", value: self.bound, cut: self.cut }
    }
}
