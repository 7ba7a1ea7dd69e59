//! Partial order reduction among the executions with a limited number of preemptions (Sachinoglou, chapter 4).
//!
//! A reversal that is too expensive in the middle of a block may be cheap where the block begins, so the sound methods try the
//! second thread there too: a *conservative* branch (Coons, Musuvathi and McKinley). Brute force has shown that this is not
//! enough, so they differ from the paper in three ways, each of which only adds executions:
//!
//! - The second thread is tried directly before the race too, whatever else is explored there: another thread that could
//!   begin the same sequence may have to be stopped in the middle of it.
//! - A thread that had to wait is tried before what let it go on, a lock before the unlock: where it comes to block, the next
//!   switch costs nothing.
//! - The paper lets every event go to sleep that is no conservative branch. But of two equivalent executions, the one that
//!   was explored first may have been cut at the bound. Only one kind of event is never worse first than later: one that
//!   goes on with the running thread, and makes no other thread's step possible.
//!
//! There is no proof of this; the tests compare with all interleavings of random programs.

use super::footprint::{Footprint, Role};
use super::history::{EventIndex, History};
use super::plan::{Node, Planner, initials, leading};
use super::preemptions::{Preemptions, State, block_start, running};
use super::reversal::{Executed, Reversal};
use crate::explore::Candidates;
use crate::filters::Preserves;
use rscale_protocol::arena::Token;
use rscale_protocol::{Choice, Family};

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
}

impl Bounded {
    /// A search that has not begun.
    #[must_use]
    pub fn new(method: Method, bound: u64) -> Bounded {
        Bounded { method, bound, preemptions: Preemptions::default(), cut: 0 }
    }

    /// Whether this may be taken in the state. Counts what may not.
    fn is_within(&mut self, token: Token, state: &State<'_>, history: &History) -> bool {
        let is_within = self.preemptions.with(token.thread, state, history) <= self.bound;
        self.cut += u64::from(!is_within);
        is_within
    }

    /// Adds one of these members to the node before the race, unless one of them is explored anyway.
    fn add_one_of(&mut self, members: &[&Footprint], nodes: &mut [Node], reversal: &Reversal<'_>) {
        let node = &mut nodes[reversal.first as usize];
        if members.iter().any(|event| node.explores(reversal.taken(), event.token)) {
            return;
        }
        let state = State::before(reversal.first, reversal.executed);
        let history = reversal.executed.history;
        if let Some(&event) = members.iter().find(|event| self.is_within(event.token, &state, history)) {
            node.tree.add(event.clone());
        }
    }

    /// Tries a thread before an event, and where the block of that event begins.
    fn add_conservative(&mut self, token: Token, before: EventIndex, nodes: &mut [Node], executed: Executed<'_>) {
        let event = executed.history.event(before);
        if event.is_pick() || event.footprint.thread() == token.thread {
            return;
        }
        self.add_thread(token, before, nodes, executed);
        self.add_thread(token, block_start(before, executed.history), nodes, executed);
    }

    /// Tries a thread before an event; where it can not go on there, everybody.
    fn add_thread(&mut self, token: Token, at: EventIndex, nodes: &mut [Node], executed: Executed<'_>) {
        let event = executed.history.event(at);
        let all = Candidates::all(executed.steps[event.step as usize].enabled);
        let proceed = Token { thread: token.thread, choice: Choice::Proceed };
        let own: Vec<Token> = [token, proceed].into_iter().filter(|&token| all.contains(token)).collect();
        let tokens = if own.is_empty() { all.iter().collect() } else { own };
        let state = State::before(at, executed);
        let node = &mut nodes[at as usize];
        for token in tokens {
            let is_explored = node.explores(event.footprint.token, token);
            if !is_explored && self.is_within(token, &state, executed.history) {
                node.tree.add(Footprint::unknown(token));
            }
        }
    }
}

impl Planner for Bounded {
    fn plan(&mut self, nodes: &mut [Node], reversal: &Reversal<'_>) {
        let sequence: Vec<&Footprint> = reversal.sequence().collect();
        let members = match self.method {
            Method::Naive | Method::Source => initials(&sequence),
            Method::Persistent => leading(reversal, &sequence),
        };
        let members: Vec<&Footprint> = members.into_iter().map(|index| sequence[index]).collect();
        self.add_one_of(&members, nodes, reversal);
        if let Some(second) = sequence.last().filter(|_| self.method != Method::Naive) {
            self.add_conservative(second.token, reversal.first, nodes, reversal.executed);
        }
    }

    fn plan_wait(&mut self, nodes: &mut [Node], index: EventIndex, executed: Executed<'_>) {
        if self.method == Method::Naive {
            return;
        }
        let history = executed.history;
        let Footprint { token, touches, .. } = &history.event(index).footprint;
        for touch in touches {
            let earlier = history.touched(touch.variable).iter().rev().find(|entry| entry.event < index);
            if let Some(entry) = earlier.filter(|entry| entry.thread != token.thread) {
                self.add_conservative(*token, entry.event, nodes, executed);
            }
        }
    }

    fn admits(&mut self, token: Token, state: &State<'_>, history: &History) -> bool {
        let count = self.preemptions.with(token.thread, state, history);
        self.preemptions.push(count, state.at);
        self.is_within(token, state, history)
    }

    fn may_sleep(&self, history: &History) -> bool {
        let Some(last) = history.len().checked_sub(1) else { return true };
        let event = history.event(last);
        let gives = |footprint: &Footprint| footprint.touches.iter().any(|touch| touch.role == Role::Give);
        let goes_on = running(last, history) == Some(event.footprint.thread());
        let is_access = matches!(event.op.family(), Family::Memory | Family::Mutex);
        self.method == Method::Naive || goes_on && is_access && !gives(&event.footprint)
    }

    fn preserves(&self) -> Vec<Preserves> {
        let (bound, cut) = (self.bound, self.cut);
        let within = match self.method {
            Method::Naive => Preserves::SomeWithin { preemptions: bound, cut, estimated: 0 },
            Method::Persistent | Method::Source => Preserves::OnlyWithin { bound: "preemptions", value: bound, cut },
        };
        vec![Preserves::EveryTrace, within]
    }

    fn restart(&mut self) {
        self.preemptions = Preemptions::default();
        self.cut = 0;
    }
}
