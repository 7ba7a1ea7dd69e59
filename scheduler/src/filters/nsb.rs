//! `nsb`: not seen before (SCALE, Algorithm 3).
//!
//! A successor whose representation was visited before is pruned. Representations are compared by their 128-bit hashes.

use super::{Filter, FilterInfo, Preserves};
use crate::explore::{Candidates, Path};
use crate::frontend::{Configuration, Fingerprint};
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

pub(super) const INFO: FilterInfo = FilterInfo {
    name: "nsb",
    argument: None,
    summary: "not seen before: a state is explored once, however it is reached",
    make: |_| Box::new(NotSeenBefore::default()),
};

/// The set of visited states.
#[derive(Default)]
struct NotSeenBefore {
    seen: HashSet<Fingerprint, BuildHasherDefault<TakeBits>>,
}

impl Filter for NotSeenBefore {
    fn visit(&mut self, _path: &Path, configuration: &mut Configuration, candidates: &mut Candidates) {
        self.seen.insert(configuration.fingerprint());
        candidates.retain(|token| {
            configuration.fingerprint_after(token).is_none_or(|fingerprint| !self.seen.contains(&fingerprint))
        });
    }

    fn preserves(&self) -> Preserves {
        Preserves::EveryState
    }

    fn memory(&self) -> usize {
        // The table keeps an entry and a control byte for every slot.
        self.seen.capacity() * (size_of::<Fingerprint>() + 1)
    }
}

/// Fingerprints are hashes already: some of their bits will do.
#[derive(Default)]
struct TakeBits(u64);

impl Hasher for TakeBits {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0.rotate_left(8) ^ u64::from(byte));
    }
    fn write_u128(&mut self, value: u128) {
        self.0 = value as u64;
    }
}
