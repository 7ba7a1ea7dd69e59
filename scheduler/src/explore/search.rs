//! The depth-first search: which schedule to run next, and what a run adds to the tree.
//!
//! The program runs whole executions by itself; the search reads them state by state, as if it had scheduled each step
//! (Algorithm 2), and cuts them where a filter prunes the step that was taken.

use super::{Candidates, Counts, Node, Order, Path};
use crate::filters::{Filter, Preserves};
use crate::frontend::{Configuration, Execution};
use rscale_protocol::Ending;
use rscale_protocol::arena::{LocalState, Step, Token};

/// A search over the schedules of a program.
pub struct Search {
    path: Path,
    configuration: Configuration,
    /// Whether some filter looks at the configuration.
    is_configured: bool,
    filters: Vec<Box<dyn Filter>>,
    order: Order,
    /// The steps along the path, and beyond them the one that is to be explored next.
    prefix: Vec<Token>,
    counts: Counts,
    has_begun: bool,
}

/// What became of a run.
#[derive(Clone, Debug)]
pub enum Absorbed {
    /// It is part of the tree now.
    Added,
    /// It did not follow the schedule as the run before it did.
    Diverged(Box<Divergence>),
}

/// A step at which the program did something else than before, under the same schedule.
#[derive(Clone, Debug)]
pub struct Divergence {
    /// The index of the step.
    pub index: usize,
    /// What the program did before.
    pub expected: Step,
    /// What it did now, if it took the step at all.
    pub got: Option<Step>,
}

impl Search {
    /// A search that has not begun.
    #[must_use]
    pub fn new(filters: Vec<Box<dyn Filter>>, seed: u64) -> Search {
        Search {
            path: Path::default(),
            configuration: Configuration::initial(),
            is_configured: filters.iter().any(|filter| filter.needs_configuration()),
            filters,
            order: Order::new(seed),
            prefix: Vec::new(),
            counts: Counts::default(),
            has_begun: false,
        }
    }

    /// Whether a filter has pruned something for a reason that has turned out to be wrong.
    #[must_use]
    pub fn was_wrong(&self) -> bool {
        self.filters.iter().any(|filter| filter.was_wrong())
    }

    /// Begins anew, because what a step is has changed, or what a filter took for granted: the runs so far, and those
    /// that were not added, count as cut.
    pub fn begin_anew(&mut self, discarded: u64) {
        let runs = self.counts.runs + discarded;
        self.counts = Counts { runs, blocked: runs, ..Counts::default() };
        self.path = Path::default();
        self.configuration = Configuration::initial();
        self.filters.iter_mut().for_each(|filter| filter.restart());
        self.prefix.clear();
        self.has_begun = false;
    }

    /// What has been done so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// What the filters still cover.
    pub fn preserves(&self) -> impl Iterator<Item = Preserves> + '_ {
        self.filters.iter().map(|filter| filter.preserves())
    }

    /// Bytes that the filters keep.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.filters.iter().map(|filter| filter.memory()).sum()
    }

    /// The schedule to run next: the first run follows none. None when everything has been explored.
    pub fn next_schedule(&mut self) -> Option<&[Token]> {
        if !self.has_begun {
            return Some(&self.prefix);
        }
        let token = self.backtrack()?;
        self.prefix.truncate(self.path.depth());
        self.prefix.push(token);
        Some(&self.prefix)
    }

    /// The seed of the order in which threads run beyond the next schedule.
    pub fn order_beyond(&mut self) -> u64 {
        self.order.beyond()
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

    /// Adds a run of the schedule that [`Search::next_schedule`] gave.
    pub fn absorb(&mut self, execution: &Execution) -> Absorbed {
        let known = self.path.nodes().len().saturating_sub(1);
        if let Some(divergence) = self.compare(execution, known) {
            return Absorbed::Diverged(Box::new(divergence));
        }
        self.counts.runs += 1;
        self.has_begun = true;
        if self.is_configured {
            self.configuration.begin(execution, known);
        }
        let complete = self.walk(execution, known);
        let ending = execution.end.as_ref().map(|end| end.ending);
        let is_end = !matches!(ending, Some(Ending::StepBudget | Ending::Sleeping | Ending::Assumption) | None);
        self.counts.out_of_steps += u64::from(complete && ending == Some(Ending::StepBudget));
        if complete && is_end {
            self.counts.executions += 1
        } else {
            self.counts.blocked += 1
        }
        Absorbed::Added
    }

    /// Whether the run repeated the steps that lead to the state it branches off.
    fn compare(&self, execution: &Execution, known: usize) -> Option<Divergence> {
        let end = execution.end.as_ref();
        let refused = end.filter(|end| end.ending == Ending::Diverged).map(|end| end.value as usize);
        let expected = |index: usize| self.path.nodes()[index].taken;
        // What the last run that was added did, too, needs no second look.
        let first = execution.steps.unchanged().min(refused.unwrap_or(known));
        (first..known).find_map(|index| {
            let expected = expected(index)?;
            let got = execution.steps.get(index).copied();
            let is_same = refused != Some(index) && got.is_some_and(|got| is_same_step(&expected, &got));
            (!is_same).then_some(Divergence { index, expected, got })
        })
    }

    /// Follows the run from the first state that is new, and from the step out of the state it branches off. Returns
    /// whether no filter cut it.
    fn walk(&mut self, execution: &Execution, known: usize) -> bool {
        let mut index = known;
        if self.path.nodes().is_empty() {
            self.enter_state(execution, 0);
        }
        while let Some(step) = execution.steps.get(index) {
            let token = Token { thread: step.action.thread, choice: step.choice };
            let Some(node) = self.path.last_mut() else { return false };
            if !node.candidates.contains(token) {
                return false;
            }
            node.candidates.remove(token);
            node.taken = Some(*step);
            if self.is_configured {
                self.configuration.advance(execution, index);
            }
            self.prefix.truncate(index);
            self.prefix.push(token);
            self.counts.transitions += 1;
            index += 1;
            self.enter_state(execution, index);
        }
        true
    }

    /// The state after the first `depth` steps of the run is reached for the first time.
    fn enter_state(&mut self, execution: &Execution, depth: usize) {
        let enabled = execution.enabled_at(depth);
        let mut candidates = Candidates::all(enabled);
        let arrived = depth.checked_sub(1).map_or(LocalState::UNKNOWN, |last| execution.steps.local_state(last));
        self.path.push(Node { arrived, enabled, candidates, taken: None });
        self.counts.states += 1;
        self.counts.max_depth = self.counts.max_depth.max(depth as u64);
        for filter in &mut self.filters {
            filter.visit(&self.path, &mut self.configuration, &mut candidates);
        }
        for filter in &mut self.filters {
            filter.visited(&self.configuration, &candidates);
        }
        if let Some(node) = self.path.last_mut() {
            node.candidates = candidates;
        }
    }
}

fn is_same_step(expected: &Step, got: &Step) -> bool {
    expected.action.same_effect(&got.action)
        && expected.choice == got.choice
        && expected.result == got.result
        && expected.enabled == got.enabled
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::RunEnd;
    use crate::filters;
    use proptest::prelude::*;
    use rscale_protocol::{Action, Choice, Op, ThreadId, ThreadSet, Variable};

    fn any_step() -> impl Strategy<Value = Step> {
        (0u16..128, 0..Op::ALL.len(), 0u64..5, any::<[u64; 2]>(), 0u8..3).prop_map(
            |(thread, op, object, enabled, choice)| {
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
            block: (0, 0),
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
        /// A program may scribble over the arena: whatever decodes as steps, in whatever order, is survived.
        #[test]
        fn nonsense_from_the_program_never_panics(runs in prop::collection::vec(prop::collection::vec(any_step(), 0..30), 1..6),
                                                  ending in 0..Ending::ALL.len()) {
            let every = [crate::config::FilterChoice { name: "nsb", value: None },
                         crate::config::FilterChoice { name: "db", value: Some(20) }];
            let mut search = Search::new(filters::make(&every), 1);
            for steps in runs {
                if search.next_schedule().is_none() {
                    break;
                }
                search.absorb(&execution(steps, Ending::ALL[ending]));
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
        let mut search = Search::new(Vec::new(), 0);
        assert_eq!(search.next_schedule(), Some(&[][..]));
        search.absorb(&execution(vec![step(0, 64), step(0, 128)], Ending::Exit));
        let schedule: Vec<u16> = search.next_schedule().expect("more").iter().map(|token| token.thread.0).collect();
        assert_eq!(schedule, [0, 1], "the deepest state comes first");
        let absorbed = search.absorb(&execution(vec![step(0, 192), step(1, 128)], Ending::Exit));
        let Absorbed::Diverged(divergence) = absorbed else { panic!("{absorbed:?}") };
        assert_eq!((divergence.index, divergence.got.map(|got| got.action.object)), (0, Some(Variable(192))));
    }
}
