//! A section in its place on the path: what executions have of it, and which orders are still to be asked for.

use super::section::{Section, count_before};
use crate::explore::Counts;
use crate::reduce::event::Event;
use crate::reduce::footprint::Footprint;
use crate::reduce::history::{EventIndex, History};
use crate::reduce::plan::Node;
use rscale_protocol::{ThreadId, ThreadSet};
use std::sync::Arc;

/// An event: the state before it, its thread, and the thread's own number of it.
pub type Relied = (EventIndex, ThreadId, u32);

/// A section of the path.
pub struct Placed {
    /// What is planned; whoever shares its first state has it too.
    pub section: Arc<Section>,
    /// The state from which on it plans.
    pub start: EventIndex,
    /// The last state from which it plans.
    pub until: EventIndex,
    /// Whether the current execution has it as planned.
    pub is_whole: bool,
    /// The events that races were left to it of.
    pub relied_on: Vec<Relied>,
    /// Threads with which an order was asked for, by states: what can not be run is not asked for again.
    pub tried: Vec<(EventIndex, ThreadSet)>,
}

/// What an execution has of a section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Course {
    /// All of it as planned, up to this event.
    Whole(EventIndex),
    /// No more than what comes before this event, which is not in it, but some of the rest depends on.
    Part(EventIndex),
    /// No more than what comes before this event, which is not what was planned.
    Surprise(EventIndex),
}

impl Placed {
    /// A section that an execution has shown.
    #[must_use]
    pub fn new(section: Arc<Section>, start: EventIndex, history: &History) -> Placed {
        let (relied_on, tried) = (Vec::new(), Vec::new());
        let mut placed = Placed { section, start, until: start, is_whole: false, relied_on, tried };
        placed.note(placed.course(history), start);
        placed
    }

    /// The current execution, which branches off here, has so much of the section.
    pub fn note(&mut self, course: Course, branch: EventIndex) {
        self.is_whole = matches!(course, Course::Whole(_));
        self.until = self.until.min(branch).max(course.until());
    }

    /// Whether an event of the execution is a member.
    #[must_use]
    pub fn has(&self, event: EventIndex, history: &History) -> bool {
        self.section.member(history.event(event)).is_some()
    }

    /// Forgets what was known of the states behind one that the search has come back to.
    pub fn forget_behind(&mut self, state: EventIndex) {
        self.relied_on.retain(|relied_on| relied_on.0 <= state);
        self.tried.retain(|tried| tried.0 <= state);
    }

    /// A race of this event was left to the section.
    pub fn rely_on(&mut self, index: EventIndex, event: &Event) {
        let name = (index, event.footprint.thread(), event.number);
        if !self.relied_on.contains(&name) {
            self.relied_on.push(name);
        }
    }

    /// Races of the next events of these threads in a state of the path were left to the section, by others.
    pub fn rely_on_all(&mut self, at: EventIndex, threads: ThreadSet, history: &History) {
        self.relied_on.extend(threads.iter().map(|thread| (at, thread, count_before(at, thread, history))));
    }

    /// What the execution has of the section.
    #[must_use]
    pub fn course(&self, history: &History) -> Course {
        let mut left = self.section.all();
        for index in self.start..history.len() {
            let event = history.event(index);
            let Some(member) = self.section.member(event) else {
                if left.conflicts(&event.footprint) {
                    return Course::Part(index);
                }
                continue;
            };
            if member.footprint != event.footprint {
                return Course::Surprise(index);
            }
            left.pass(event.footprint.thread());
            if left.is_empty() {
                return Course::Whole(index);
            }
        }
        Course::Part(history.len())
    }

    /// Whether a race was left to the section of an event that could come next in a state of the path, and sleeps.
    fn is_needed(&self, at: EventIndex, sleep: &[Footprint], history: &History) -> bool {
        let is_next = |&(_, thread, number): &Relied| {
            sleep.iter().any(|sleeper| sleeper.thread() == thread) && count_before(at, thread, history) == number
        };
        self.relied_on.iter().any(is_next)
    }

    /// The next order of what is left that begins with something new. The first sleepers linger.
    pub fn next_order(
        &mut self,
        node: &Node,
        lingering: usize,
        history: &History,
        counts: &mut Counts,
    ) -> Option<Vec<Footprint>> {
        let at = history.len();
        if !self.is_needed(at, &node.sleep, history) {
            return None;
        }
        let left = self.section.left(at, history);
        if self.tried.last().is_none_or(|tried| tried.0 < at) {
            self.tried.push((at, ThreadSet::EMPTY));
        }
        let tried = &mut self.tried.last_mut()?.1;
        for (row, first) in left.firsts() {
            if !node.is_open(first.token) || tried.contains(first.thread()) {
                continue;
            }
            tried.insert(first.thread());
            if let Some(order) = left.clone().solve(row, &node.sleep, lingering) {
                return Some(order.into_iter().cloned().collect());
            }
            counts.unsatisfiable += 1;
        }
        None
    }

    /// All orders that would be asked for in a state of the path, once what it takes there has been explored, and what
    /// is planned.
    #[must_use]
    pub fn orders_at(&self, at: EventIndex, node: &Node, lingering: usize, history: &History) -> Vec<Vec<Footprint>> {
        let taken = &history.event(at).footprint;
        let mut sleep: Vec<Footprint> = node.sleep.iter().chain([taken]).cloned().collect();
        if !self.is_needed(at, &sleep, history) {
            return Vec::new();
        }
        sleep.extend(node.tree.firsts().cloned());
        let tried = self.tried.iter().find(|tried| tried.0 == at).map_or(ThreadSet::EMPTY, |tried| tried.1);
        let left = self.section.left(at, history);
        let mut orders = Vec::new();
        for (row, first) in left.firsts() {
            let is_asleep = sleep.iter().any(|sleeper| sleeper.token == first.token);
            if is_asleep || !node.is_open(first.token) || tried.contains(first.thread()) {
                continue;
            }
            if let Some(order) = left.clone().solve(row, &sleep, lingering) {
                orders.push(order.into_iter().cloned().collect());
                sleep.push(*first);
            }
        }
        orders
    }
}

impl Course {
    /// The last state from which the section can be gone on with.
    fn until(self) -> EventIndex {
        match self {
            Course::Whole(until) | Course::Part(until) | Course::Surprise(until) => until,
        }
    }
}
