//! Searches with growing bounds, one after the other: what needs little is found before what needs much.
//!
//! A level goes on where the one below it was cut, and repeats nothing of it. Partial order reductions begin each level
//! from the start, and so does a search that has cut more than can be kept: a reduction explores what the races of its
//! executions ask for, and these are others with another bound. The number of schedules grows so fast with the bound
//! that the last level is most of the work. The search ends early at a level where the bound has cut nothing: there is
//! nothing beyond it.
//!
//! Workers share one level, and come together at its end: what was cut then belongs to one of them again.

use super::{Absorbed, Counts, Frontier, Order, Plan, Saved, SavedLevels, Strategy};
use crate::filters::Preserves;
use crate::frontend::Execution;
use crate::reduce::{Begun, Common, Explored, Item, Released, Sharing, Wish};
use rscale_protocol::arena::Token;
use serde::{Deserialize, Serialize};

/// What came of one bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Level {
    /// The bound.
    pub bound: u64,
    /// Complete executions within it, without those of the levels below where they were not repeated.
    pub executions: u64,
    /// What was found that no lower level had found.
    pub findings: u64,
    /// Whether everything within the bound was explored.
    pub complete: bool,
}

/// Makes the search with a bound.
pub type MakeLevel = Box<dyn Fn(u64) -> Box<dyn Strategy>>;

/// A search with growing bounds.
pub struct Levels {
    make: MakeLevel,
    last: u64,
    current: Level,
    search: Box<dyn Strategy>,
    /// The levels that are done, and what they did together.
    done: Vec<Level>,
    before: Counts,
    /// What this search had done when the current level began.
    earlier: Counts,
    schedule: Vec<Token>,
    /// Whether others explore the same level: then nobody goes on to the next one alone.
    is_shared: bool,
}

impl Levels {
    /// All bounds from the first to the last one.
    #[must_use]
    pub fn new(first: u64, last: u64, make: MakeLevel) -> Levels {
        let mut search = make(first);
        search.keep_cut(first < last);
        let current = Level { bound: first, executions: 0, findings: 0, complete: false };
        let (before, earlier) = (Counts::default(), Counts::default());
        let (done, schedule) = (Vec::new(), Vec::new());
        Levels { make, last, current, search, done, before, earlier, schedule, is_shared: false }
    }

    fn now(&self) -> Level {
        let counts = self.search.counts();
        let is_complete = self.current.complete && counts.out_of_steps == 0;
        let executions = counts.executions - self.earlier.executions;
        Level { executions, complete: is_complete, ..self.current }
    }

    /// Goes on to the next level, if there is one that can be different.
    fn advance(&mut self) -> bool {
        self.current.complete = true;
        let is_cut = |preserves: &Preserves| matches!(preserves, Preserves::OnlyWithin { cut: 1.., .. });
        if self.current.bound >= self.last || !self.search.preserves().iter().any(is_cut) {
            return false;
        }
        self.done.push(self.now());
        self.current = Level { bound: self.current.bound + 1, executions: 0, findings: 0, complete: false };
        if self.search.raise(self.current.bound) {
            self.earlier = self.search.counts();
            if !self.is_followed() {
                self.search.keep_cut(false);
            }
            return true;
        }
        self.before = self.before.and(&self.search.counts());
        self.earlier = Counts::default();
        self.begin_level();
        true
    }

    /// Whether there is a higher level, which may begin where this one was cut.
    fn is_followed(&self) -> bool {
        self.current.bound < self.last
    }

    /// Begins the search of the current level.
    fn begin_level(&mut self) {
        self.search = (self.make)(self.current.bound);
        self.search.keep_cut(self.is_followed());
    }
}

impl Strategy for Levels {
    fn next_schedule(&mut self) -> Option<Plan<'_>> {
        loop {
            if let Some(Plan { schedule, order, sleep, goes_on, comes_back_to }) = self.search.next_schedule() {
                self.schedule.clear();
                self.schedule.extend_from_slice(schedule);
                return Some(Plan { schedule: &self.schedule, order, sleep, goes_on, comes_back_to });
            }
            if self.is_shared || !self.advance() {
                return None;
            }
        }
    }

    fn absorb(&mut self, execution: &Execution) -> Absorbed {
        self.search.absorb(execution)
    }

    fn give_up(&mut self) {
        self.search.give_up();
    }

    /// Goes on with the level that was reached: it covers those below it.
    fn begin_anew(&mut self, discarded: u64) {
        let Counts { runs, .. } = self.before;
        self.search.begin_anew(self.before.discarded + runs + discarded);
        (self.before, self.earlier) = (Counts::default(), Counts::default());
        self.done.clear();
    }

    fn was_wrong(&self) -> bool {
        self.search.was_wrong()
    }

    fn note_findings(&mut self, count: u64) {
        self.current.findings += count;
    }

    fn levels(&self) -> Vec<Level> {
        self.done.iter().copied().chain([self.now()]).collect()
    }

    fn counts(&self) -> Counts {
        self.before.and(&self.search.counts())
    }

    fn cut(&self) -> Vec<u64> {
        self.search.cut()
    }

    fn add_cut(&mut self, cut: &[u64]) {
        self.search.add_cut(cut);
    }

    fn take_frontier(&mut self) -> Option<Frontier> {
        self.search.take_frontier()
    }

    fn add_frontier(&mut self, frontier: Frontier) {
        self.search.add_frontier(frontier);
    }

    fn come_together(&mut self, counts: &Counts) {
        self.join_counts();
        self.search.come_together(counts);
        self.is_shared = false;
    }

    fn next_level(&mut self) -> bool {
        self.advance()
    }

    fn sharing(&mut self) -> Option<&mut dyn Sharing> {
        self.search.sharing()?;
        Some(self)
    }

    fn can_be_saved(&self) -> bool {
        self.search.can_be_saved()
    }

    fn save(&self) -> Option<Saved> {
        let (search, done) = (self.search.save()?, self.done.clone());
        let (current, before, earlier) = (self.current, self.before, self.earlier);
        Some(Saved::Levels(Box::new(SavedLevels { current, done, before, earlier, search })))
    }

    fn go_on(&mut self, saved: &Saved, execution: &Execution) -> bool {
        let Saved::Levels(saved) = saved else { return false };
        let SavedLevels { current, done, before, earlier, search } = (**saved).clone();
        (self.current, self.done, self.before, self.earlier) = (current, done, before, earlier);
        self.begin_level();
        self.search.go_on(&search, execution)
    }

    fn preserves(&self) -> Vec<Preserves> {
        self.search.preserves()
    }

    fn memory(&self) -> usize {
        self.search.memory()
    }
}

impl Levels {
    /// From now on the search counts what the levels before it have done, too.
    fn join_counts(&mut self) {
        self.earlier = self.before.and(&self.earlier);
        self.before = Counts::default();
    }
}

impl Sharing for Levels {
    fn has_begun(&self) -> bool {
        self.search.counts().runs > 0
    }

    fn as_item(&self) -> Option<Item> {
        None
    }

    fn common(&mut self) -> Common {
        self.is_shared = true;
        let common = self.search.sharing().map(|search| search.common());
        Common { bound: Some(self.current.bound), ..common.unwrap_or_default() }
    }

    fn agree_with(&mut self, common: &Common) {
        if let Some(bound) = common.bound {
            self.current.bound = bound;
            self.begin_level();
        }
        self.is_shared = true;
        self.search.sharing().into_iter().for_each(|search| search.agree_with(common));
    }

    fn first_run(&mut self, item: &Item) -> Option<Plan<'_>> {
        self.search.sharing()?.first_run(item)
    }

    fn begin(&mut self, item: Item, execution: &Execution) -> bool {
        self.join_counts();
        self.search.sharing().is_some_and(|search| search.begin(item, execution))
    }

    fn sections_vary(&mut self) -> bool {
        self.search.sharing().is_some_and(|search| search.sections_vary())
    }

    fn order(&mut self) -> Option<Order> {
        self.search.sharing()?.order()
    }

    fn begun(&mut self) -> Option<Begun> {
        self.search.sharing()?.begun()
    }

    fn take_wishes(&mut self) -> Vec<Wish> {
        self.search.sharing().map(|search| search.take_wishes()).unwrap_or_default()
    }

    fn take_cut(&mut self) -> bool {
        self.search.sharing().is_some_and(|search| search.take_cut())
    }

    fn take_record(&mut self) -> Vec<Explored> {
        self.search.sharing().map(|search| search.take_record()).unwrap_or_default()
    }

    fn release(&mut self) -> Option<Released> {
        self.search.sharing()?.release()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs once per level and cuts something below a bound of 2.
    struct Stub {
        bound: u64,
        runs: u64,
    }

    impl Strategy for Stub {
        fn next_schedule(&mut self) -> Option<Plan<'_>> {
            (self.runs == 0).then(|| Plan::of(&[]))
        }
        fn absorb(&mut self, _execution: &Execution) -> Absorbed {
            self.runs += 1;
            Absorbed::Added
        }
        fn give_up(&mut self) {}
        fn begin_anew(&mut self, _discarded: u64) {
            self.runs = 0;
        }
        fn counts(&self) -> Counts {
            Counts { runs: self.runs, executions: self.runs * 10, max_depth: self.bound, ..Counts::default() }
        }
        fn preserves(&self) -> Vec<Preserves> {
            let cut = u64::from(self.bound < 2);
            vec![Preserves::OnlyWithin { bound: "preemptions", value: self.bound, cut }]
        }
        fn memory(&self) -> usize {
            0
        }
    }

    fn levels(first: u64, last: u64) -> Levels {
        Levels::new(first, last, Box::new(|bound| Box::new(Stub { bound, runs: 0 })))
    }

    fn run_through(levels: &mut Levels) {
        while levels.next_schedule().is_some() {
            levels.absorb(&Execution::default());
        }
    }

    fn bounds(levels: &Levels) -> Vec<(u64, u64, u64, bool)> {
        levels.levels().iter().map(|level| (level.bound, level.executions, level.findings, level.complete)).collect()
    }

    #[test]
    fn levels_follow_each_other() {
        let mut levels = levels(0, 1);
        assert_eq!(bounds(&levels), [(0, 0, 0, false)]);
        assert!(levels.next_schedule().is_some());
        levels.absorb(&Execution::default());
        assert!(levels.next_schedule().is_some());
        levels.note_findings(2);
        run_through(&mut levels);
        assert_eq!(bounds(&levels), [(0, 10, 0, true), (1, 10, 2, true)]);
        assert_eq!((levels.counts().runs, levels.counts().executions, levels.counts().max_depth), (2, 20, 1));
    }

    #[test]
    fn a_bound_that_cuts_nothing_is_the_last() {
        let mut levels = levels(1, 9);
        run_through(&mut levels);
        assert_eq!(bounds(&levels), [(1, 10, 0, true), (2, 10, 0, true)]);
    }

    #[test]
    fn what_begins_anew_goes_on_with_its_level() {
        let mut levels = levels(0, 9);
        assert!(levels.next_schedule().is_some());
        levels.absorb(&Execution::default());
        assert!(levels.next_schedule().is_some());
        levels.begin_anew(1);
        assert_eq!((levels.counts().runs, levels.current.bound), (0, 1));
        run_through(&mut levels);
        assert_eq!(bounds(&levels), [(1, 10, 0, true), (2, 10, 0, true)]);
    }
}
