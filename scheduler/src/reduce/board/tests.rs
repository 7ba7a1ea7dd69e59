//! Searches that several workers share, step by step in any order: what the threads of a crew do, without threads.

use super::super::crowd::tests::last_zero;
use super::super::eager::{Eager, Length};
use super::super::item::{Item, Released};
use super::super::lazy::Lazy;
use super::super::plan::{Optimal, Planner, Source};
use super::super::rediscovery::tests::{any_threads, explore};
use super::super::scripted::{TERMS, run};
use super::super::sharing::Sharing as _;
use super::super::{Reduction, crowd};
use super::{Board, ItemId};
use crate::explore::{Order, Strategy as _};
use crate::frontend::Execution;
use proptest::prelude::*;
use rscale_protocol::Op;

type Threads = Vec<Vec<(Op, u64)>>;

/// Turns before a search that does not end is given up.
const MOST_TURNS: usize = 1_000_000;

/// How a search is shared.
#[derive(Clone, Copy)]
struct Terms {
    workers: usize,
    /// Who comes next, and who says what it has found.
    seed: u64,
    /// Events and sequences that the board plans in any case.
    most: usize,
    many: usize,
    /// Events of wishes that may wait at the door of an item.
    waiting: usize,
}

/// What came of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Outcome {
    executions: u64,
    blocked: u64,
    /// The most events that the board had planned at once, and the most wishes that waited.
    planned: usize,
    waiting: usize,
}

struct Worker {
    search: Reduction,
    item: Option<ItemId>,
}

struct Crew<'a> {
    threads: &'a Threads,
    board: Board,
    workers: Vec<Worker>,
    outcome: Outcome,
}

impl Crew<'_> {
    /// A worker with an item makes a run of it, and one without takes one.
    fn turn(&mut self, number: usize, is_talkative: bool) {
        let worker = &mut self.workers[number];
        let Some(item) = worker.item else {
            if let Some((id, item)) = self.board.hand_out() {
                self.begin(number, id, item);
            }
            return;
        };
        let Some(plan) = worker.search.next_schedule() else {
            self.tell(number, item);
            let record = self.workers[number].search.take_record();
            self.workers[number].item = None;
            return self.board.finish(item, record).expect("it had an item");
        };
        let execution = run(self.threads, plan.schedule);
        self.absorb(number, &execution);
        let is_short = self.workers.iter().any(|worker| worker.item.is_none()) && !self.board.has_more();
        let releases = is_short || is_talkative && self.board.is_waited_for(item);
        let released = if releases { self.workers[number].search.release() } else { None };
        if is_talkative || released.is_some() {
            self.tell(number, item);
        }
        if let Some(Released::States(nodes)) = released {
            self.board.release(item, nodes).expect("it owns them");
        }
    }

    fn begin(&mut self, number: usize, id: ItemId, item: Item) {
        let worker = &mut self.workers[number];
        worker.item = Some(id);
        let plan = worker.search.first_run(&item).expect("a leaf");
        let execution = run(self.threads, plan.schedule);
        assert!(worker.search.begin(item, &execution), "it leads there");
        self.absorb(number, &execution);
        let begun = self.workers[number].search.begun();
        self.board.begin(id, begun).expect("it was handed out");
    }

    fn absorb(&mut self, number: usize, execution: &Execution) {
        let search = &mut self.workers[number].search;
        let before = search.counts();
        search.absorb(execution);
        let done = search.counts().since(&before);
        self.outcome.executions += done.executions;
        self.outcome.blocked += done.blocked;
    }

    /// A worker says what others have to know.
    fn tell(&mut self, number: usize, item: ItemId) {
        let search = &mut self.workers[number].search;
        for wish in search.take_wishes() {
            self.board.wish(item, wish).expect("a shared state");
        }
        if search.take_cut() {
            self.board.note_cut(item).expect("it has an item");
        }
        let waiting = self.board.nodes.values().map(|shared| shared.deferred.len()).sum();
        self.outcome.planned = self.outcome.planned.max(self.board.planned);
        self.outcome.waiting = self.outcome.waiting.max(waiting);
    }
}

/// Explores threads together, in an order that follows from the seed.
fn together(threads: &Threads, make: impl Fn() -> Box<dyn Planner>, terms: Terms) -> Outcome {
    let (board, first) = Board::new(false, Order::new(0));
    let board = Board { most: terms.most, many: terms.many, most_waiting: terms.waiting, ..board };
    let search = || Worker { search: Reduction::new(make(), TERMS), item: None };
    let mut workers: Vec<Worker> = (0..terms.workers).map(|_| search()).collect();
    let common = workers[0].search.common();
    workers.iter_mut().for_each(|worker| worker.search.agree_with(&common));
    workers[0].item = Some(first);
    assert!(workers[0].search.begin(Item::Fresh(false), &Execution::default()));
    let mut crew = Crew { threads, board, workers, outcome: Outcome::default() };
    let mut chance = terms.seed;
    for _ in 0..MOST_TURNS {
        if crew.board.is_done() {
            return crew.outcome;
        }
        chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        crew.turn((chance >> 33) as usize % terms.workers, chance >> 60 == 0);
    }
    panic!("the search does not end");
}

fn eager(length: Length) -> impl Fn() -> Box<dyn Planner> {
    move || Box::new(Eager::new(length))
}

fn optimal() -> Box<dyn Planner> {
    Box::new(Optimal::default())
}

#[test]
fn what_is_planned_together_is_bounded() {
    for seed in 0..4 {
        let terms = Terms { workers: 3, seed, most: usize::MAX, many: crowd::MANY, waiting: usize::MAX };
        let all = together(&last_zero(8), optimal, terms);
        let few = together(&last_zero(8), optimal, Terms { most: 50, many: 2, ..terms });
        assert_eq!((few.executions, all.blocked), (all.executions, 0));
        assert!(few.planned * 2 < all.planned, "few: {}, all: {}", few.planned, all.planned);
        let patient = together(&last_zero(8), optimal, Terms { waiting: 10, ..terms });
        assert_eq!((patient.executions, patient.blocked), (all.executions, 0));
        assert!(patient.waiting * 5 < all.waiting, "patient: {}, all: {}", patient.waiting, all.waiting);
    }
}

proptest! {
    #[test]
    fn nothing_is_lost_together(threads in any_threads(), seed in any::<u64>(), workers in 2usize..5) {
        let (expected, _) = explore(&threads, Box::new(Source));
        for most in [usize::MAX, 0, 3, 20] {
            let waiting = most; // a bound on either is a bound
            let outcome = together(&threads, optimal, Terms { workers, seed, most, many: 0, waiting });
            prop_assert_eq!(outcome.executions, expected.executions, "{}", most);
            prop_assert!(outcome.blocked == 0 || most < usize::MAX);
        }
    }

    /// Races that were left to a section are none of the business of those who share the states where it begins.
    #[test]
    fn nothing_that_was_left_to_a_section_is_lost_together(
        threads in any_threads(), seed in any::<u64>(), workers in 2usize..5
    ) {
        let (expected, _) = explore(&threads, Box::new(Source));
        for length in [Length::Long, Length::Short] {
            for most in [usize::MAX, 0, 20] {
                let terms = Terms { workers, seed, most, many: 0, waiting: most };
                prop_assert_eq!(together(&threads, eager(length), terms).executions, expected.executions, "{}", most);
            }
        }
    }

    /// What is cut behind an event decides whether it sleeps, whoever cuts it and when.
    #[test]
    fn traces_within_a_bound_are_run_once_together(threads in any_threads(), seed in any::<u64>(), bound in 0u64..3) {
        let (expected, _) = explore(&threads, Box::new(Lazy::new(bound)));
        let terms = Terms { workers: 3, seed, most: usize::MAX, many: 0, waiting: 0 };
        let outcome = together(&threads, || Box::new(Lazy::new(bound)), terms);
        prop_assert_eq!(outcome.executions, expected.executions);
    }
}
