//! A set of addresses: sorted ranges that neither overlap nor touch, in a fixed array.

/// Most ranges.
const CAPACITY: usize = 1024;

/// A set of addresses.
pub struct Ranges {
    /// Start and end of each.
    ranges: [(u64, u64); CAPACITY],
    count: usize,
}

impl Ranges {
    /// The empty set.
    pub const fn new() -> Ranges {
        Ranges { ranges: [(0, 0); CAPACITY], count: 0 }
    }

    /// The ranges.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.ranges[..self.count].iter().copied()
    }

    /// Makes the set empty.
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether all addresses from `start` to `end` are in the set.
    pub fn contains(&self, start: u64, end: u64) -> bool {
        start < end && self.iter().any(|range| range.0 <= start && end <= range.1)
    }

    /// Adds the addresses from `start` to `end`. False if there is no room.
    pub fn add(&mut self, start: u64, end: u64) -> bool {
        let first = self.ranges[..self.count].partition_point(|range| range.1 < start);
        let after = self.ranges[..self.count].partition_point(|range| range.0 <= end);
        if first == after {
            return self.insert(first, (start, end));
        }
        self.ranges[first] = (self.ranges[first].0.min(start), self.ranges[after - 1].1.max(end));
        self.ranges.copy_within(after..self.count, first + 1);
        self.count -= after - first - 1;
        true
    }

    /// Takes the addresses from `start` to `end` out. False if there is no room for what is left.
    pub fn remove(&mut self, start: u64, end: u64) -> bool {
        let Some(index) = self.iter().position(|range| range.0 < end && start < range.1) else { return true };
        let (low, high) = self.ranges[index];
        self.ranges.copy_within(index + 1..self.count, index);
        self.count -= 1;
        let kept = (low >= start || self.add(low, start)) && (high <= end || self.add(end, high));
        kept && self.remove(start, end)
    }

    fn insert(&mut self, index: usize, range: (u64, u64)) -> bool {
        if self.count == CAPACITY {
            return false;
        }
        self.ranges.copy_within(index..self.count, index + 1);
        self.ranges[index] = range;
        self.count += 1;
        true
    }
}
