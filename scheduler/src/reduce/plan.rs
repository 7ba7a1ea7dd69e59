//! What to explore because of a race: three answers, from the oldest to the best.

use super::footprint::Footprint;
use super::reversal::{Extent, Reversal};
use super::wakeup::Tree;
use rscale_protocol::arena::Token;

/// A state on the path, as far as the reduction is concerned.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// Events that need not be taken here: whatever begins with one was explored, or is equivalent to what was.
    pub sleep: Vec<Footprint>,
    /// The events that were explored from here.
    pub done: Vec<Token>,
    /// What is still to be explored, apart from what the path does now.
    pub tree: Tree,
}

/// Decides what is to be explored.
pub trait Planner {
    /// Makes sure that the race will be reversed, by something that is explored from the node before its first event,
    /// where the path takes an event now.
    fn plan(&self, node: &mut Node, taken: Token, reversal: &Reversal<'_>);

    /// Whether a race is looked at in every execution that has it, and not only in the first one, and how much of that the
    /// reversal takes over.
    fn extent(&self) -> Extent {
        Extent::UpToSecond
    }
}

/// Optimal DPOR: the whole sequence, unless something explored before leads to the same.
pub struct Optimal;

impl Planner for Optimal {
    fn plan(&self, node: &mut Node, _taken: Token, reversal: &Reversal<'_>) {
        let is_covered = |sleeper: &Footprint| sleeper.precedes(reversal.sequence()).is_some();
        if !node.sleep.iter().any(is_covered) {
            node.tree.insert(reversal.sequence().collect());
        }
    }

    fn extent(&self) -> Extent {
        Extent::Whole
    }
}

/// Source DPOR: one of the events with which the sequence can begin, unless one of them was or is going to be explored.
pub struct Source;

impl Planner for Source {
    fn plan(&self, node: &mut Node, taken: Token, reversal: &Reversal<'_>) {
        let sequence: Vec<&Footprint> = reversal.sequence().collect();
        let initials: Vec<usize> = initials(&sequence).collect();
        add_one_of(node, taken, &sequence, &initials);
    }
}

/// Classic DPOR with clock vectors, as persistent sets need it: only events that the second event of the race depends on
/// count, where there are some (Sachinoglou, Algorithm 5).
pub struct Persistent;

impl Planner for Persistent {
    fn plan(&self, node: &mut Node, taken: Token, reversal: &Reversal<'_>) {
        let sequence: Vec<&Footprint> = reversal.sequence().collect();
        let events: Vec<_> = reversal.events().collect();
        let last = sequence.len() - 1;
        let all: Vec<usize> = initials(&sequence).collect();
        let leads_there = |&index: &usize| match (events.get(index), reversal.second) {
            (None, _) => index == last,
            (Some(&event), Some(second)) => reversal.history().happens_before(event, second),
            (Some(_), None) => sequence[index].conflicts(sequence[last]),
        };
        let leading: Vec<usize> = all.iter().copied().filter(leads_there).collect();
        add_one_of(node, taken, &sequence, if leading.is_empty() { &all } else { &leading });
    }
}

/// The members that the sequence can begin with.
fn initials(sequence: &[&Footprint]) -> impl Iterator<Item = usize> {
    (0..sequence.len()).filter(|&index| !sequence[..index].iter().any(|earlier| earlier.conflicts(sequence[index])))
}

/// Adds the first of these members, unless one of them is explored anyway.
fn add_one_of(node: &mut Node, taken: Token, sequence: &[&Footprint], members: &[usize]) {
    let is_explored = |token: Token| {
        token == taken || node.done.contains(&token) || node.tree.firsts().any(|first| first.token == token)
    };
    if !members.iter().any(|&index| is_explored(sequence[index].token))
        && let Some(&first) = members.first()
    {
        node.tree.add(sequence[first].clone());
    }
}
