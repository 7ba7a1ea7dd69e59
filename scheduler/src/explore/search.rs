//! The depth-first search: which schedule to run next, and what a run adds to the tree.
//!
//! The program runs whole executions by itself; the search reads them state by state, as if it had scheduled each step
//! (Algorithm 2), and cuts them where a filter prunes the step that was taken.

use super::{
    Absorbed, Candidates, Counts, Frontier, Node, Order, Path, Plan, QuietSteps, Strategy, divergence, explored,
};
use crate::backend::Returns;
use crate::filters::{Filter, Preserves};
use crate::frontend::{Configuration, Execution};
use crate::reduce::Sharing;
use rscale_protocol::arena::{Beyond, LocalState, Step, Token};
use rscale_protocol::{Choice, Ending, ThreadId, ThreadSet};

/// A search over the schedules of a program.
pub struct Search {
    pub(super) path: Path,
    pub(super) configuration: Configuration,
    /// Whether some filter looks at the configuration.
    is_configured: bool,
    filters: Vec<Box<dyn Filter>>,
    /// What is done at once.
    quiet: QuietSteps,
    /// Whether a step that was explored from a state need not be explored behind others that do not depend on it: states
    /// are explored completely, whatever the path that led there. The program is told who sleeps in this way, so that it
    /// does not run what would be cut.
    knows_explored: bool,
    pub(super) order: Order,
    /// The steps along the path, and beyond them the one that is to be explored next.
    pub(super) prefix: Vec<Token>,
    pub(super) counts: Counts,
    pub(super) has_begun: bool,
    /// What the bound has cut, if that is to be kept.
    frontier: Option<Frontier>,
    /// Where the search is to go on: because the bound has grown, or others have given that away.
    pub(super) roots: Vec<Vec<Token>>,
    /// The root that is explored: up to its end, there is nothing else to explore.
    pub(super) root: Vec<Token>,
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
            order: Order::new(seed),
            prefix: Vec::new(),
            counts: Counts::default(),
            has_begun: false,
            frontier: None,
            roots: Vec::new(),
            root: Vec::new(),
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
        self.root = self.roots.pop()?;
        self.prefix.clone_from(&self.root);
        self.configuration = Configuration::initial();
        Some(ThreadSet::EMPTY)
    }

    /// The order of what follows the next schedule.
    pub(super) fn beyond(&mut self) -> Beyond {
        Beyond { quiet: self.quiet.kinds(), sleeps_early: true, ..self.order.beyond() }
    }

    /// Goes back to the deepest state with something left, and picks it.
    fn backtrack(&mut self) -> Option<Token> {
        loop {
            self.retract_last_step();
            let node = self.path.last()?;
            if let Some(token) = self.order.pick(&node.candidates) {
                return Some(token);
            }
            self.filters.iter_mut().for_each(|filter| filter.finished(&self.path));
            self.path.pop();
        }
    }

    fn retract_last_step(&mut self) {
        if let Some(step) = self.path.last_mut().and_then(|node| node.taken.take())
            && self.is_configured
        {
            self.configuration.retract(&step);
        }
    }

    /// The threads whose next steps from the last state need not be explored behind this one, as long as nothing depends
    /// on them: those that sleep, and those that were explored from there before.
    fn explored_beside(&self, token: Token) -> ThreadSet {
        let Some(node) = self.path.last().filter(|_| self.knows_explored) else { return ThreadSet::EMPTY };
        let proceeds = |thread| Token { thread, choice: Choice::Proceed };
        let is_open = |thread: &ThreadId| *thread == token.thread || node.candidates.contains(proceeds(*thread));
        let waits = |thread: &ThreadId| is_open(thread) || node.candidates.is_forced();
        node.sleep.iter().chain(node.enabled[0].iter().filter(|thread| !waits(thread))).collect()
    }

    /// Follows the run from the first state that is new, and from the step out of the state it branches off. Returns
    /// whether no filter cut it.
    fn walk(&mut self, execution: &Execution, known: usize) -> bool {
        let mut index = known;
        if self.path.nodes().is_empty() {
            self.enter_state(execution, 0, ThreadSet::EMPTY);
        }
        while let Some(step) = execution.steps.get(index) {
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
            self.counts.transitions += u64::from(index + 1 >= self.root.len());
            index += 1;
            self.enter_state(execution, index, sleep);
        }
        true
    }

    /// Whose steps need not be explored behind this one from the last state.
    fn still_asleep(&self, step: &Step) -> ThreadSet {
        let is_independent = |thread: &ThreadId| {
            self.configuration.next_action(*thread).is_some_and(|action| !action.is_dependent(&step.action))
        };
        self.explored_beside(step.token()).iter().filter(is_independent).collect()
    }

    /// The state after the first `depth` steps of the run is reached for the first time; these threads sleep there.
    fn enter_state(&mut self, execution: &Execution, depth: usize, sleep: ThreadSet) {
        let is_asleep = execution.ending() == Some(Ending::Sleeping);
        let enabled = if is_asleep { execution.enabled_after(depth) } else { execution.enabled_at(depth) };
        let mut candidates = Candidates::all(enabled);
        let arrived = depth.checked_sub(1).map_or(LocalState::UNKNOWN, |last| execution.steps.local_state(last));
        let given = self.root.get(depth).copied();
        candidates.retain(|token| given.is_none_or(|given| given == token));
        self.path.push(Node { arrived, enabled, sleep, candidates, taken: None });
        self.counts.states += u64::from(given.is_none());
        self.counts.max_depth = self.counts.max_depth.max(depth as u64);
        self.quiet.learn(&self.path, &self.configuration);
        if let Some(thread) = self.quiet.next(enabled[0], &self.configuration) {
            candidates.force(thread);
        }
        sleep.iter().for_each(|thread| candidates.remove(Token { thread, choice: Choice::Proceed }));
        for filter in &mut self.filters {
            filter.visit(&self.path, &mut self.configuration, &mut candidates);
        }
        for filter in &mut self.filters {
            filter.visited(&self.configuration, &candidates);
        }
        if let Some(node) = self.path.last_mut() {
            node.candidates = candidates;
        }
        if let Some(frontier) = &mut self.frontier {
            let cut = self.filters.iter().flat_map(|filter| filter.cut_here());
            cut.for_each(|&(token, cost)| frontier.add(&self.prefix[..depth], token, cost));
        }
    }
}

impl Strategy for Search {
    fn next_schedule(&mut self) -> Option<Plan<'_>> {
        let order = self.beyond();
        let mut sleep = ThreadSet::EMPTY;
        if self.has_begun {
            sleep = self.advance()?;
        }
        let comes_back_to = Returns::to(self.path.last_open());
        Some(Plan { schedule: &self.prefix, order, sleep, goes_on: true, comes_back_to })
    }

    fn absorb(&mut self, execution: &Execution) -> Absorbed {
        let known = self.path.nodes().len().saturating_sub(1);
        if let Some(divergence) = divergence(execution, known, |index| self.path.nodes()[index].taken.as_ref()) {
            return Absorbed::Diverged(Box::new(divergence));
        }
        self.has_begun = true;
        if self.is_configured {
            self.configuration.begin(execution, known);
        }
        let complete = self.walk(execution, known);
        self.counts.add_run(execution.ending(), complete);
        Absorbed::Added
    }

    fn give_up(&mut self) {
        let tried = self.prefix.get(self.path.depth()).copied();
        if let (Some(node), Some(token)) = (self.path.last_mut(), tried) {
            node.candidates.remove(token);
        }
        self.counts.add_run(None, false);
    }

    fn begin_anew(&mut self, discarded: u64) {
        self.counts = self.counts.anew(discarded);
        self.path = Path::default();
        self.configuration = Configuration::initial();
        self.quiet.restart();
        self.filters.iter_mut().for_each(|filter| filter.restart());
        self.prefix.clear();
        self.has_begun = false;
        (self.roots, self.root) = (Vec::new(), Vec::new());
        self.frontier = self.frontier.take().map(|_| Frontier::default());
    }

    fn keep_cut(&mut self) {
        self.frontier = Some(Frontier::default());
    }

    fn raise(&mut self, bound: u64) -> bool {
        let Some(frontier) = self.frontier.as_mut().filter(|frontier| frontier.is_whole()) else { return false };
        self.roots = frontier.within(bound);
        let still_cut = frontier.count() as u64;
        self.filters.iter_mut().map(|filter| u32::from(filter.raise(bound, still_cut))).sum::<u32>() == 1
    }

    fn was_wrong(&self) -> bool {
        self.quiet.was_wrong() || self.filters.iter().any(|filter| filter.was_wrong())
    }

    fn cut(&self) -> Vec<u64> {
        self.filters.iter().map(|filter| filter.cut()).collect()
    }

    fn add_cut(&mut self, cut: &[u64]) {
        self.filters.iter_mut().zip(cut).for_each(|(filter, &cut)| filter.add_cut(cut));
    }

    fn sharing(&mut self) -> Option<&mut dyn Sharing> {
        let needs_only_path = self.filters.iter().all(|filter| filter.looks_at_path_alone());
        if needs_only_path && self.frontier.is_none() { Some(self) } else { None }
    }

    fn counts(&self) -> Counts {
        self.counts
    }

    fn explored(&self) -> Option<f64> {
        let of_node = |node: &Node| {
            let all = Candidates::all(node.enabled).len();
            (all.saturating_sub(node.candidates.len() + 1), all)
        };
        Some(explored(self.path.nodes().iter().map(of_node)))
    }

    fn preserves(&self) -> Vec<Preserves> {
        let delays = (!self.quiet.kinds().is_empty()).then_some(Preserves::AllButDelays);
        self.filters.iter().map(|filter| filter.preserves()).chain(delays).collect()
    }

    fn memory(&self) -> usize {
        let roots: usize = self.roots.iter().map(|root| root.len() * size_of::<Token>()).sum();
        let kept = self.frontier.as_ref().map_or(0, Frontier::memory);
        roots + kept + self.filters.iter().map(|filter| filter.memory()).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Block, RunEnd};
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
        /// A program may scribble over the arena: whatever decodes as steps, in whatever order, is survived by every search.
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
