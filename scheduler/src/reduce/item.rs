//! What is handed over when a search is shared: parts of it to those who explore them, and what they find out about
//! shared states to whoever decides there.
//!
//! All of it is plain data, with steps and variables named as all that share the search name them, so that it can go to
//! another thread or process ([`super::wire`]), and be written down.

use super::eager::Ahead;
use super::footprint::Footprint;
use super::plan::Wanted;
use super::saved::SavedReduction;
use super::wakeup::Tree;
use crate::explore::{Branches, Order};
use rscale_protocol::ThreadSet;
use rscale_protocol::arena::Token;

/// A part of a search that a worker explores.
#[derive(Clone, PartialEq, Debug)]
pub enum Item {
    /// A search from the start; whether atomic sections may touch anything in another place.
    Fresh(bool),
    /// A search on its way, all of it.
    Whole(Box<SavedReduction>),
    /// What lies behind a sequence of events.
    Leaf(Box<Leaf>),
    /// What lies behind some steps from a state.
    Branches(Box<Branches>),
}

impl Item {
    /// Whether atomic sections may touch anything in another place.
    #[must_use]
    pub fn sections_vary(&self) -> bool {
        match self {
            Item::Fresh(vary) => *vary,
            Item::Whole(saved) => saved.sections_vary(),
            Item::Leaf(leaf) => leaf.sections_vary,
            Item::Branches(_) => false,
        }
    }

    /// Whether it begins with a run that is part of the search, not one that only leads to where it begins.
    #[must_use]
    pub fn begins_with_run(&self) -> bool {
        matches!(self, Item::Leaf(_) | Item::Branches(_))
    }
}

/// All that lies behind an event from a shared state, and what is planned there.
#[derive(Clone, PartialEq, Debug)]
pub struct Leaf {
    /// The tokens of the path to the state.
    pub(super) schedule: Vec<Token>,
    /// What fell asleep in states on the path, by the number of events before them.
    pub(super) asleep: Vec<(usize, Vec<Footprint>)>,
    /// Events before the state.
    pub(super) at: usize,
    /// How much of what sleeps there slept before the plan that led there.
    pub(super) lingering: usize,
    /// The event that leads to what the item owns, and those that are planned to follow it, each with what else is.
    pub(super) planned: Vec<(Footprint, Tree)>,
    /// The threads that are still asleep behind them.
    pub(super) sleep: ThreadSet,
    /// What is explored from states on the way there anyway, by the number of events before them; where something is
    /// cut at a bound, it matters how much that is.
    pub(super) explored: Vec<(usize, Vec<Token>)>,
    /// What was planned ahead from states on the way there, by the number of events before them.
    pub(super) ahead: Vec<(usize, Ahead)>,
    pub(super) sections_vary: bool,
    pub(super) order: Order,
}

/// Something that is to be explored from a shared state.
#[derive(Clone, PartialEq, Debug)]
pub struct Wish {
    /// Events before the state.
    pub at: usize,
    /// What.
    pub wanted: Wanted,
}

/// An event as it turned out to be, and its steps.
#[derive(Clone, PartialEq, Debug)]
pub struct Begun {
    pub(super) event: Footprint,
    pub(super) steps: Vec<Token>,
    /// Whether it need not be taken again behind what comes after it here, even if something is cut at a bound behind
    /// it.
    pub(super) sleeps: bool,
}

/// A planned event that has been explored.
#[derive(Clone, PartialEq, Debug)]
pub struct Explored {
    pub(super) taken: Begun,
    /// What was explored from the state behind it, if that lies inside a planned sequence.
    pub(super) inside: Option<Vec<Explored>>,
}

/// What a worker gives away of its item.
#[derive(Clone, PartialEq, Debug)]
pub enum Released {
    /// Its first states, from the first one on, which are shared from now on.
    States(Vec<ReleasedNode>),
    /// An item of their own.
    Branches(Box<Branches>),
}

/// A state that is shared from now on.
#[derive(Clone, PartialEq, Debug)]
pub struct ReleasedNode {
    /// What is asleep, and how much of it follows from the state before.
    pub(super) sleep: Vec<Footprint>,
    pub(super) inherited: usize,
    /// How much of it slept before the plan that led here.
    pub(super) lingering: usize,
    /// Whether a sequence was dropped here ([`super::crowd`]).
    pub(super) is_crowded: bool,
    /// What was taken from here, and fell asleep; and then what others may have to go past.
    pub(super) done: Vec<Token>,
    pub(super) explored: Vec<Explored>,
    pub(super) tree: Tree,
    /// What the item takes from here, now and from now on.
    pub(super) taken: Begun,
    /// Whether the state behind that lies inside a planned sequence.
    pub(super) leads_inside: bool,
    /// Whether something was cut at a bound behind it.
    pub(super) is_cut: bool,
    /// What was planned ahead from here.
    pub(super) ahead: Ahead,
}
