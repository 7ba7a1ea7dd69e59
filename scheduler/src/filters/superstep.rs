//! `superstep`: partial order reduction by super steps (SCALE, Algorithm 6).
//!
//! From a *super node* every enabled thread takes a *super step*: as many steps as it can before the order between them
//! and the first super steps of the others begins to matter. On the way nobody else is scheduled. Where a super step ends,
//! there is a super node again.
//!
//! Two things differ from the letter of the algorithm, because it is proven for this filter alone. A super node knows the
//! next steps of all enabled threads, also of those that an earlier filter has pruned: a step that conflicts with a pruned
//! one is the end of its super step all the same. And the states within a super step are only partly explored, so they are
//! marked as such and do not count as visited for `nsb`.
//!
//! SCALE's threads neither start nor end with a step of their own. Ours do, but these steps depend on nothing except what
//! others do to the thread as such, and a join waits for its end anyway. So such a step is taken at once, and nobody else
//! is scheduled where one is next. That would be wrong if somebody could cancel, detach or signal a thread, or look
//! whether it has ended; once a thread is seen to be about to do so, the search begins anew without this.

use super::{Filter, FilterInfo, Make, Needs, Preserves};
use crate::explore::{Candidates, Node, Path};
use crate::frontend::Configuration;
use rscale_protocol::arena::Token;
use rscale_protocol::{Action, Op, ThreadId, ThreadSet};

pub(super) const INFO: FilterInfo = FilterInfo {
    name: "superstep",
    argument: None,
    range: 0..=0,
    summary: "partial order reduction: a thread runs on until the order of its steps begins to matter",
    needs: Needs::NOTHING,
    make: Make::Filter(|_| Box::new(SuperSteps::default())),
};

/// The super nodes on the path.
#[derive(Default)]
struct SuperSteps {
    nodes: Vec<SuperNode>,
    /// Whether threads act on each other's lives in other ways than by creating and joining.
    lives_are_shared: bool,
    was_wrong: bool,
}

/// A state from which every enabled thread takes a super step.
struct SuperNode {
    depth: usize,
    steps: Vec<SuperStep>,
}

/// The steps that one thread takes from a super node; those that are known so far.
struct SuperStep {
    first: Token,
    intermediate: Vec<Action>,
    last: Action,
}

impl Filter for SuperSteps {
    fn visit(&mut self, path: &Path, configuration: &mut Configuration, candidates: &mut Candidates) {
        let Some(current) = path.nodes().last() else { return };
        self.learn(path, configuration);
        if let Some(thread) = self.silent(current, configuration) {
            candidates.retain(|token| token.thread == thread);
            self.nodes.push(SuperNode { depth: path.depth(), steps: Vec::new() });
            return;
        }
        match self.extend(path, configuration) {
            Some(thread) => candidates.restrict_to(thread),
            None => self.nodes.push(SuperNode::new(path.depth(), current, configuration)),
        }
    }

    fn finished(&mut self, path: &Path) {
        while self.nodes.last().is_some_and(|node| node.depth >= path.depth()) {
            self.nodes.pop();
        }
    }

    fn was_wrong(&self) -> bool {
        self.was_wrong
    }

    fn restart(&mut self) {
        self.nodes.clear();
        self.was_wrong = false;
    }

    fn preserves(&self) -> Preserves {
        Preserves::EveryOrder
    }

    fn memory(&self) -> usize {
        let bytes = |step: &SuperStep| size_of::<SuperStep>() + step.intermediate.capacity() * size_of::<Action>();
        self.nodes.iter().flat_map(|node| &node.steps).map(bytes).sum()
    }
}

impl SuperSteps {
    /// Looks at what the thread that took the last step does next.
    fn learn(&mut self, path: &Path, configuration: &Configuration) {
        let last = path.nodes().len().checked_sub(2).and_then(|index| path.nodes()[index].token());
        let next = configuration.next_action(last.map_or(ThreadId::MAIN, |token| token.thread));
        if !self.lives_are_shared && next.is_some_and(|action| acts_on_life(&action)) {
            self.lives_are_shared = true;
            self.was_wrong = true;
        }
    }

    /// A thread whose next step is its start or its end.
    fn silent(&self, current: &Node, configuration: &Configuration) -> Option<ThreadId> {
        let op_of = |thread| configuration.next_action(thread).map(|action| action.op);
        let is_silent = |thread: &ThreadId| matches!(op_of(*thread), Some(Op::ThreadStart | Op::ThreadExit));
        current.enabled[0].iter().find(is_silent).filter(|_| !self.lives_are_shared)
    }

    /// Makes the last step of the path an intermediate one of its super step, if it can be. Returns the thread, which has
    /// to go on.
    fn extend(&mut self, path: &Path, configuration: &Configuration) -> Option<ThreadId> {
        let [.., before, current] = path.nodes() else { return None };
        let thread = before.token()?.thread;
        if !is_plain(current, thread) || enables_others(before, current, thread) {
            return None;
        }
        let next = configuration.next_action(thread)?;
        let node = self.nodes.last_mut()?;
        let first = path.nodes().get(node.depth)?.token()?;
        let own = node.steps.iter().position(|step| step.first == first)?;
        let last = node.steps[own].last;
        let is_independent = |other: &SuperStep| {
            other.first.thread == thread
                || !other.last.is_dependent(&last)
                    && !other.intermediate.iter().any(|intermediate| intermediate.is_dependent(&next))
        };
        if !node.steps.iter().all(is_independent) {
            return None;
        }
        node.steps[own].intermediate.push(last);
        node.steps[own].last = next;
        Some(thread)
    }
}

impl SuperNode {
    fn new(depth: usize, node: &Node, configuration: &Configuration) -> SuperNode {
        let begin = |first: Token| {
            let last = configuration.next_action(first.thread)?;
            Some(SuperStep { first, intermediate: Vec::new(), last })
        };
        SuperNode { depth, steps: Candidates::all(node.enabled).iter().filter_map(begin).collect() }
    }
}

/// Whether the action notices or changes more of another thread's life than that it has come to its end.
fn acts_on_life(action: &Action) -> bool {
    match action.op {
        Op::ThreadTryJoin | Op::ThreadDetach | Op::ThreadCancel | Op::ThreadKill | Op::AtomicBegin => true,
        Op::ThreadJoin => action.is_timed(),
        _ => false,
    }
}

/// Whether the thread can go on, and in one way only.
fn is_plain(node: &Node, thread: ThreadId) -> bool {
    let [proceed, others @ ..] = &node.enabled;
    proceed.contains(thread) && !others.iter().any(|set| set.contains(thread))
}

/// Whether the step between the states made somebody else able to take a step, in whatever way.
fn enables_others(before: &Node, current: &Node, thread: ThreadId) -> bool {
    let new = |(now, then): (&ThreadSet, &ThreadSet)| now.without(*then).iter().any(|other| other != thread);
    current.enabled.iter().zip(&before.enabled).any(new)
}
