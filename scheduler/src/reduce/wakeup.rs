//! Wakeup trees: sequences of events that are still to be explored from a state (Abdulla et al., optimal DPOR).
//!
//! A sequence is a promise: it reverses a race, and no execution that begins with it is equivalent to one that was
//! explored before. The tree is ordered: what stands first is explored first.

use super::footprint::Footprint;
use super::rediscovery::{Planned, is_found_again};
use super::sequence::{Meets, Sequence};

/// The sequences, by their first events.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Tree {
    branches: Vec<Branch>,
    /// How many there are.
    sequences: usize,
    /// How many events they have, those that they share counted once.
    events: usize,
}

/// Most forks have fewer branches: there is no room for more until they come.
const FEW: usize = 4;

/// Events that follow each other, and what is to follow them. Most sequences share little with others: a branch is a
/// long line, and one allocation.
#[derive(Clone, PartialEq, Debug)]
struct Branch {
    /// From the last to the first: the first is taken out first. Never empty.
    line: Vec<Footprint>,
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
        self.branches.iter().filter_map(|branch| branch.line.last())
    }

    /// Adds a sequence, unless the tree has one that leads to an equivalent execution.
    pub fn insert<'a>(&mut self, sequence: impl IntoIterator<Item = &'a Footprint>) {
        let mut sequence: Sequence = sequence.into_iter().copied().collect();
        self.grow(&mut sequence, Room::default(), true);
    }

    /// Adds a sequence where there is room for it. The sequence is left in disorder.
    pub fn insert_where(&mut self, sequence: &mut [Footprint], room: Room<'_>) -> Inserted {
        self.grow(sequence, room, true)
    }

    fn grow(&mut self, sequence: &mut [Footprint], room: Room<'_>, is_whole: bool) -> Inserted {
        if sequence.is_empty() {
            return Inserted::Needless;
        }
        for branch in &mut self.branches {
            let inserted = match branch.follow(sequence) {
                Followed::Differs => continue,
                Followed::ToItsEnd(_) if branch.rest.is_empty() => Inserted::Needless,
                Followed::ToItsEnd(left) => branch.rest.grow(left, room, false),
                Followed::To(length, left) => {
                    let inserted = room.takes(left, false, || is_found_again(left, branch.planned(length)));
                    if let Inserted::Added(_) = inserted {
                        branch.fork(length, left);
                    }
                    inserted
                }
            };
            if let Inserted::Added(events) = inserted {
                self.sequences += 1;
                self.events += events;
            }
            return inserted;
        }
        let is_found = || self.branches.iter().any(|branch| is_found_again(sequence, branch.planned(0)));
        let inserted = room.takes(sequence, is_whole, is_found);
        if let Inserted::Added(_) = inserted {
            self.push_sequence(sequence);
        }
        inserted
    }

    fn push_sequence(&mut self, sequence: &[Footprint]) {
        self.push_branch(sequence.iter().rev().copied().collect(), Tree::default());
    }

    /// Adds a single event.
    pub fn add(&mut self, event: Footprint) {
        self.push_branch(vec![event], Tree::default());
    }

    /// Takes out the first branch: its event, and what is to follow it.
    pub fn take_first(&mut self) -> Option<(Footprint, Tree)> {
        let branch = self.branches.first_mut()?;
        let event = branch.line.pop()?;
        self.events -= 1;
        if !branch.line.is_empty() && self.branches.len() == 1 {
            return Some((event, std::mem::take(self)));
        }
        let branch = self.branches.remove(0);
        let (sequences, events) = (branch.sequences(), branch.events());
        self.sequences -= sequences;
        self.events -= events;
        let is_over = branch.line.is_empty();
        Some((event, if is_over { branch.rest } else { Tree { branches: vec![branch], sequences, events } }))
    }

    /// Takes out the first sequence: its events, each with what else is to follow it.
    pub fn take_first_line(&mut self) -> Vec<(Footprint, Tree)> {
        let mut line = Vec::new();
        let mut next = self.take_first();
        while let Some((event, mut rest)) = next {
            next = rest.take_first();
            line.push((event, rest));
        }
        line
    }

    /// The events of the first sequence, each with whether something else is to follow it.
    pub fn first_line(&self) -> impl Iterator<Item = (&Footprint, bool)> {
        let branches = std::iter::successors(self.branches.first(), |branch| branch.rest.branches.first());
        branches.flat_map(|branch| {
            let forks = branch.rest.has_others();
            branch.line.iter().enumerate().rev().map(move |(left, event)| (event, forks && left == 0))
        })
    }

    /// Whether something is to be explored beside what stands first.
    #[must_use]
    pub fn has_others(&self) -> bool {
        self.branches.len() > 1
    }

    /// The branches: a line of events, from the last to the first, and what is to follow them.
    pub fn branches(&self) -> impl Iterator<Item = (&[Footprint], &Tree)> {
        self.branches.iter().map(|branch| (&branch.line[..], &branch.rest))
    }

    /// Adds a branch behind the others; its line, from the last event to the first, is not empty.
    pub fn push_branch(&mut self, line: Vec<Footprint>, rest: Tree) {
        let branch = Branch { line, rest };
        self.sequences += branch.sequences();
        self.events += branch.events();
        if self.branches.len() < FEW {
            self.branches.reserve_exact(1);
        }
        self.branches.push(branch);
    }

    /// How many sequences there are.
    #[must_use]
    pub fn sequences(&self) -> usize {
        self.sequences
    }

    /// Events in the tree.
    #[must_use]
    pub fn len(&self) -> usize {
        self.events
    }
}

/// What a tree has room for.
#[derive(Clone, Copy)]
pub struct Room<'r> {
    /// Not for what is sure to be found again in the run of something that is planned ([`super::rediscovery`]); the
    /// sequence ends with a plain access.
    pub not_twice: bool,
    /// Whether only for what begins as nothing else does ([`super::crowd`]).
    pub only_firsts: &'r dyn Fn() -> bool,
}

impl Default for Room<'_> {
    fn default() -> Self {
        Room { not_twice: false, only_firsts: &|| false }
    }
}

impl Room<'_> {
    fn takes(self, left: &[Footprint], is_whole: bool, is_found_again: impl Fn() -> bool) -> Inserted {
        if self.not_twice && is_found_again() {
            Inserted::Needless
        } else if !is_whole && (self.only_firsts)() {
            Inserted::Dropped
        } else {
            Inserted::Added(left.len())
        }
    }
}

/// What came of a sequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inserted {
    /// There is one more, with so many events of its own.
    Added(usize),
    /// What is planned leads there.
    Needless,
    /// There was no room: something is planned with which it can begin, but nothing says how to go on.
    Dropped,
}

/// How far a sequence goes the way of a branch, and what is left of it then.
enum Followed<'s> {
    /// It can not begin with the first event.
    Differs,
    /// So many events.
    To(usize, &'s mut [Footprint]),
    /// All of them, or it has no more events itself.
    ToItsEnd(&'s mut [Footprint]),
}

impl Branch {
    /// How many sequences begin with its events.
    fn sequences(&self) -> usize {
        self.rest.sequences.max(1)
    }

    /// How many events it has.
    fn events(&self) -> usize {
        self.line.len() + self.rest.events
    }

    /// What is planned behind the first events.
    fn planned(&self, length: usize) -> Planned<'_> {
        Planned { line: &self.line[..self.line.len() - length], rest: &self.rest }
    }

    fn follow<'s>(&self, mut sequence: &'s mut [Footprint]) -> Followed<'s> {
        for (length, event) in self.line.iter().rev().enumerate() {
            if sequence.is_empty() {
                break;
            }
            if sequence[0].token == event.token {
                sequence = &mut sequence[1..];
                continue;
            }
            match event.meets(sequence) {
                Meets::Other(_) if length == 0 => return Followed::Differs,
                Meets::Other(_) => return Followed::To(length, sequence),
                Meets::Itself(index) => {
                    sequence[..=index].rotate_right(1);
                    sequence = &mut sequence[1..];
                }
                Meets::Nothing => {}
            }
        }
        Followed::ToItsEnd(sequence)
    }

    /// What is left of a sequence goes another way behind the first events.
    fn fork(&mut self, length: usize, left: &[Footprint]) {
        let first = self.line.split_off(self.line.len() - length);
        let line = std::mem::replace(&mut self.line, first);
        let rest = std::mem::take(&mut self.rest);
        self.rest.push_branch(line, rest);
        self.rest.push_sequence(left);
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
            let line: Vec<u16> = branch.line.iter().rev().map(|event| event.thread().0).collect();
            let rest = threads(&branch.rest);
            if rest.is_empty() {
                vec![line]
            } else {
                rest.into_iter().map(|rest| [line.clone(), rest].concat()).collect()
            }
        };
        tree.branches.iter().flat_map(behind).collect()
    }

    #[test]
    fn equivalent_sequences_are_kept_once() {
        let (x1, x2, y3) = (event(1, 0, Write), event(2, 0, Write), event(3, 1, Read));
        let mut tree = Tree::default();
        tree.insert([&x1, &x2]);
        tree.insert([&x1, &x2]);
        tree.insert([&x1]);
        assert_eq!(threads(&tree), [[1, 2]]);
        tree.insert([&y3, &x1, &x2]);
        assert_eq!(threads(&tree), [[1, 2]], "whatever begins with this leads there too");
        tree.insert([&x2, &x1]);
        assert_eq!(threads(&tree), [[1, 2], [2, 1]]);
    }

    #[test]
    fn sequences_share_their_beginnings() {
        let (x1, x2, x3) = (event(1, 0, Write), event(2, 0, Write), event(3, 0, Write));
        let mut tree = Tree::default();
        tree.insert([&x1, &x2, &x3]);
        tree.insert([&x1, &x3, &x2]);
        assert_eq!(threads(&tree), [[1, 2, 3], [1, 3, 2]]);
        assert_eq!((tree.sequences(), tree.len()), (2, 5));
        let line: Vec<(u16, bool)> = tree.first_line().map(|(event, forks)| (event.thread().0, forks)).collect();
        assert_eq!(line, [(1, true), (2, false), (3, false)]);
        let (first, rest) = tree.take_first().expect("a branch");
        assert_eq!((first.thread().0, threads(&rest)), (1, vec![vec![2, 3], vec![3, 2]]));
        assert_eq!((rest.sequences(), rest.len()), (2, 4));
        assert_eq!((tree.is_empty(), tree.len()), (true, 0));
    }
}
