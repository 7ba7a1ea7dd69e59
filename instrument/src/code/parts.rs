//! Which ranges of code share a stack frame.
//!
//! Compilers split a function into parts (`.cold`) that jump to each other, and assembly runs from one entry into
//! the next. What one part does with the frame holds for all. A tail call looks the same: unless its target
//! is also called, which no part is, it joins more than necessary, and that only costs precision.

use std::collections::HashSet;

use super::functions::Function;
use super::outline::Outline;
use super::stack::StackUse;

/// The stack facts of each function with those of all its parts. Of a part that only a jump table leads to, the
/// function is not known: its frame counts as known elsewhere.
pub(super) fn joined_stacks(functions: &[Function], outlines: &[Outline]) -> Vec<StackUse> {
    let mut parts = Parts::new(functions.len());
    let called: HashSet<u64> = outlines.iter().flat_map(|outline| &outline.calls).copied().collect();
    for (index, outline) in outlines.iter().enumerate() {
        for (_, target) in outline.leaving.iter().filter(|(_, target)| !called.contains(target)) {
            if let Some(other) = containing(functions, *target) {
                parts.join(index, other);
            }
        }
        let next = functions.get(index + 1).filter(|next| next.range.start == functions[index].range.end);
        if outline.falls_through && next.is_some() {
            parts.join(index, index + 1);
        }
    }
    let mut joined = vec![StackUse::default(); functions.len()];
    for (index, outline) in outlines.iter().enumerate() {
        let representative = parts.find(index);
        let stack = if functions[index].is_part { outline.stack.of_part() } else { outline.stack };
        joined[representative] = joined[representative].joined(stack);
    }
    let mut members = vec![0; functions.len()];
    (0..functions.len()).for_each(|index| members[parts.find(index)] += 1);
    let joined_facts = |(index, function): (usize, &Function)| {
        let representative = parts.find(index);
        let is_lost = function.is_part && members[representative] == 1;
        if is_lost { joined[representative].with_leak() } else { joined[representative] }
    };
    functions.iter().enumerate().map(joined_facts).collect()
}

/// The function that contains an address; `functions` are sorted.
fn containing(functions: &[Function], address: u64) -> Option<usize> {
    let behind = functions.partition_point(|function| function.range.start <= address);
    let index = behind.checked_sub(1)?;
    functions[index].range.contains(&address).then_some(index)
}

/// Disjoint sets of ranges, each with a representative.
struct Parts {
    parents: Vec<usize>,
}

impl Parts {
    fn new(count: usize) -> Self {
        Self { parents: (0..count).collect() }
    }

    fn find(&mut self, mut index: usize) -> usize {
        while self.parents[index] != index {
            self.parents[index] = self.parents[self.parents[index]];
            index = self.parents[index];
        }
        index
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.find(one), self.find(other));
        self.parents[one.max(other)] = one.min(other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_ranges_have_one_representative() {
        let mut parts = Parts::new(6);
        for (one, other) in [(4, 5), (1, 2), (2, 4)] {
            parts.join(one, other);
        }
        let found: Vec<usize> = (0..6).map(|index| parts.find(index)).collect();
        assert_eq!(found, [0, 1, 1, 3, 1, 1]);
    }
}
