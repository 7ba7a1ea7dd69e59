//! The communication variables in memory: ranges of bytes whose accesses are scheduling points.
//!
//! A location is in the set because two threads accessed it in no particular order in some execution. Ranges never
//! overlap: two that do are one, since an access to either may touch both.

use rscale_protocol::arena::MAX_LOCATIONS;
use std::collections::BTreeMap;

/// A set of disjoint ranges.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Locations {
    /// Length by start.
    ranges: BTreeMap<u64, u64>,
}

impl Locations {
    /// The ranges, as start and length, by address.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.ranges.iter().map(|(&start, &length)| (start, length))
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ranges.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Adds a range; returns whether the set has changed.
    pub fn add(&mut self, start: u64, length: u64) -> bool {
        let Some(mut end) = start.checked_add(length).filter(|_| length > 0) else { return false };
        let mut start = start;
        let mut overlapping = Vec::new();
        for (&other, &length) in self.ranges.range(..end).rev() {
            // Ranges are disjoint, so one that ends before this one is the last to look at.
            if other + length <= start {
                break;
            }
            overlapping.push((other, length));
        }
        if let [(other, length)] = overlapping[..]
            && other <= start
            && end <= other + length
        {
            return false;
        }
        for (other, length) in overlapping {
            self.ranges.remove(&other);
            (start, end) = (start.min(other), end.max(other + length));
        }
        self.ranges.insert(start, end - start);
        self.coarsen();
        true
    }

    /// Where there are more ranges than the program's side can hold, neighbours become one. That makes more accesses
    /// scheduling points than necessary, never fewer.
    fn coarsen(&mut self) {
        while self.ranges.len() > MAX_LOCATIONS {
            let pairs = self.ranges.iter().zip(self.ranges.keys().skip(1));
            let closest = pairs.min_by_key(|((start, length), next)| *next - (*start + *length));
            let Some(((&start, _), &next)) = closest else { return };
            let end = next + self.ranges.remove(&next).unwrap_or(0);
            self.ranges.insert(start, end - start);
        }
    }

    /// The set as it stands in a trace: `0x4000+4 0x4010+8`.
    #[must_use]
    pub fn to_text(&self) -> String {
        self.iter().map(|(start, length)| format!("{start:#x}+{length}")).collect::<Vec<_>>().join(" ")
    }

    /// The set out of a trace.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Locations> {
        let mut locations = Locations::default();
        for word in text.split_whitespace() {
            let (start, length) = word.split_once('+')?;
            let start = u64::from_str_radix(start.strip_prefix("0x")?, 16).ok()?;
            locations.add(start, length.parse().ok().filter(|&length| length > 0 && start < u64::MAX - length)?);
        }
        Some(locations)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// The set covers exactly the bytes that were added, in ranges that do not overlap.
        #[test]
        fn covers_what_was_added(added in prop::collection::vec((0u64..200, 1u64..20), 0..30)) {
            let mut locations = Locations::default();
            let mut bytes = BTreeSet::new();
            for &(start, length) in &added {
                let before = locations.clone();
                prop_assert_eq!(locations.add(start, length), locations != before);
                bytes.extend(start..start + length);
            }
            let covered: Vec<u64> = locations.iter().flat_map(|(start, length)| start..start + length).collect();
            prop_assert_eq!(covered, bytes.into_iter().collect::<Vec<_>>());
            // Whatever was added lies within one range.
            for (start, length) in added {
                let holds = |(other, size): (u64, u64)| other <= start && start + length <= other + size;
                prop_assert!(locations.iter().any(holds));
            }
            prop_assert_eq!(Locations::from_text(&locations.to_text()), Some(locations));
        }

        #[test]
        fn arbitrary_text_never_panics(text: String) {
            let _ = Locations::from_text(&text);
        }
    }

    #[test]
    fn neighbours_stay_apart() {
        let mut locations = Locations::default();
        assert!(locations.add(0, 4) && locations.add(4, 4));
        assert_eq!(locations.len(), 2);
        assert!(!locations.add(5, 2), "within a known range");
        assert!(locations.add(3, 2), "joins both");
        assert_eq!(locations.iter().collect::<Vec<_>>(), [(0, 8)]);
        assert!(!locations.add(9, 0));
    }
}
