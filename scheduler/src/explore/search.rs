//! The depth-first search: which schedule to run next, and what a run adds to the tree.
//!
//! The program runs whole executions by itself; the search reads them state by state, as if it had scheduled each step
//! (Algorithm 2), and cuts them where a filter prunes the step that was taken.

mod serving;

use super::{Candidates, Counts, Frontier, Node, Order, Path, QuietSteps, Way};
use crate::filters::{Claim, Filter, Heritage};
use crate::frontend::{Configuration, Execution};
use rscale_protocol::arena::{Beyond, LocalState, Step, Token};
use rscale_protocol::{Choice, Ending, ThreadId, ThreadSet};

/// A search over the schedules of a program.
pub struct Search {
    pub(super) path: Path,
    pub(super) configuration: Configuration,
    /// Whether some filter looks at the configuration.
    pub(super) is_configured: bool,
    pub(super) filters: Vec<Box<dyn Filter>>,
    /// What is done at once.
    pub(super) quiet: QuietSteps,
    /// Whether a step that was explored from a state need not be explored behind others that do not depend on it:
    /// states are explored completely, whatever the path that led there. The program is told who sleeps in this way, so
    /// that it does not run what would be cut.
    knows_explored: bool,
    /// Whether others explore parts of the same search.
    pub(super) is_shared: bool,
    pub(super) order: Order,
    /// The steps along the path, and beyond them the one that is to be explored next.
    pub(super) prefix: Vec<Token>,
    pub(super) counts: Counts,
    pub(super) has_begun: bool,
    /// What the bound has cut, if that is to be kept.
    pub(super) frontier: Option<Frontier>,
    /// Where the search is to go on, because the bound has grown.
    pub(super) roots: Vec<Way>,
    /// What is known of the path that the search has gone on from.
    pub(super) root: Option<Way>,
}

impl Search {
    /// A search that has not begun.
    #[must_use]
    pub fn new(filters: Vec<Box<dyn Filter>>, quiet: QuietSteps, seed: u64) -> Search {
        Search {
            path: Path::default(),
            configuration: Configuration::initial(),
            is_configured: filters.iter().any(|filter| filter.needs_configuration()),
            knows_explored: filters.iter().all(|filter| filter.knows_explored()) && !filters.is_empty(),
            filters,
            quiet,
            is_shared: false,
            order: Order::new(seed),
            prefix: Vec::new(),
            counts: Counts::default(),
            has_begun: false,
            frontier: None,
            roots: Vec::new(),
            root: None,
        }
    }

    /// The next schedule: to the deepest state with something left, or to the next root. Returns who sleeps before its
    /// last step.
    fn advance(&mut self) -> Option<ThreadSet> {
        if let Some(token) = self.backtrack() {
            self.prefix.truncate(self.path.depth());
            self.prefix.push(token);
            return Some(self.explored_beside(token));
        }
        let way = self.roots.pop()?;
        self.set_out(way);
        Some(ThreadSet::EMPTY)
    }

    /// The next run leads to where the search goes on, and a step further.
    pub(super) fn set_out(&mut self, way: Way) {
        self.path = Path::default();
        self.configuration = Configuration::initial();
        self.filters.iter_mut().for_each(|filter| filter.leave_path());
        self.prefix.clone_from(&way.schedule);
        self.prefix.extend(way.forks.last().and_then(|fork| fork.steps.first()));
        self.root = Some(way);
    }

    /// The order of what follows the next schedule.
    pub(super) fn beyond(&mut self) -> Beyond {
        Beyond { quiet: self.quiet.kinds(), sleeps_early: true, ..self.order.beyond() }
    }

    /// Goes back to the deepest state with something left, and picks it.
    fn backtrack(&mut self) -> Option<Token> {
        loop {
            self.retract_last_step();
            while let Some(token) = self.order.pick(&self.path.last()?.candidates) {
                if !self.is_needless(token) {
                    return Some(token);
                }
                self.path.last_mut()?.candidates.remove(token);
            }
            self.filters.iter_mut().for_each(|filter| filter.finished(&self.path));
            self.path.pop();
            self.root.iter_mut().for_each(|root| root.schedule.truncate(self.path.depth()));
        }
    }

    /// Whether others have explored what lies behind a step from the last state in the meantime.
    fn is_needless(&self, token: Token) -> bool {
        let (depth, asleep) = (self.path.depth(), self.explored_beside(token));
        self.is_shared && self.filters.iter().any(|filter| filter.is_needless(depth, token, asleep))
    }

    fn retract_last_step(&mut self) {
        if let Some(step) = self.path.last_mut().and_then(|node| node.taken.take())
            && self.is_configured
        {
            self.configuration.retract(&step);
        }
    }

    /// The threads whose next steps from the last state need not be explored behind this one, as long as nothing
    /// depends on them: those that sleep, and those that were explored from there before.
    fn explored_beside(&self, token: Token) -> ThreadSet {
        let Some(node) = self.path.last().filter(|_| self.knows_explored) else { return ThreadSet::EMPTY };
        let proceeds = |thread| Token { thread, choice: Choice::Proceed };
        let is_open = |thread: &ThreadId| {
            let is_left = node.candidates.contains(proceeds(*thread)) || node.foreign.contains(*thread);
            *thread == token.thread || is_left || node.ended.contains(*thread)
        };
        let waits = |thread: &ThreadId| is_open(thread) || node.candidates.is_forced();
        node.sleep.iter().chain(node.enabled[0].iter().filter(|thread| !waits(thread))).collect()
    }

    /// Follows the run from the first state that is new, and from the step out of the state it branches off. Returns
    /// whether no filter cut it.
    fn walk(&mut self, execution: &Execution, known: usize) -> bool {
        self.walk_to(execution.steps.len(), execution, known)
    }

    /// Follows the run up to the state behind so many steps.
    pub(super) fn walk_to(&mut self, depth: usize, execution: &Execution, known: usize) -> bool {
        let mut index = known;
        let mut is_mine = true;
        if self.path.nodes().is_empty() {
            is_mine = self.enter_state(execution, 0, ThreadSet::EMPTY);
        }
        while let Some(step) = execution.steps.get(index).filter(|_| index < depth) {
            let token = step.token();
            if !self.path.last().is_some_and(|node| node.candidates.contains(token)) {
                return false;
            }
            let sleep = self.still_asleep(step);
            let Some(node) = self.path.last_mut() else { return false };
            node.candidates.remove(token);
            node.taken = Some(*step);
            if self.is_configured {
                self.configuration.advance(execution, index);
            }
            self.prefix.truncate(index);
            self.prefix.push(token);
            index += 1;
            is_mine = self.enter_state(execution, index, sleep);
            self.counts.transitions += u64::from(is_mine && !self.is_known(index));
        }
        is_mine
    }

    /// Whether the state behind so many steps was visited before the search went on from there.
    fn is_known(&self, depth: usize) -> bool {
        self.root.as_ref().is_some_and(|root| depth <= root.schedule.len())
    }

    /// Whether the run did not even lead to where the search goes on.
    pub(super) fn is_astray(&self) -> bool {
        self.root.as_ref().is_some_and(|root| self.path.depth() < root.schedule.len())
    }

    /// Whose steps need not be explored behind this one from the last state.
    fn still_asleep(&self, step: &Step) -> ThreadSet {
        let is_independent = |thread: &ThreadId| {
            self.configuration.next_action(*thread).is_some_and(|action| !action.is_dependent(&step.action))
        };
        self.explored_beside(step.token()).iter().filter(is_independent).collect()
    }

    /// The state after the first `depth` steps of the run is reached for the first time; these threads sleep there.
    /// Returns whether it is to be explored here.
    fn enter_state(&mut self, execution: &Execution, depth: usize, sleep: ThreadSet) -> bool {
        let is_asleep = execution.ending() == Some(Ending::Sleeping);
        let enabled = if is_asleep { execution.enabled_after(depth) } else { execution.enabled_at(depth) };
        let arrived = depth.checked_sub(1).map_or(LocalState::UNKNOWN, |last| execution.steps.local_state(last));
        self.counts.max_depth = self.counts.max_depth.max(depth as u64);
        if self.is_known(depth) {
            self.pass_state(depth, enabled, arrived);
            return true;
        }
        let mut candidates = Candidates::all(enabled);
        let nobody = ThreadSet::EMPTY;
        self.path.push(Node { arrived, enabled, sleep, foreign: nobody, ended: nobody, candidates, taken: None });
        self.quiet.learn(&self.path, &self.configuration);
        if let Some(thread) = self.quiet.next(enabled[0], &self.configuration) {
            candidates.force(thread);
        }
        sleep.iter().for_each(|thread| candidates.remove(Token { thread, choice: Choice::Proceed }));
        for filter in &mut self.filters {
            filter.visit(&self.path, &mut self.configuration, &mut candidates);
        }
        let mut is_mine = true;
        let mut foreign = ThreadSet::EMPTY;
        for filter in &mut self.filters {
            match filter.visited(&self.path, &self.configuration, &candidates) {
                Claim::Everything => continue,
                Claim::Nothing => candidates.retain(|_| false),
                Claim::Only(threads) => {
                    candidates.retain(|token| token.choice == Choice::Proceed && threads.contains(token.thread));
                    foreign = enabled[0].without(threads);
                }
            }
            is_mine = false;
        }
        self.counts.states += u64::from(is_mine);
        if let Some(node) = self.path.last_mut() {
            (node.candidates, node.foreign) = (candidates, foreign);
        }
        if let Some(frontier) = &mut self.frontier {
            let cut = self.filters.iter().flat_map(|filter| filter.cut_here());
            cut.for_each(|&(token, cost)| frontier.add(&self.prefix[..depth], token, cost));
        }
        is_mine
    }

    /// The path leads through a state that was visited before the search went on from there.
    fn pass_state(&mut self, depth: usize, enabled: [ThreadSet; 3], arrived: LocalState) {
        let Some(root) = &self.root else { return };
        let mut candidates = root.candidates_at(depth, enabled);
        let fork = root.fork_at(depth);
        let (sleep, foreign, ended) =
            fork.map_or_else(Default::default, |fork| (fork.asleep, fork.foreign, fork.ended));
        self.path.push(Node { arrived, enabled, sleep, foreign, ended, candidates, taken: None });
        let nothing = Heritage::new();
        for (index, filter) in self.filters.iter_mut().enumerate() {
            let known = fork.and_then(|fork| fork.heritage.get(index)).unwrap_or(&nothing);
            filter.pass(&self.path, &mut self.configuration, &mut candidates, known);
        }
        if let Some(node) = self.path.last_mut() {
            node.candidates = candidates;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Block, RunEnd};
    use crate::explore::{Absorbed, Strategy as _};
    use crate::filters::{self, Terms};
    use proptest::prelude::{Strategy as Generator, any, prop, proptest};
    use rscale_protocol::{Action, Op, Variable};

    fn any_step() -> impl Generator<Value = Step> {
        (0u16..128, 0..Op::ALL.len(), 0u64..5, any::<[u64; 2]>(), 0u8..3).prop_map(
            |(thread, op, object, enabled, choice)| {
                // Few threads, so that they have to do with each other, and now and then many.
                let thread = if thread < 64 { thread % 4 } else { thread };
                let mut action = Action::new(ThreadId(thread), Op::ALL[op], Variable(object * 64));
                action.second = Variable(object << 61);
                let enabled =
                    [ThreadSet::from_words(enabled), ThreadSet::EMPTY, ThreadSet::from_words([enabled[1], 0])];
                Step { action, choice: Choice::from_code(choice).expect("a choice"), result: 0, enabled }
            },
        )
    }

    fn execution(steps: Vec<Step>, ending: Ending) -> Execution {
        let (thread, live) = (ThreadId::MAIN, ThreadSet::EMPTY);
        let end = RunEnd {
            ending,
            value: 3,
            address: 0,
            block: Block::default(),
            thread,
            enabled: [ThreadSet::EMPTY; 3],
            live,
            races: Vec::new(),
            reads: Vec::new(),
            text: String::new(),
        };
        let mut execution = Execution::default();
        (execution.steps, execution.end) = (steps.into(), Some(end));
        execution
    }

    proptest! {
        /// A program may scribble over the arena: whatever decodes as steps, in whatever order, is survived by every
        /// search.
        #[test]
        fn nonsense_from_the_program_never_panics(runs in prop::collection::vec(prop::collection::vec(any_step(), 0..30), 1..6),
                                                  left in prop::collection::vec(any_step(), 0..4),
                                                  ending in 0..Ending::ALL.len()) {
            let states = ["nsb", "lcd,superstep", "db=20,pb=3,delay=4"];
            let traces = ["dpor", "source", "optimal", "epor", "epor-sh"];
            let bounded = ["naive-bpor=1", "bpor=1", "source-bpor=1", "lazy-bpor=1"];
            for list in states.iter().chain(&traces).chain(&bounded) {
                let filters = crate::config::parse_filters(list, filters::registry()).expect("filters");
                let mut search = filters::strategy(&filters, Terms { seed: 1, sees_accesses: true, memory: rscale_protocol::MemoryModel::Sc, has_invariants: false });
                for steps in &runs {
                    if search.next_schedule().is_none() {
                        break;
                    }
                    let mut execution = execution(steps.clone(), Ending::ALL[ending]);
                    execution.pending.extend(left.iter().map(|step| step.action));
                    search.absorb(&execution);
                }
            }
        }
    }

    #[test]
    fn a_run_that_does_something_else_is_noticed() {
        let set: ThreadSet = [0, 1].map(ThreadId).into_iter().collect();
        let step = |thread, object| Step {
            action: Action::new(ThreadId(thread), Op::MutexUnlock, Variable(object)),
            choice: Choice::Proceed,
            result: 0,
            enabled: [set, ThreadSet::EMPTY, ThreadSet::EMPTY],
        };
        let mut search = Search::new(Vec::new(), QuietSteps::none(), 0);
        assert_eq!(search.next_schedule().expect("a first run").schedule, []);
        search.absorb(&execution(vec![step(0, 64), step(0, 128)], Ending::Exit));
        let schedule: Vec<u16> =
            search.next_schedule().expect("more").schedule.iter().map(|token| token.thread.0).collect();
        assert_eq!(schedule, [0, 1], "the deepest state comes first");
        let absorbed = search.absorb(&execution(vec![step(0, 192), step(1, 128)], Ending::Exit));
        let Absorbed::Diverged(divergence) = absorbed else { panic!("{absorbed:?}") };
        assert_eq!((divergence.index, divergence.got.map(|got| got.action.object)), (0, Some(Variable(192))));
    }
}
