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
mod conservative;
mod crowd;
mod eager;
mod elsewhere;
mod event;
mod explored;
mod footprint;
mod foresight;
mod giving;
mod history;
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
mod wire;
mod wishes;

use crate::explore::{Absorbed, Candidates, Counts, Order, Plan, Saved, Strategy, divergence, explored};
use crate::filters::{Preserves, Terms};
use crate::frontend::Execution;
use event::{Event, Wait};
use footprint::Footprint;
use history::{EventIndex, History, Predecessor};
use mask::Sleepers;
use places::Places;
use plan::{Node, Planner};
use preemptions::State;
use repeats::Mark;
use rest::Unplanned;
use reversal::{Executed, Race, Second};
use rscale_protocol::arena::{Step, Token};
use rscale_protocol::{Choice, Ending, ThreadSet};
use wakeup::Tree;
use wishes::Wishes;

pub use board::{Board, ItemId};
pub use bounded::{Bounded, Method};
pub use eager::{Ahead, Eager, Length};
pub use lazy::Lazy;
pub use names::Names;
pub use plan::{Optimal, Persistent, Source};
pub use saved::SavedReduction;
pub use shapes::{SavedShape, Sections};
pub use sharing::{Begun, Common, Explored, Item, Leaf, Released, Sharing, Wish};
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
        let (order, sleep) = (self.order.beyond(), self.sleep_behind_plan());
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
        self.counts.add_run(execution.ending(), complete);
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

    /// Adds the events of the run beyond those that are known. Returns whether it was not found to be redundant.
    fn walk(&mut self, execution: &Execution) -> bool {
        let mut planned = std::mem::take(&mut self.planned).into_iter();
        let known = self.nodes.len();
        while self.steps.len() < execution.steps.len() && !self.is_left_inside_section(execution) {
            let Some(event) = self.next_event(execution) else { break };
            let start = self.steps.len();
            let end = start + event.footprint.steps as usize;
            let tree = planned.next().map(|(_, rest)| rest).unwrap_or_default();
            let is_inner = planned.len() > 0;
            let enabled = execution.steps[start].enabled;
            self.take_steps(&execution.steps[start..end]);
            if !self.add(event, is_inner, tree, execution) {
                self.give_back_steps(start);
                self.nodes[known..].last_mut().into_iter().for_each(Node::end_plan);
                self.go_on_otherwise(&enabled, execution);
                return false;
            }
        }
        if execution.ends_process() && !execution.is_lost() {
            // What others may have planned behind the end can not be run.
            self.nodes.last_mut().into_iter().for_each(|node| node.tree = Tree::default());
        }
        true
    }

    fn take_steps(&mut self, steps: &[Step]) {
        self.schedule.truncate(self.steps.len());
        self.schedule.extend(steps.iter().map(Step::token));
        self.steps.extend_from_slice(steps);
    }

    fn give_back_steps(&mut self, count: usize) {
        self.steps.truncate(count);
        self.schedule.truncate(count);
    }

    /// Adds an event, and the state behind it. Returns false if whatever begins with it was explored already, or is not
    /// to be explored.
    fn add(&mut self, event: Event, is_inner: bool, tree: Tree, execution: &Execution) -> bool {
        let index = self.history.len();
        let Some(node) = self.nodes.last_mut() else { return false };
        let token = event.footprint.token;
        let later = &execution.steps[event.step as usize..];
        let (enabled, is_pick, pending) = (later[0].enabled, event.is_pick(), &execution.pending[..]);
        let state = State { at: index, enabled, event: Some(&event), is_pick, later, pending };
        if node.sleep.has(&event.footprint) || !self.planner.admits(token, &state, &self.history) {
            return false;
        }
        let behind = Node { tree, ..node.behind(&event.footprint, is_inner) };
        self.append(event, execution);
        self.nodes.push(behind);
        self.counts.states += 1;
        self.counts.transitions += 1;
        true
    }

    /// Puts an event of a path behind the others that is known to be explored.
    fn follow(&mut self, event: Event, execution: &Execution) {
        let later = &execution.steps[event.step as usize..];
        let (enabled, is_pick, pending) = (later[0].enabled, event.is_pick(), &execution.pending[..]);
        let state = State { at: self.history.len(), enabled, event: Some(&event), is_pick, later, pending };
        self.planner.follow(event.footprint.token, &state, &self.history);
        self.append(event, execution);
    }

    /// Puts an event behind the others, and finds its races.
    #[inline]
    fn append(&mut self, event: Event, execution: &Execution) {
        let index = self.history.len();
        let step = &execution.steps[event.step as usize];
        self.counts.dependence_checks += self.history.predecessors(&event, &mut self.predecessors);
        races::rivals(&self.history, &event, &self.predecessors, &mut self.rivals);
        self.races.extend(self.rivals.iter().map(|&first| Race::new(first, Second::Executed(index))));
        races::patience(&self.history, &event, &self.predecessors, &mut self.rivals);
        self.races.extend(self.rivals.iter().map(|&first| Race::new(first, Second::Late(index))));
        let Token { thread, choice } = event.footprint.token;
        let has_one_way = choice == Choice::Proceed && !step.enabled[1..].iter().any(|set| set.contains(thread));
        if !has_one_way || event.is_pick() {
            self.races.extend(alternatives(&event, &step.enabled).map(|second| Race::new(index, second)));
        }
        let mark = match event.footprint.steps {
            1 => Mark::of(step, execution.steps.local_state(event.step as usize)),
            _ => Mark::default(),
        };
        self.history.push(event, &self.predecessors);
        self.history.mark(mark);
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

/// The other ways in which the thread could have taken the event; where it says whom a signal wakes, the other waiters.
fn alternatives(event: &Event, enabled: &[ThreadSet; 3]) -> impl Iterator<Item = Second> {
    let mine = event.footprint.token;
    let of_thread =
        |set: ThreadSet| if set.contains(mine.thread) { ThreadSet::from_iter([mine.thread]) } else { ThreadSet::EMPTY };
    let ways = if event.is_pick() { *enabled } else { enabled.map(of_thread) };
    let others = Candidates::all(ways).iter().filter(move |&token| token != mine);
    others.map(|token| Second::Instead(event.footprint.with(|parts| parts.token = token)))
}
