//! Partial order reduction among the executions with a limited number of preemptions (Sachinoglou, chapter 4).
//!
//! A reversal that is too expensive in the middle of a block may be cheap where the block begins, so the sound methods
//! try threads there too ([`super::conservative`]). Brute force has shown that this is not enough, so they differ from
//! the paper in three ways, each of which only adds executions:
//!
//! - The second thread is tried directly before the race too, whatever else is explored there: another thread that
//!   could begin the same sequence may have to be stopped in the middle of it.
//! - A thread that had to wait is tried before what let it go on.
//! - The paper lets every event go to sleep that is no conservative branch. But of two equivalent executions, the one
//!   that was explored first may have been cut at the bound. So an event goes to sleep if nothing was cut behind it, or
//!   if it is never worse first than later: if it goes on with the running thread, and makes no other thread's step
//!   possible.
//!
//! There is no proof of this; the tests compare with all interleavings of random programs.

use super::conservative::{try_early, try_waiting};
use super::footprint::{Footprint, Role};
use super::history::{EventIndex, History};
use super::places::Places;
use super::plan::{Planner, initials, leading};
use super::preemptions::{Preemptions, State};
use super::reversal::{Executed, Reversal};
use super::saved::SavedBound;
use crate::filters::Preserves;
use rscale_protocol::Family;
use rscale_protocol::arena::Token;

/// What is explored because of a race.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// Source sets, and nothing else: executions within the bound are missed (Algorithm 6).
    Naive,
    /// Persistent sets and conservative branches (Algorithms 7 and 8).
    Persistent,
    /// Source sets and conservative branches (Algorithm 9).
    Source,
}

/// A search among the executions with at most so many preemptions.
pub struct Bounded {
    method: Method,
    bound: u64,
    preemptions: Preemptions,
    /// Branches that would have had too many.
    cut: u64,
    /// So many events of the path, the first ones, have some of them behind them.
    cut_behind: usize,
}

impl Bounded {
    /// A search that has not begun.
    #[must_use]
    pub fn new(method: Method, bound: u64) -> Bounded {
        Bounded { method, bound, preemptions: Preemptions::default(), cut: 0, cut_behind: 0 }
    }

    /// Whether this may be taken in a state of the path. Counts what may not.
    fn is_within(&mut self, token: Token, at: EventIndex, history: &History) -> bool {
        let is_within = self.preemptions.with(token.thread, at, history) <= self.bound;
        if !is_within {
            self.cut += 1;
            self.cut_behind = history.len() as usize;
        }
        is_within
    }

    /// Adds one of these members to the node before the race, unless one of them is explored anyway.
    fn add_one_of(&mut self, members: &[&Footprint], places: &mut Places<'_>, reversal: &Reversal<'_>) {
        let node = places.node(reversal.first);
        if members.iter().any(|event| node.explores(reversal.taken(), event.token)) {
            return;
        }
        let history = reversal.executed.history;
        if let Some(&event) = members.iter().find(|event| self.is_within(event.token, reversal.first, history)) {
            places.add_one_of(event, members, reversal.first);
        }
    }
}

impl Planner for Bounded {
    fn plan(&mut self, places: &mut Places<'_>, reversal: &Reversal<'_>) {
        let sequence: Vec<&Footprint> = reversal.sequence().collect();
        let members = match self.method {
            Method::Naive | Method::Source => initials(&sequence),
            Method::Persistent => leading(reversal, &sequence),
        };
        let members: Vec<&Footprint> = members.into_iter().map(|index| sequence[index]).collect();
        self.add_one_of(&members, places, reversal);
        if let Some(second) = sequence.last().filter(|_| self.method != Method::Naive) {
            let executed = reversal.executed;
            let is_within = |token, at| self.is_within(token, at, executed.history);
            try_early(second.token, reversal.first, places, executed, is_within);
        }
    }

    fn plan_wait(&mut self, places: &mut Places<'_>, index: EventIndex, executed: Executed<'_>) {
        if self.method != Method::Naive {
            try_waiting(index, places, executed, |token, at| self.is_within(token, at, executed.history));
        }
    }

    fn admits(&mut self, token: Token, state: &State<'_>, history: &History) -> bool {
        self.follow(token, state, history);
        self.is_within(token, state.at, history)
    }

    fn follow(&mut self, token: Token, state: &State<'_>, history: &History) {
        self.preemptions.arrive(state, history);
        self.preemptions.push(self.preemptions.with(token.thread, state.at, history), state.at);
        self.cut_behind = self.cut_behind.min(state.at as usize);
    }

    fn may_sleep(&mut self, history: &History) -> bool {
        let Some(last) = history.len().checked_sub(1) else { return true };
        !self.is_cut_behind(last) || self.sleeps_in_any_case(last, history)
    }

    fn is_bounded(&self) -> bool {
        true
    }

    fn sleeps_in_any_case(&self, index: EventIndex, history: &History) -> bool {
        let event = history.event(index);
        let gives = |footprint: &Footprint| footprint.touches.iter().any(|touch| touch.role == Role::Give);
        let goes_on = self.preemptions.running(index) == Some(event.footprint.thread());
        let is_access = matches!(event.op.family(), Family::Memory | Family::Mutex);
        self.method == Method::Naive || goes_on && is_access && !gives(&event.footprint)
    }

    fn is_cut_behind(&self, event: EventIndex) -> bool {
        (event as usize) < self.cut_behind
    }

    fn saved(&self) -> Option<SavedBound> {
        Some(SavedBound { cut: self.cut(), cut_behind: self.cut_behind, ..SavedBound::default() })
    }

    fn restore(&mut self, saved: &SavedBound) -> Option<()> {
        self.cut_behind = saved.cut_behind;
        Some(())
    }

    fn cut(&self) -> Vec<u64> {
        vec![self.cut]
    }

    fn add_cut(&mut self, cut: &[u64]) {
        self.cut += cut.iter().sum::<u64>();
    }

    fn preserves(&self) -> Vec<Preserves> {
        let (bound, cut) = (self.bound, self.cut);
        let within = match self.method {
            Method::Naive => Preserves::SomeWithin { preemptions: bound, cut },
            Method::Persistent | Method::Source => Preserves::OnlyWithin { bound: "preemptions", value: bound, cut },
        };
        vec![Preserves::EveryTrace, within]
    }

    fn restart(&mut self) {
        *self = Bounded::new(self.method, self.bound);
    }
}
