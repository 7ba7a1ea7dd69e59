//! `nsb`: not seen before (SCALE, Algorithm 3).
//!
//! A successor whose representation was visited before is pruned. Representations are compared by their 128-bit hashes.
//! `nsb=N` keeps at most N of them: a state that was forgotten is explored again, nothing is lost but time.

use super::seen::{Bounded, MOST_STATES, Seen, Unbounded};
use super::{Filter, FilterInfo, Make, Needs, Preserves};
use crate::explore::{Candidates, Path};
use crate::frontend::Configuration;

pub(super) const INFO: FilterInfo = FilterInfo {
    name: "nsb",
    argument: Some("[N]"),
    range: 1..=MOST_STATES,
    summary: "not seen before: a state is explored once, however it is reached; with N, as many are remembered",
    needs: Needs::NOTHING,
    make: Make::Filter(|value| match value {
        None => Box::new(NotSeenBefore { seen: Unbounded::default() }),
        Some(most) => Box::new(NotSeenBefore { seen: Bounded::new(most) }),
    }),
};

/// Prunes what was visited.
struct NotSeenBefore<S> {
    seen: S,
}

impl<S: Seen> Filter for NotSeenBefore<S> {
    fn visit(&mut self, _path: &Path, configuration: &mut Configuration, candidates: &mut Candidates) {
        candidates.retain(|token| {
            configuration.fingerprint_after(token).is_none_or(|fingerprint| !self.seen.contains(fingerprint))
        });
    }

    fn visited(&mut self, configuration: &Configuration, candidates: &Candidates) {
        if !candidates.is_partial() {
            self.seen.insert(configuration.fingerprint());
        }
    }

    fn restart(&mut self) {
        self.seen.clear();
    }

    fn knows_explored(&self) -> bool {
        true
    }

    fn preserves(&self) -> Preserves {
        Preserves::EveryState
    }

    fn memory(&self) -> usize {
        self.seen.memory()
    }
}
