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
//! **Several workers.** A state that is shared leaves no races to a section: they are planned as in
//! [`super::Optimal`], by whoever finds them. When a state is given away, races may have been left to a section there.
//! So all orders are planned that would have been asked for in it: each first event of what is left sleeps in the end,
//! or was refused, as the proof has it. And the section goes with the state ([`ahead`]): behind it, whoever goes on
//! there has the section, and knows which of its sleepers have races that were left to it, as if it had come there
//! alone. What is found later from there is a sequence that is planned behind all of that; it could begin with nothing
//! that sleeps, so by the same proof no race that matters to it was left to the section. Where a board drops sequences
//! ([`super::crowd`]), what lingers shows less than the proof needs, so it makes no order needless either.
//!
//! The paper lets a thread that a section has chosen count as the reversal of a race with an event from outside, though
//! not all that begins with it has been explored. Its own tables show traces that are lost that way (ring extended 3:
//! 72 of 90 with short sections; branching 9: 30921 of 31780).

mod ahead;
mod ends;
mod placed;
mod saved;
mod section;
#[cfg(test)]
mod tests;

pub use ahead::Ahead;
pub use saved::SavedSections;
pub use section::Length;

use super::footprint::Footprint;
use super::history::{EventIndex, History};
use super::places::Places;
use super::plan::{Node, Planner};
use super::reversal::{Extent, Race, Reversal, Second};
use crate::explore::Counts;
use ends::Ends;
use placed::{Course, Placed};
use section::Section;
use std::sync::Arc;

/// Plans sections at once, and everything else as [`super::Optimal`].
pub struct Eager {
    length: Length,
    ends: Ends,
    /// The sections of the current path, from its beginning on.
    placed: Vec<Placed>,
    /// Whether sequences were dropped in shared states on it: then what lingers makes no order needless.
    is_crowded: bool,
}

impl Eager {
    /// A planner that has seen nothing.
    #[must_use]
    pub fn new(length: Length) -> Eager {
        Eager { length, ends: Ends::default(), placed: Vec::new(), is_crowded: false }
    }

    /// Forgets the sections that begin behind a state that the search has come back to.
    fn forget_behind(&mut self, state: EventIndex) {
        while self.placed.last().is_some_and(|last| last.start > state) {
            self.placed.pop();
        }
        self.placed.last_mut().into_iter().for_each(|last| last.forget_behind(state));
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

    /// Looks for sections in what is new, from a state on.
    fn place_new(&mut self, from: EventIndex, history: &History, counts: &mut Counts) {
        let mut start = self.placed.last().map_or(from, |last| from.max(last.until + 1));
        while start < history.len() {
            start = match Section::from(start, history, &self.ends, self.length) {
                Err(next) => next,
                Ok(section) => {
                    counts.dependence_checks += (section.len() * (section.len() - 1) / 2) as u64;
                    let placed = Placed::new(Arc::new(section), start, history);
                    let next = placed.until + 1;
                    self.placed.push(placed);
                    next
                }
            };
        }
    }
}

/// How many of the sleepers of a state make no order needless that they could come before: those that linger where
/// sequences were dropped. Elsewhere, what they would show is planned.
fn lingering(node: &Node, is_crowded: bool) -> usize {
    if is_crowded { node.lingering } else { 0 }
}

impl Planner for Eager {
    fn plan(&mut self, places: &mut Places<'_>, reversal: &Reversal<'_>) {
        // Nothing is left for a later run to find again: that run may leave the race to a section.
        places.own(reversal.first).tree.insert(reversal.sequence());
    }

    fn extent(&self) -> Extent {
        Extent::Whole
    }

    fn look_ahead(&mut self, branch: EventIndex, owned: EventIndex, history: &History, counts: &mut Counts) {
        self.forget_behind(branch);
        self.continue_last(branch, history);
        self.place_new(branch.max(owned), history, counts);
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
        last.next_order(node, lingering(node, self.is_crowded), history, counts)
    }

    fn can_be_shared(&self) -> bool {
        true
    }

    fn turn_to(&mut self, _common: usize) {
        self.restart();
    }

    fn orders_at(&self, at: usize, node: &Node, history: &History) -> Vec<Vec<Footprint>> {
        let at = at as EventIndex;
        let placed = self.placed.iter().rev().find(|placed| (placed.start..=placed.until).contains(&at));
        let lingering = lingering(node, self.is_crowded);
        placed.map(|placed| placed.orders_at(at, node, lingering, history)).unwrap_or_default()
    }

    fn ahead_of(&self, at: usize) -> Ahead {
        let at = at as EventIndex;
        let relied_on = self.placed.iter().flat_map(|placed| &placed.relied_on).filter(|relied_on| relied_on.0 == at);
        let begins = self.placed.iter().find(|placed| placed.start == at);
        Ahead {
            section: begins.map(|placed| Arc::clone(&placed.section)),
            relied_on: relied_on.map(|&(_, thread, _)| thread).collect(),
            is_crowded: false,
        }
    }

    fn go_on_with(&mut self, ahead: &[(usize, Ahead)], history: &History) {
        for (at, Ahead { section, relied_on, is_crowded }) in ahead {
            let at = *at as EventIndex;
            let begins = section.as_ref().map(|section| Placed::new(Arc::clone(section), at, history));
            self.placed.extend(begins);
            self.placed.last_mut().into_iter().for_each(|last| last.rely_on_all(at, *relied_on, history));
            self.is_crowded |= is_crowded;
        }
    }

    fn saved_sections(&self, history: &History) -> Option<SavedSections> {
        Some(SavedSections::of(&self.ends, &self.placed, self.is_crowded, history))
    }

    fn restore_sections(&mut self, saved: &SavedSections, history: &mut History) -> Option<()> {
        (self.ends, self.placed) = saved.restored(history)?;
        self.is_crowded = saved.is_crowded;
        Some(())
    }

    fn restart(&mut self) {
        self.placed.clear();
        self.is_crowded = false;
    }
}
