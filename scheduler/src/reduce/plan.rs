//! What to explore because of a race: three answers, from the oldest to the best.

use super::footprint::Footprint;
use super::history::{EventIndex, History};
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

/// A race, and the sequence that reverses it: what comes after the first event but does not happen after it, and then the
/// second event.
pub struct Reversal<'a> {
    /// The first event; the sequence goes where it went.
    pub first: EventIndex,
    /// The sequence.
    pub sequence: Vec<Footprint>,
    /// The members of the sequence but the last one, which is not an event of the execution, or not in this place.
    pub events: &'a [EventIndex],
    /// The second event, if it was executed.
    pub second: Option<EventIndex>,
}

/// Decides what is to be explored.
pub trait Planner {
    /// Makes sure that the race will be reversed, by something that is explored from the node before its first event.
    fn plan(&self, node: &mut Node, taken: Token, reversal: Reversal<'_>, history: &History);
}

/// Optimal DPOR: the whole sequence, unless something explored before leads to the same.
pub struct Optimal;

impl Planner for Optimal {
    fn plan(&self, node: &mut Node, _taken: Token, reversal: Reversal<'_>, _history: &History) {
        let is_covered = |sleeper: &Footprint| sleeper.precedes(&reversal.sequence).is_some();
        if !node.sleep.iter().any(is_covered) {
            node.tree.insert(reversal.sequence);
        }
    }
}

/// Source DPOR: one of the events with which the sequence can begin, unless one of them was or is going to be explored.
pub struct Source;

impl Planner for Source {
    fn plan(&self, node: &mut Node, taken: Token, reversal: Reversal<'_>, _history: &History) {
        let initials: Vec<usize> = initials(&reversal.sequence).collect();
        add_one_of(node, taken, &reversal.sequence, &initials);
    }
}

/// Classic DPOR with clock vectors, as persistent sets need it: only events that the second event of the race depends on
/// count, where there are some (Sachinoglou, Algorithm 5).
pub struct Persistent;

impl Planner for Persistent {
    fn plan(&self, node: &mut Node, taken: Token, reversal: Reversal<'_>, history: &History) {
        let last = reversal.sequence.len() - 1;
        let all: Vec<usize> = initials(&reversal.sequence).collect();
        let leads_there = |&index: &usize| match (reversal.events.get(index), reversal.second) {
            (None, _) => index == last,
            (Some(&event), Some(second)) => history.happens_before(event, second),
            (Some(_), None) => reversal.sequence[index].conflicts(&reversal.sequence[last]),
        };
        let leading: Vec<usize> = all.iter().copied().filter(leads_there).collect();
        add_one_of(node, taken, &reversal.sequence, if leading.is_empty() { &all } else { &leading });
    }
}

/// The members that the sequence can begin with.
fn initials(sequence: &[Footprint]) -> impl Iterator<Item = usize> + '_ {
    (0..sequence.len()).filter(|&index| !sequence[..index].iter().any(|earlier| earlier.conflicts(&sequence[index])))
}

/// Adds the first of these members, unless one of them is explored anyway.
fn add_one_of(node: &mut Node, taken: Token, sequence: &[Footprint], members: &[usize]) {
    let is_explored = |token: Token| {
        token == taken || node.done.contains(&token) || node.tree.firsts().any(|first| first.token == token)
    };
    if !members.iter().any(|&index| is_explored(sequence[index].token))
        && let Some(&first) = members.first()
    {
        node.tree.add(sequence[first].clone());
    }
}
