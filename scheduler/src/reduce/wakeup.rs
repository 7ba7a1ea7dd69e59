//! Wakeup trees: sequences of events that are still to be explored from a state (Abdulla et al., optimal DPOR).
//!
//! A sequence is a promise: it reverses a race, and no execution that begins with it is equivalent to one that was explored
//! before. The tree is ordered: what stands first is explored first.

use super::footprint::{Footprint, Precedes};

/// The sequences, by their first events.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    branches: Vec<Branch>,
}

/// An event, and what is to follow it.
#[derive(Clone, Debug)]
struct Branch {
    event: Footprint,
    rest: Tree,
}

impl Tree {
    /// Whether nothing is to be explored.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.branches.is_empty()
    }

    /// The first events.
    pub fn firsts(&self) -> impl Iterator<Item = &Footprint> {
        self.branches.iter().map(|branch| &branch.event)
    }

    /// Adds a sequence, unless the tree has one that leads to an equivalent execution.
    pub fn insert(&mut self, mut sequence: Vec<&Footprint>) {
        if sequence.is_empty() {
            return;
        }
        for branch in &mut self.branches {
            match branch.event.precedes(sequence.iter().copied()) {
                None => continue,
                Some(Precedes::As(index)) => {
                    sequence.remove(index);
                }
                Some(Precedes::Beside) => {}
            }
            if !branch.rest.is_empty() {
                branch.rest.insert(sequence);
            }
            return;
        }
        let chain = sequence
            .into_iter()
            .rev()
            .fold(Tree::default(), |rest, event| Tree { branches: vec![Branch { event: event.clone(), rest }] });
        self.branches.extend(chain.branches);
    }

    /// Adds a single event.
    pub fn add(&mut self, event: Footprint) {
        self.branches.push(Branch { event, rest: Tree::default() });
    }

    /// Takes out the first branch: its event, and what is to follow it.
    pub fn take_first(&mut self) -> Option<(Footprint, Tree)> {
        (!self.branches.is_empty()).then(|| self.branches.remove(0)).map(|branch| (branch.event, branch.rest))
    }

    /// Events in the tree.
    #[must_use]
    pub fn len(&self) -> usize {
        self.branches.iter().map(|branch| 1 + branch.rest.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::footprint::samples::event;
    use super::*;
    use Mode::{Read, Write};
    use rscale_protocol::dependence::Mode;

    fn threads(tree: &Tree) -> Vec<Vec<u16>> {
        let behind = |branch: &Branch| {
            let first = branch.event.thread().0;
            let rest = threads(&branch.rest);
            if rest.is_empty() {
                vec![vec![first]]
            } else {
                rest.into_iter().map(|rest| [vec![first], rest].concat()).collect()
            }
        };
        tree.branches.iter().flat_map(behind).collect()
    }

    #[test]
    fn equivalent_sequences_are_kept_once() {
        let (x1, x2, y3) = (event(1, 0, Write), event(2, 0, Write), event(3, 1, Read));
        let mut tree = Tree::default();
        tree.insert(vec![&x1, &x2]);
        tree.insert(vec![&x1, &x2]);
        tree.insert(vec![&x1]);
        assert_eq!(threads(&tree), [[1, 2]]);
        tree.insert(vec![&y3, &x1, &x2]);
        assert_eq!(threads(&tree), [[1, 2]], "whatever begins with this leads there too");
        tree.insert(vec![&x2, &x1]);
        assert_eq!(threads(&tree), [[1, 2], [2, 1]]);
    }

    #[test]
    fn sequences_share_their_beginnings() {
        let (x1, x2, x3) = (event(1, 0, Write), event(2, 0, Write), event(3, 0, Write));
        let mut tree = Tree::default();
        tree.insert(vec![&x1, &x2, &x3]);
        tree.insert(vec![&x1, &x3, &x2]);
        assert_eq!(threads(&tree), [[1, 2, 3], [1, 3, 2]]);
        let (first, rest) = tree.take_first().expect("a branch");
        assert_eq!((first.thread().0, threads(&rest)), (1, vec![vec![2, 3], vec![3, 2]]));
        assert!(tree.is_empty());
    }
}
