//! `superstep`: partial order reduction by super steps (SCALE, Algorithm 6).
//!
//! From a *super node* every enabled thread takes a *super step*: as many steps as it can before the order between them
//! and the first super steps of the others begins to matter. On the way nobody else is scheduled. Where a super step
//! ends, there is a super node again.
//!
//! Two things differ from the letter of the algorithm, because it is proven for this filter alone. A super node knows
//! the next steps of all enabled threads, also of those that an earlier filter has pruned: a step that conflicts with a
//! pruned one is the end of its super step all the same. And the states within a super step are only partly explored,
//! so they are marked as such and do not count as visited for `nsb`.
//!
//! A super step also ends with a signal. The thread that it wakes may have to wait for its mutex still, so nobody is
//! enabled; but together with the unlocking of that mutex within another super step, somebody is, and could come before
//! what follows in either of them.
//!
//! Where the program crashes, or ends early in another way, the last step depends on all that others could have done
//! before it (what they print is there or not), and that is not known before the step is taken. So it is a super step
//! of its own: the state before it becomes a super node if it was none, and from there the others take single steps.
//! Those that took a longer super step before set out once more. While their steps have nothing to do with the one that
//! ended it all, it will do so again behind them, and they go on in single steps.
//!
//! SCALE's threads neither start nor end with a step of their own, ours do. Such steps, and others that nobody notices,
//! are taken at once (`explore/quiet.rs`): within a super step like any other step of the thread, else on their own.

use super::{Filter, FilterInfo, Heritage, Make, Needs, Preserves};
use crate::explore::{Candidates, Node, Path};
use crate::frontend::Configuration;
use rscale_protocol::arena::Token;
use rscale_protocol::{Action, Extent, Op, ThreadId, ThreadSet, Variable};

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
}

/// A state from which every enabled thread takes a super step.
struct SuperNode {
    depth: usize,
    steps: Vec<SuperStep>,
    /// What ends the program for all threads at once if it comes next.
    ending: Option<Action>,
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
        match self.extend(path, configuration, candidates) {
            Some(thread) => candidates.restrict_to(thread),
            None if candidates.is_forced() => self.nodes.push(SuperNode::empty(path.depth())),
            None => {
                let ending = self.ending_behind(path);
                self.nodes.push(SuperNode { ending, ..SuperNode::new(path.depth(), current, configuration) });
            }
        }
    }

    fn pass(&mut self, path: &Path, _: &mut Configuration, _: &mut Candidates, known: &Heritage) {
        // Within a super step, and where nothing is left to explore, nothing is known.
        if let Some((ending, steps)) = decode(known) {
            self.nodes.push(SuperNode { depth: path.depth(), steps, ending });
        }
    }

    fn heritage(&self, depth: usize) -> Heritage {
        let node = self.nodes.iter().find(|node| node.depth == depth);
        node.map(|node| encode(node.ending.as_ref(), &node.steps)).unwrap_or_default()
    }

    /// The super steps of a super node depend on each other: on those that were taken before, as far as they went. So
    /// the one that is being taken has to have come to its end.
    fn may_give_away(&self, path: &Path, depth: usize) -> bool {
        let is_there = self.nodes.iter().any(|node| node.depth == depth);
        let is_left = self.nodes.last().is_some_and(|node| node.depth > depth);
        let is_over = || path.nodes()[depth + 1..].iter().all(|node| node.candidates.is_empty());
        is_there && (is_left || is_over())
    }

    fn ended_early(&mut self, path: &mut Path, configuration: &Configuration) {
        let Some(depth) = path.depth().checked_sub(1) else { return };
        while self.nodes.last().is_some_and(|node| node.depth > depth) {
            self.nodes.pop();
        }
        if self.nodes.last().is_none_or(|node| node.depth < depth) {
            self.take_back_last_step(path);
            path.nodes_mut()[depth].candidates.release_all();
            self.nodes.push(SuperNode::new(depth, &path.nodes()[depth], configuration));
        }
        let before = &mut path.nodes_mut()[depth];
        let (Some(node), Some(ending)) = (self.nodes.last_mut(), before.taken) else { return };
        node.ending = Some(ending.action);
        for longer in node.steps.iter_mut().filter(|step| !step.intermediate.is_empty()) {
            before.candidates.reopen(longer.first);
            longer.last = longer.intermediate[0];
            longer.intermediate.clear();
        }
    }

    fn leave_path(&mut self) {
        self.nodes.clear();
    }

    fn finished(&mut self, path: &Path) {
        while self.nodes.last().is_some_and(|node| node.depth >= path.depth()) {
            self.nodes.pop();
        }
    }

    fn restart(&mut self) {
        self.nodes.clear();
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
    /// Makes the last step of the path an intermediate one of its super step, if it can be. Returns the thread, which
    /// has to go on.
    fn extend(&mut self, path: &Path, configuration: &Configuration, candidates: &Candidates) -> Option<ThreadId> {
        let [.., before, current] = path.nodes() else { return None };
        let taken = before.taken.as_ref()?.action;
        let thread = taken.thread;
        let concerns_others = enables_others(before, current, thread) || taken.op.redirects_waiters();
        if concerns_others || !is_plain(current, thread) || !candidates.may_be_first(thread) {
            return None;
        }
        let next = configuration.next_action(thread)?;
        let node = self.nodes.last_mut().filter(|node| node.ending.is_none())?;
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

    /// The super step that is being taken ends one step earlier.
    fn take_back_last_step(&mut self, path: &Path) {
        let Some(node) = self.nodes.last_mut() else { return };
        let first = path.nodes().get(node.depth).and_then(Node::token);
        if let Some(own) = node.steps.iter_mut().find(|step| Some(step.first) == first)
            && let Some(last) = own.intermediate.pop()
        {
            own.last = last;
        }
    }

    /// What would have ended the program before the last step of the path, and will do so behind it, because that step
    /// is another thread's and independent.
    fn ending_behind(&self, path: &Path) -> Option<Action> {
        let [.., before, _] = path.nodes() else { return None };
        let ending = self.nodes.last().filter(|node| node.depth + 1 == path.depth())?.ending?;
        before.taken.filter(|step| !step.action.is_dependent(&ending)).map(|_| ending)
    }
}

impl SuperNode {
    /// One from which no super step is taken.
    fn empty(depth: usize) -> SuperNode {
        SuperNode { depth, steps: Vec::new(), ending: None }
    }

    fn new(depth: usize, node: &Node, configuration: &Configuration) -> SuperNode {
        let begin = |first: Token| {
            let last = configuration.next_action(first.thread)?;
            Some(SuperStep { first, intermediate: Vec::new(), last })
        };
        SuperNode { steps: Candidates::all(node.enabled).iter().filter_map(begin).collect(), ..SuperNode::empty(depth) }
    }
}

/// Words of an action.
const WORDS: usize = 5;

/// A super node as numbers: whether there is an ending, and it; for each super step its first step, how many actions
/// there are, and these.
fn encode(ending: Option<&Action>, steps: &[SuperStep]) -> Heritage {
    let mut words = vec![u64::from(ending.is_some())];
    words.extend(ending.into_iter().flat_map(words_of));
    for SuperStep { first, intermediate, last } in steps {
        words.extend([u64::from(first.to_code()), intermediate.len() as u64]);
        words.extend(intermediate.iter().chain([last]).flat_map(words_of));
    }
    words
}

/// The ending and the super steps that the numbers are, if they are some.
fn decode(words: &[u64]) -> Option<(Option<Action>, Vec<SuperStep>)> {
    let (&has_ending, words) = words.split_first()?;
    let (ending, mut words) = words.split_at_checked(if has_ending == 1 { WORDS } else { 0 })?;
    let ending = if ending.is_empty() { None } else { Some(action_of(ending)?) };
    let mut steps = Vec::new();
    while let [first, count, rest @ ..] = words {
        let first = Token::from_code(u16::try_from(*first).ok()?)?;
        let length = usize::try_from(*count).ok()?.checked_add(1)?.checked_mul(WORDS)?;
        let (actions, later) = rest.split_at_checked(length)?;
        let mut intermediate = actions.chunks_exact(WORDS).map(action_of).collect::<Option<Vec<Action>>>()?;
        let last = intermediate.pop()?;
        steps.push(SuperStep { first, intermediate, last });
        words = later;
    }
    Some((ending, steps))
}

/// An action, but for where the program called.
fn words_of(action: &Action) -> [u64; WORDS] {
    let Action { op, flags, thread, count, object, second, deadline, extent, .. } = action;
    let head = u64::from(*op as u8) | u64::from(*flags) << 8 | u64::from(thread.0) << 16 | u64::from(*count) << 32;
    [head, object.0, second.0, *deadline, extent.to_bits().into()]
}

fn action_of(words: &[u64]) -> Option<Action> {
    let &[head, object, second, deadline, extent] = words else { return None };
    let thread = ThreadId::from_index((head >> 16) as usize & 0xffff)?;
    Some(Action {
        flags: (head >> 8) as u8,
        count: (head >> 32) as u32,
        second: Variable(second),
        deadline,
        extent: Extent::from_bits(extent as u32),
        ..Action::new(thread, Op::from_code(head as u8)?, Variable(object))
    })
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
