//! The path from the initial state to the current one: the part of the search tree that is kept.

use super::Candidates;
use rscale_protocol::ThreadSet;
use rscale_protocol::arena::{LocalState, Step, Token};

/// A state on the path.
#[derive(Clone, Debug)]
pub struct Node {
    /// In what local state the step that led here left its thread.
    pub arrived: LocalState,
    /// Who can take a step here.
    pub enabled: [ThreadSet; 3],
    /// Who sleeps here: what would follow their next steps has been explored from an earlier state of the path.
    pub sleep: ThreadSet,
    /// Whose next steps others explore from here, and not before those of this search.
    pub foreign: ThreadSet,
    /// Behind whose next steps the program came to an early end, so that nobody else has gone on there.
    pub ended: ThreadSet,
    /// What is still to be explored.
    pub candidates: Candidates,
    /// The step that the path takes out of this state.
    pub taken: Option<Step>,
}

/// The path: a state, a step, a state, ... The last state may have no step yet.
#[derive(Debug, Default)]
pub struct Path {
    nodes: Vec<Node>,
}

impl Path {
    /// The states, the initial one first.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The states, to release what was held back.
    pub fn nodes_mut(&mut self) -> &mut [Node] {
        &mut self.nodes
    }

    /// How many steps lead to the last state.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.nodes.len().saturating_sub(1)
    }

    /// How many steps lead to the last state with something left to explore.
    #[must_use]
    pub fn last_open(&self) -> usize {
        self.nodes.iter().rposition(|node| !node.candidates.is_empty()).unwrap_or(0)
    }

    /// The steps taken.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.nodes.iter().filter_map(|node| node.taken.as_ref())
    }

    pub(super) fn push(&mut self, node: Node) {
        self.nodes.push(node);
    }

    pub(super) fn pop(&mut self) -> Option<Node> {
        self.nodes.pop()
    }

    /// The program came to an early end behind the last step.
    pub(super) fn end_early(&mut self) {
        let [.., before, _] = &mut self.nodes[..] else { return };
        let thread = before.taken.map(|step| step.action.thread);
        thread.into_iter().for_each(|thread| before.ended.insert(thread));
    }

    pub(super) fn last_mut(&mut self) -> Option<&mut Node> {
        self.nodes.last_mut()
    }

    pub(super) fn last(&self) -> Option<&Node> {
        self.nodes.last()
    }
}

impl Node {
    /// The token of the step that was taken.
    #[must_use]
    pub fn token(&self) -> Option<Token> {
        self.taken.as_ref().map(Step::token)
    }
}
