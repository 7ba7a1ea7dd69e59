//! Eager partial order reduction (Metzler, Saissi, Bokor, Hesse and Suri): `epor` and `epor-sh`.
//!
//! The orders of a *section* ([`section`]) are planned from one execution of it, without running the others and without
//! looking at the races in them. Everything else is done as in [`super::Optimal`].
//!
//! **A section** is what threads do next from a state on, as an execution has shown it: memory accesses and atomic
//! sections, up to where executions have shown that threads do something else in other orders ([`ends`]): branches, and
//! reads that an address is computed from. The paper finds these places in the source.
//!
//! **An execution has a section as planned** if each member was executed and touched what was planned, and no event
//! from outside conflicts with a member that comes later. Only then are its races between members not looked at. So
//! nothing that the section says about the program has to be right: where it is wrong, the execution does not have the
//! section, and all of its races are planned as usual.
//!
//! **The orders** are not kept, nor made all at once: there may be too many. When all else has been explored from a
//! state in the section, an order of what is left is asked for that begins with another thread, and with which no
//! sleeping member could begin. This is a trace constraint system, and it is solved in time that is quadratic in the
//! section.
//!
//! **Why no trace is lost.** Take a state *E* from which everything has been explored, *w* a way to go on that could
//! begin with none of the events that sleep in the end, and of these *p* the one that is independent of the longest
//! part of *w*; *u* stands for that part, and *q* for the event behind it, which conflicts with *p*. Sleep sets and
//! induction give an execution that goes on from where *p* was explored with *p*, *u* and *q* (and what led from there
//! to *E*). If its race of *p* and *q* was planned as usual, the proof for `optimal` applies. Otherwise both are
//! members, and the execution has the section as planned; so nothing from outside on the way to *E* conflicts with what
//! is left, and the section plans from *E* too. Consider the order of what is left that begins with the members in *u*
//! and *q*, and has the others as in that execution. Its first event sleeps in the end, or was refused, since each
//! order that begins with it could begin with a member that sleeps. So some *x* that sleeps could begin this order. It
//! is not *p*, which comes behind *q*. No event from outside in *u* conflicts with *x*, or the execution would not have
//! the section as planned. So either *x* is in *u* or is *q*, and *w* could begin with it; or it is independent of *u*
//! and *q*, which is a longer part of *w*. Both can not be.
//!
//! A system says nothing about events from outside. Where one of them sleeps, an order may turn out to lead nowhere
//! new, and the run is cut: complete executions are as many as traces, but some runs may be in vain, unlike with
//! `optimal`.
//!
//! The paper lets a thread that a section has chosen count as the reversal of a race with an event from outside, though
//! not all that begins with it has been explored. Its own tables show traces that are lost that way (ring extended 3:
//! 72 of 90 with short sections; branching 9: 30921 of 31780).

mod ends;
mod section;

pub use section::Length;

use super::event::Event;
use super::footprint::Footprint;
use super::history::{EventIndex, History};
use super::places::Places;
use super::plan::{Node, Planner};
use super::reversal::{Extent, Race, Reversal, Second};
use crate::explore::Counts;
use ends::Ends;
use rscale_protocol::{ThreadId, ThreadSet};
use section::Section;

/// Plans sections at once, and everything else as [`super::Optimal`].
pub struct Eager {
    length: Length,
    ends: Ends,
    /// The sections of the current path, from its beginning on.
    placed: Vec<Placed>,
}

/// A section of the path.
struct Placed {
    section: Section,
    /// The state from which on it plans.
    start: EventIndex,
    /// The last state from which it plans.
    until: EventIndex,
    /// Whether the current execution has it as planned.
    is_whole: bool,
    /// The events that races were left to it of: the states before them, and the threads' own numbers of them.
    relied_on: Vec<(EventIndex, ThreadId, u32)>,
    /// Threads with which an order was asked for, by states: what can not be run is not asked for again.
    tried: Vec<(EventIndex, ThreadSet)>,
}

/// What an execution has of a section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Course {
    /// All of it as planned, up to this event.
    Whole(EventIndex),
    /// No more than what comes before this event, which is not in it, but some of the rest depends on.
    Part(EventIndex),
    /// No more than what comes before this event, which is not what was planned.
    Surprise(EventIndex),
}

impl Eager {
    /// A planner that has seen nothing.
    #[must_use]
    pub fn new(length: Length) -> Eager {
        Eager { length, ends: Ends::default(), placed: Vec::new() }
    }

    /// Forgets the sections that begin behind a state that the search has come back to.
    fn forget_behind(&mut self, state: EventIndex) {
        while self.placed.last().is_some_and(|last| last.start > state) {
            self.placed.pop();
        }
        if let Some(last) = self.placed.last_mut() {
            last.relied_on.retain(|relied_on| relied_on.0 <= state);
            last.tried.retain(|tried| tried.0 <= state);
        }
    }

    /// Sees what the execution has of the section that it branches off from, if it does.
    fn continue_last(&mut self, branch: EventIndex, history: &History) {
        let Some(last) = self.placed.last_mut() else { return };
        if last.until < branch {
            return;
        }
        let course = last.course(history);
        last.note(course, branch);
        if let Course::Surprise(index) = course {
            let event = history.event(index);
            self.ends.learn(last.section.before(event).map(|before| before.pc), event.pc);
        }
    }

    /// Looks for sections in what is new.
    fn place_new(&mut self, branch: EventIndex, history: &History, counts: &mut Counts) {
        let mut start = self.placed.last().map_or(branch, |last| branch.max(last.until + 1));
        while start < history.len() {
            start = match Section::from(start, history, &self.ends, self.length) {
                Err(next) => next,
                Ok(section) => {
                    counts.dependence_checks += (section.len() * (section.len() - 1) / 2) as u64;
                    let placed = Placed::new(section, start, history);
                    let next = placed.until + 1;
                    self.placed.push(placed);
                    next
                }
            };
        }
    }
}

impl Planner for Eager {
    fn plan(&mut self, places: &mut Places<'_>, reversal: &Reversal<'_>) {
        // Nothing is left for a later run to find again: that run may leave the race to a section.
        places.own(reversal.first).tree.insert(reversal.sequence());
    }

    fn extent(&self) -> Extent {
        Extent::Whole
    }

    fn look_ahead(&mut self, branch: EventIndex, history: &History, counts: &mut Counts) {
        self.forget_behind(branch);
        self.continue_last(branch, history);
        self.place_new(branch, history, counts);
    }

    fn is_settled(&mut self, race: &Race, history: &History) -> bool {
        let Second::Executed(second) = race.second else { return false };
        let is_here = |placed: &&mut Placed| (placed.start..=placed.until).contains(&race.first);
        let Some(placed) = self.placed.iter_mut().rev().find(is_here) else { return false };
        let is_settled = placed.is_whole && placed.has(race.first, history) && placed.has(second, history);
        if is_settled {
            placed.rely_on(race.first, history.event(race.first));
        }
        is_settled
    }

    fn more(&mut self, node: &Node, history: &History, counts: &mut Counts) -> Option<Vec<Footprint>> {
        let at = history.len();
        self.forget_behind(at);
        let last = self.placed.last_mut().filter(|last| at <= last.until)?;
        last.next_order(node, history, counts)
    }

    fn restart(&mut self) {
        self.placed.clear();
    }
}

impl Placed {
    /// A section that an execution has shown.
    fn new(section: Section, start: EventIndex, history: &History) -> Placed {
        let (relied_on, tried) = (Vec::new(), Vec::new());
        let mut placed = Placed { section, start, until: start, is_whole: false, relied_on, tried };
        placed.note(placed.course(history), start);
        placed
    }

    /// The current execution, which branches off here, has so much of the section.
    fn note(&mut self, course: Course, branch: EventIndex) {
        self.is_whole = matches!(course, Course::Whole(_));
        self.until = self.until.min(branch).max(course.until());
    }

    fn has(&self, event: EventIndex, history: &History) -> bool {
        self.section.member(history.event(event)).is_some()
    }

    /// A race of this event was left to the section.
    fn rely_on(&mut self, index: EventIndex, event: &Event) {
        let name = (index, event.footprint.thread(), event.number);
        if !self.relied_on.contains(&name) {
            self.relied_on.push(name);
        }
    }

    /// What the execution has of the section.
    fn course(&self, history: &History) -> Course {
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

    /// The next order of what is left that begins with something new.
    fn next_order(&mut self, node: &Node, history: &History, counts: &mut Counts) -> Option<Vec<Footprint>> {
        let at = history.len();
        let left = self.section.left(history);
        let is_next = |&(_, thread, number): &(EventIndex, ThreadId, u32)| {
            let sleeps = node.sleep.iter().any(|sleeper| sleeper.thread() == thread);
            sleeps && history.count_of(thread) == number
        };
        if !self.relied_on.iter().any(is_next) {
            return None;
        }
        if self.tried.last().is_none_or(|tried| tried.0 < at) {
            self.tried.push((at, ThreadSet::EMPTY));
        }
        let tried = &mut self.tried.last_mut()?.1;
        for (row, first) in left.firsts() {
            if !node.is_open(first.token) || tried.contains(first.thread()) {
                continue;
            }
            tried.insert(first.thread());
            if let Some(order) = left.clone().solve(row, &node.sleep) {
                return Some(order.into_iter().cloned().collect());
            }
            counts.unsatisfiable += 1;
        }
        None
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
