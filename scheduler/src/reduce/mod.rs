//! Dynamic partial order reduction: one execution for all that differ only in the order of independent steps.
//!
//! The strategy runs an execution, orders its events by happens-before ([`history`]), finds the races ([`races`]) and
//! plans their reversals ([`plan`], [`wakeup`]): `dpor`, `source` and `optimal` differ in nothing but the last, and so
//! do the searches that plan ahead ([`eager`]) and those with a bound on preemptions ([`bounded`], [`lazy`]). What
//! depends on what stands in one table ([`rscale_protocol::dependence`]).

mod backtrack;
mod board;
mod bounded;
mod buffered;
mod clocks;
mod conservative;
mod crowd;
mod eager;
mod elsewhere;
mod event;
mod explored;
mod familiar;
mod farewell;
mod footprint;
mod foresight;
mod giving;
mod history;
mod item;
mod kinds;
mod late;
mod lazy;
mod least;
mod mask;
mod names;
mod otherwise;
mod places;
mod plan;
mod preemptions;
mod races;
mod rediscovery;
mod repeats;
mod rest;
mod reversal;
mod saved;
#[cfg(test)]
mod scripted;
mod sequence;
mod shapes;
mod sharing;
mod sleep;
mod swaps;
mod touches;
mod wakeup;
mod walk;
mod wire;
mod wishes;

use crate::explore::{Absorbed, Counts, Order, Plan, Saved, Strategy, divergence, explored};
use crate::filters::{Preserves, Terms};
use crate::frontend::Execution;
use event::{Event, Wait};
use footprint::Footprint;
use history::{EventIndex, History, Predecessor};
use mask::Sleepers;
use places::Places;
use plan::{Node, Planner};
use rest::Unplanned;
use reversal::{Executed, Race, Second};
use rscale_protocol::arena::{Beyond, Step, Token};
use rscale_protocol::{Ending, Quiet, ThreadSet};
use wakeup::Tree;
use wishes::Wishes;

pub use board::{Board, ItemId};
pub use bounded::{Bounded, Method};
pub use eager::{Ahead, Eager, Length};
pub use item::{Begun, Explored, Item, Leaf, Released, Wish};
pub use lazy::Lazy;
pub use names::Names;
pub use plan::{Optimal, Persistent, Source};
pub use saved::SavedReduction;
pub use shapes::{SavedShape, Sections};
pub use sharing::{Common, Sharing};
pub use swaps::Swaps;
pub use wire::{Reader, Wire, Writer, decode, encode};

/// A search by partial order reduction.
pub struct Reduction {
    planner: Box<dyn Planner>,
    /// Whether memory accesses are steps.
    sees_accesses: bool,
    history: History,
    /// The states before each event, and the one behind the last.
    nodes: Vec<Node>,
    /// The steps of the events.
    steps: Vec<Step>,
    /// Their tokens, and those of what is planned behind them.
    schedule: Vec<Token>,
    /// The schedule that is likely to be the next one.
    foreseen: Vec<Token>,
    /// What the schedule takes beyond the events, and what else is to be explored behind each of them.
    planned: Vec<(Footprint, Tree)>,
    order: Order,
    counts: Counts,
    /// The races of the execution, by their second events.
    races: Vec<Race>,
    /// Those of them whose reversals are yet to be planned.
    unplanned: Vec<Unplanned>,
    predecessors: Vec<Predecessor>,
    rivals: Vec<EventIndex>,
    /// The first state that belongs to this search alone; those before it are shared with others.
    owned: usize,
    /// What is to be explored from shared states, which others decide on.
    wishes: Wishes,
    /// What was explored from the first state of its own; None if nobody can ask for it.
    record: Option<Vec<Explored>>,
    /// What had been cut when the others were told of it.
    cut_told: u64,
}

impl Reduction {
    /// How the execution ended, as far as it matters. One that goes round in a loop for ever, until its steps are used
    /// up, has no end that would not be reached by leaving the loop sooner: it leaves nothing unexplored.
    fn relevant_ending(&self, execution: &Execution) -> Option<Ending> {
        let goes_round = self.history.repeats().have_come_round();
        execution.ending().filter(|&ending| !(goes_round && ending == Ending::StepBudget))
    }

    /// A search that has not begun.
    #[must_use]
    pub fn new(planner: Box<dyn Planner>, terms: Terms) -> Reduction {
        Reduction {
            planner,
            sees_accesses: terms.sees_accesses,
            history: History::under(terms.memory),
            nodes: Vec::new(),
            steps: Vec::new(),
            schedule: Vec::new(),
            foreseen: Vec::new(),
            planned: Vec::new(),
            order: Order::new(terms.seed),
            counts: Counts::default(),
            races: Vec::new(),
            unplanned: Vec::new(),
            predecessors: Vec::new(),
            rivals: Vec::new(),
            owned: 0,
            wishes: Wishes::default(),
            record: None,
            cut_told: 0,
        }
    }

    /// The order of what follows the next schedule.
    fn beyond(&mut self) -> Beyond {
        let quiet = if self.planner.wants_early_starts() { Quiet::STARTS } else { Quiet::NOTHING };
        Beyond { quiet, ..self.order.beyond() }
    }
}

impl Strategy for Reduction {
    fn next_schedule(&mut self) -> Option<Plan<'_>> {
        self.planned.clear();
        if !self.nodes.is_empty() {
            self.backtrack()?;
        }
        self.schedule.truncate(self.steps.len());
        let planned = std::mem::take(&mut self.planned);
        self.extend_schedule(planned.iter().map(|(event, _)| event));
        self.planned = planned;
        let (order, sleep) = (self.beyond(), self.sleep_behind_plan());
        Some(Plan { schedule: &self.schedule, order, sleep, goes_on: true, comes_back_to: self.open_states() })
    }

    fn foreseen(&mut self) -> Option<Plan<'_>> {
        self.foresee()
    }

    fn absorb(&mut self, execution: &Execution) -> Absorbed {
        let absorbed = self.begin_absorbing(execution);
        if matches!(absorbed, Absorbed::Added) {
            self.finish_absorbing();
        }
        absorbed
    }

    fn begin_absorbing(&mut self, execution: &Execution) -> Absorbed {
        if let Some(divergence) = divergence(execution, self.steps.len(), |index| self.steps.get(index)) {
            return Absorbed::Diverged(Box::new(divergence));
        }
        if self.nodes.is_empty() {
            self.nodes.push(Node::default());
        }
        let known = self.history.len();
        let new = self.races.len();
        let complete = self.walk(execution);
        match execution.end.as_ref() {
            Some(end) if end.ending == Ending::Sleeping => self.go_on_otherwise(&end.enabled, execution),
            Some(end) if end.ending == Ending::Diverged => self.go_on_in_all_ways(&end.enabled),
            _ => {}
        }
        self.planner.look_ahead(known, self.owned as EventIndex, &self.history, &mut self.counts);
        self.find_pending(execution);
        self.find_late(execution, known);
        self.counts.add_run(self.relevant_ending(execution), complete);
        self.counts.max_depth = self.counts.max_depth.max(self.steps.len() as u64);
        self.plan_last_reversals(new);
        self.plan_waits(known);
        Absorbed::Added
    }

    fn finish_absorbing(&mut self) {
        self.plan_other_reversals();
        if self.owned > 0 {
            let mut places = Places::new(&mut self.nodes, self.owned, &mut self.wishes);
            self.planner.plan_shared(&mut places, &self.history);
        }
    }

    fn give_up(&mut self) {
        self.planned.clear();
        self.counts.add_run(None, false);
    }

    fn begin_anew(&mut self, discarded: u64) {
        self.counts = self.counts.anew(discarded);
        self.history.clear();
        self.nodes.clear();
        self.races.clear();
        self.give_back_steps(0);
        self.planned.clear();
        self.owned = 0;
        self.wishes = Wishes::default();
        self.record = None;
        self.cut_told = 0;
        self.planner.restart();
    }

    fn was_wrong(&self) -> bool {
        self.history.was_wrong()
    }

    fn can_be_saved(&self) -> bool {
        self.planner.can_be_shared()
    }

    fn save(&self) -> Option<Saved> {
        (self.can_be_saved() && !self.nodes.is_empty()).then(|| Saved::Reduction(self.saved()))
    }

    fn go_on(&mut self, saved: &Saved, execution: &Execution) -> bool {
        let Saved::Reduction(saved) = saved else { return false };
        self.add_cut(saved.cut());
        self.restored(saved, execution).is_some()
    }

    fn sharing(&mut self) -> Option<&mut dyn Sharing> {
        if self.planner.can_be_shared() { Some(self) } else { None }
    }

    fn come_together(&mut self, counts: &Counts) {
        self.counts = *counts;
    }

    fn cut(&self) -> Vec<u64> {
        self.planner.cut()
    }

    fn add_cut(&mut self, cut: &[u64]) {
        self.planner.add_cut(cut);
        self.cut_told += cut.iter().sum::<u64>(); // by whomever
    }

    fn counts(&self) -> Counts {
        self.counts
    }

    fn explored(&self) -> Option<f64> {
        let of_node = |node: &Node| (node.done.len(), node.done.len() + 1 + node.tree.firsts().count());
        Some(explored(self.nodes.iter().map(of_node)))
    }

    fn preserves(&self) -> Vec<Preserves> {
        self.planner.preserves()
    }

    fn memory(&self) -> usize {
        let events: usize = self.nodes.iter().map(|node| node.sleep.len() + node.tree.len()).sum();
        self.history.memory() + self.nodes.capacity() * size_of::<Node>() + events * size_of::<Footprint>()
    }
}

impl Reduction {
    /// Puts events behind the schedule.
    fn extend_schedule<'a>(&mut self, events: impl ExactSizeIterator<Item = &'a Footprint>) {
        let last = events.len().saturating_sub(1);
        for (index, event) in events.enumerate() {
            // What comes of the last one is not known, and if it has more steps, nobody else can go on in between.
            let steps = if index == last { 1 } else { event.steps as usize };
            self.schedule.extend(std::iter::repeat_n(event.token, steps));
        }
    }

    /// The threads that the program need not schedule behind what is planned. It wakes them by a simpler rule than
    /// ours, so this only saves runs: what it schedules all the same is cut.
    fn sleep_behind_plan(&self) -> ThreadSet {
        let mut sleepers: Sleepers = self.nodes.last().into_iter().flat_map(|node| node.sleep.iter()).collect();
        self.planned.iter().for_each(|(event, _)| sleepers.take(event));
        sleepers.threads()
    }

    /// Finds races with what threads would do next where the execution has ended.
    fn find_pending(&mut self, execution: &Execution) {
        for &action in &execution.pending {
            let event = Event::pending(action, &execution.steps, &mut self.history);
            self.counts.dependence_checks += self.history.predecessors(&event, &mut self.predecessors);
            races::look_past_end(&self.history, &event, &mut self.predecessors);
            races::rivals(&self.history, &event, &self.predecessors, &mut self.rivals);
            for &first in &self.rivals {
                self.races.push(Race::new(first, Second::Pending(event.footprint)));
            }
        }
    }

    /// Lets the planner look at the new events that may have had to wait.
    fn plan_waits(&mut self, known: EventIndex) {
        let executed = Executed { steps: &self.steps, history: &self.history };
        let mut places = Places::new(&mut self.nodes, self.owned, &mut self.wishes);
        for index in known..self.history.len() {
            let event = self.history.event(index);
            if !matches!(event.wait, Wait::Nothing | Wait::Previous) {
                self.planner.plan_wait(&mut places, index, executed);
            }
        }
    }
}
