//! A state on the path, and what can be wanted of it: what planners look at before they plan, and what they write to.
//!
//! Whatever a race asks for in a state is compared with what is known here: what sleeps, what was explored, and what is
//! planned already.

use crate::reduce::footprint::Footprint;
use crate::reduce::history::EventIndex;
use crate::reduce::item::Explored;
use crate::reduce::reversal::{Cover, Reversal};
use crate::reduce::sleep::{Sleep, staying};
use crate::reduce::wakeup::Tree;
use rscale_protocol::arena::Token;

/// A state on the path, as far as the reduction is concerned.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// Events that need not be taken here.
    pub sleep: Sleep,
    /// So many of them, the first ones, slept before the plan that led here, and sleep on behind it.
    ///
    /// A sequence is planned only if it wakes all that sleeps. But an atomic update that is planned counts as a write,
    /// and may turn out to be none: then something sleeps on, here or behind what was planned beside it. That need not
    /// be taken, so nothing is planned that begins with it. But it does not make any other reversal needless, though it
    /// could come before that: where it was explored, such reversals were left to this plan.
    pub lingering: usize,
    /// The events that were explored from here.
    pub done: Vec<Token>,
    /// What is still to be explored, apart from what the path does now.
    pub tree: Tree,
    /// Whether it lies inside a planned sequence: what is to follow, others may have planned.
    pub is_inner: bool,
    /// Whether a sequence was dropped here, because too many were planned ([`crate::reduce::crowd`]).
    pub is_crowded: bool,
    /// What was explored from here, where others may have to go past it.
    pub explored: Vec<Explored>,
}

impl Node {
    /// The state behind an event; it may lie inside a planned sequence. This is to be explored from there.
    #[must_use]
    pub fn behind(&self, event: &Footprint, is_inner: bool, tree: Tree) -> Node {
        let sleep = self.sleep.behind(event);
        let lingering = match is_inner && !self.is_crowded {
            false => sleep.len(),
            true if self.sleep.may_conflict(event) => staying(&self.sleep[..self.lingering], event),
            true => self.lingering,
        };
        Node { sleep, lingering, tree, is_inner, ..Node::default() }
    }

    /// The plan that led here goes no further.
    pub fn end_plan(&mut self) {
        self.lingering = self.sleep.len();
    }

    /// Whether this was or is going to be explored from here, where the path takes something.
    #[must_use]
    pub fn explores(&self, taken: Token, token: Token) -> bool {
        token == taken || self.done.contains(&token) || self.plans(token)
    }

    /// Whether this is going to be explored from here.
    #[must_use]
    pub fn plans(&self, token: Token) -> bool {
        self.tree.firsts().any(|first| first.token == token)
    }

    /// Whether something new can come of this here.
    #[must_use]
    pub fn is_open(&self, token: Token) -> bool {
        !self.done.contains(&token) && !self.sleep.iter().any(|sleeper| sleeper.token == token)
    }

    /// Something explored before that leads to the same as a reversal, whose first events have not changed since the
    /// last answer was found.
    #[must_use]
    pub fn cover(&self, reversal: &Reversal<'_>, last: Option<Cover>, unchanged: EventIndex) -> Option<Cover> {
        if let Some(Cover { sleeper, .. }) = last
            && sleeper >= self.lingering
            && let Some(met) = reversal.could_begin_with(&self.sleep[sleeper], unchanged)
        {
            return Some(Cover { sleeper, met });
        }
        let mut sleepers = self.sleep.iter().enumerate();
        let lingers = |sleeper: usize| sleeper < self.lingering;
        sleepers.find_map(|(sleeper, event)| match lingers(sleeper) && !event.is_first_of(reversal.sequence()) {
            true => None,
            false => Some(Cover { sleeper, met: reversal.could_begin_with(event, 0)? }),
        })
    }
}

/// What is to be explored from a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// A sequence, or something equivalent.
    Sequence(Vec<Footprint>),
    /// One of these events, preferably the first.
    OneOf(Vec<Footprint>),
    /// An event of which only this is known.
    Event(Token),
}

impl Wanted {
    /// How many events it names.
    #[must_use]
    pub fn events(&self) -> usize {
        match self {
            Wanted::Sequence(events) | Wanted::OneOf(events) => events.len(),
            Wanted::Event(_) => 1,
        }
    }
}
