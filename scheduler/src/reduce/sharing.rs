//! Sharing a search: how it takes over a work [item](super::item), and what it says to others that share states with it.
//!
//! A search owns the states from some depth on, and shares those before it, which lie in a [`Board`](super::Board).
//! What a race asks for in a shared state is a [`Wish`]; the board decides. A search that has enough to do can release
//! its first states, with all that is left to explore from them, and goes on behind the last of them.

use super::item::{Begun, Explored, Item, Leaf, Released, Wish};
use super::plan::Node;
use super::reversal::Extent;
use super::shapes::Sections;
use super::wakeup::Tree;
use super::{Names, Reduction, Second, foresight::add_open};
use crate::backend::Returns;
use crate::explore::{Counts, KnownQuiet, Order, Plan, Strategy};
use crate::filters::SharedStates;
use crate::frontend::Execution;
use rscale_protocol::arena::Step;
use std::sync::Arc;

/// What searches that share states agree about.
#[derive(Clone, Debug, Default)]
pub struct Common {
    /// The numbers of variables.
    pub names: Names,
    /// What atomic sections touch.
    pub sections: Sections,
    /// The states that were visited, if that is kept.
    pub states: Option<Arc<SharedStates>>,
    /// The steps that are taken at once.
    pub quiet: KnownQuiet,
    /// The bound that has been come to, where it grows.
    pub bound: Option<u64>,
}

impl Common {
    /// The same for a search that begins anew.
    #[must_use]
    pub fn anew(&self) -> Common {
        let states = self.states.as_ref().map(|states| Arc::new(states.emptied()));
        Common { states, sections: Sections::default(), ..self.clone() }
    }
}

/// A search that can be shared.
pub trait Sharing {
    /// Whether it has begun.
    fn has_begun(&self) -> bool;

    /// The whole search as it stands between two runs, if that can be written down.
    fn as_item(&self) -> Option<Item>;

    /// Gives away a part of the search that lies elsewhere than what [`Sharing::as_item`] is about, if there is one.
    fn release_root(&mut self) -> Option<Released> {
        None
    }

    /// Whether atomic sections may touch anything in another place.
    fn sections_vary(&mut self) -> bool {
        false
    }

    /// What all that share it must agree about.
    fn common(&mut self) -> Common {
        Common::default()
    }

    /// Agrees with others, before it begins.
    fn agree_with(&mut self, _common: &Common) {}

    /// The first run of an item: the schedule that leads there, if there is one.
    fn first_run(&mut self, item: &Item) -> Option<Plan<'_>>;

    /// Takes over an item. The execution is its first run; that of a leaf is yet to be absorbed. False if it does not
    /// fit.
    fn begin(&mut self, item: Item, execution: &Execution) -> bool;

    /// The first event of a leaf, once it has been run; None if it was cut there.
    fn begun(&mut self) -> Option<Begun> {
        None
    }

    /// What is to be explored from shared states, since the last call.
    fn take_wishes(&mut self) -> Vec<Wish> {
        Vec::new()
    }

    /// Whether something was cut at a bound since the last call.
    fn take_cut(&mut self) -> bool {
        false
    }

    /// The order in which what nobody has planned is taken, if it is not the one that the user has asked for.
    fn order(&mut self) -> Option<Order> {
        None
    }

    /// What was explored of the item inside of planned sequences, at its end.
    fn take_record(&mut self) -> Vec<Explored> {
        Vec::new()
    }

    /// Gives away the first states up to one with something left to explore. None if there is nothing to give away.
    fn release(&mut self) -> Option<Released>;
}

impl Sharing for Reduction {
    fn has_begun(&self) -> bool {
        !self.nodes.is_empty()
    }

    fn as_item(&self) -> Option<Item> {
        let vary = self.history.sections_vary();
        Some(if self.has_begun() { Item::Whole(Box::new(self.saved())) } else { Item::Fresh(vary) })
    }

    fn sections_vary(&mut self) -> bool {
        self.history.sections_vary()
    }

    fn common(&mut self) -> Common {
        let (names, sections) = (self.history.numbers().clone(), self.history.sections().clone());
        Common { names, sections, ..Common::default() }
    }

    fn agree_with(&mut self, common: &Common) {
        self.history.agree_with(&common.names, &common.sections);
    }

    fn first_run(&mut self, item: &Item) -> Option<Plan<'_>> {
        match item {
            Item::Fresh(_) | Item::Branches(_) => None,
            Item::Whole(saved) => {
                self.schedule = saved.schedule()?;
                Some(Plan { order: self.beyond(), ..Plan::of(&self.schedule) })
            }
            Item::Leaf(leaf) => {
                self.schedule.clear();
                self.schedule.extend_from_slice(&leaf.schedule);
                self.extend_schedule(leaf.planned.iter().map(|(event, _)| event));
                let (order, sleep) = (self.beyond(), leaf.sleep);
                let mut comes_back_to = Returns::NONE;
                add_open(&mut comes_back_to, leaf.schedule.len(), &leaf.planned);
                Some(Plan { schedule: &self.schedule, order, sleep, goes_on: true, comes_back_to })
            }
        }
    }

    fn begin(&mut self, item: Item, execution: &Execution) -> bool {
        match item {
            Item::Fresh(vary) => {
                self.leave_all();
                self.counts = Counts::default();
                self.history.set_sections_vary(vary);
                true
            }
            Item::Whole(saved) => {
                self.leave_all();
                let is_restored = self.restored(&saved, execution).is_some();
                self.counts = Counts::default();
                is_restored
            }
            Item::Leaf(leaf) => self.begin_leaf(*leaf, execution).is_some(),
            Item::Branches(_) => false,
        }
    }

    fn begun(&mut self) -> Option<Begun> {
        let at = self.owned.checked_sub(1)?;
        (at < self.history.len() as usize).then(|| self.taken_at(at))
    }

    fn take_wishes(&mut self) -> Vec<Wish> {
        self.wishes.take()
    }

    fn take_cut(&mut self) -> bool {
        let cut = self.planner.cut().iter().sum();
        std::mem::replace(&mut self.cut_told, cut) != cut
    }

    fn order(&mut self) -> Option<Order> {
        Some(self.order)
    }

    fn take_record(&mut self) -> Vec<Explored> {
        self.record.take().unwrap_or_default()
    }

    fn release(&mut self) -> Option<Released> {
        let path = self.owned..self.history.len() as usize;
        let open = path.clone().find(|&at| self.can_be_given_away(at))?;
        let nodes = (path.start..=open).map(|at| self.released(at)).collect();
        self.owned = open + 1;
        let can_be_asked = self.record.is_some() && self.lies_inside(self.owned);
        self.record = can_be_asked.then(Vec::new);
        Some(Released::States(nodes))
    }
}

impl Reduction {
    /// Forgets all but how much it has cut, which the others know, and what they agree about.
    fn leave_all(&mut self) {
        let (cut, common) = (self.planner.cut(), self.common());
        self.begin_anew(0);
        self.add_cut(&cut);
        self.agree_with(&common);
    }

    /// Goes to the state that a leaf begins in, from the last state on the way there that is known.
    fn begin_leaf(&mut self, leaf: Leaf, execution: &Execution) -> Option<()> {
        let known = self.steps.iter().map(Step::token).zip(&leaf.schedule);
        let common = known.take_while(|(known, token)| known == *token).count();
        let events = self.history.events();
        let last = events.partition_point(|event| (event.step + event.footprint.steps) as usize <= common);
        self.retract_to(last.min(leaf.at));
        self.planner.turn_to(self.history.len() as usize);
        self.owned = leaf.at + 1;
        self.record = (leaf.planned.len() > 1).then(Vec::new);
        self.counts = Counts::default();
        self.order = leaf.order;
        self.history.set_sections_vary(leaf.sections_vary);
        self.wishes = super::Wishes::default();
        if self.nodes.is_empty() {
            self.nodes.push(Node::default());
        }
        self.fall_asleep(&leaf, self.nodes.len() - 1);
        while self.steps.len() < leaf.schedule.len() {
            let event = self.next_event(execution)?;
            let (start, end) = (event.step as usize, (event.step + event.footprint.steps) as usize);
            self.take_steps(execution.steps.get(start..end)?);
            self.follow(event, execution);
            self.nodes.push(Node::default());
            self.fall_asleep(&leaf, self.nodes.len() - 1);
        }
        self.races.retain(|race| matches!(race.second, Second::Executed(_) | Second::Late(_)));
        let is_there = self.history.len() as usize == leaf.at
            && execution.steps.iter().zip(&leaf.schedule).all(|(step, &token)| step.token() == token);
        let node = self.nodes.last_mut()?;
        node.lingering = leaf.lingering.min(node.sleep.len());
        for (at, explored) in leaf.explored {
            self.nodes.get_mut(at)?.done = explored;
        }
        self.planner.go_on_with(&leaf.ahead, &self.history);
        self.planned = leaf.planned;
        is_there.then_some(())
    }

    /// What sleeps in a state that is shared: what followed from the state before, and what the item says.
    fn fall_asleep(&mut self, leaf: &Leaf, at: usize) {
        // Who decides about shared states knows where plans end; here, none is taken to go on.
        let inherited = match at.checked_sub(1) {
            Some(before) => {
                self.nodes[before].behind(&self.history.event(before as u32).footprint, false, Tree::default())
            }
            None => Node::default(),
        };
        let node = &mut self.nodes[at];
        *node = inherited;
        if let Ok(place) = leaf.asleep.binary_search_by_key(&at, |(at, _)| *at) {
            leaf.asleep[place].1.iter().for_each(|event| node.sleep.push(*event));
        }
    }

    /// Takes back events until there are so many.
    pub(super) fn retract_to(&mut self, count: usize) {
        let end = self.history.events().get(count).map_or(self.steps.len(), |event| event.step as usize);
        self.give_back_steps(end);
        self.nodes.truncate(count + 1);
        self.history.truncate(count as u32);
        self.forget_races(count as u32);
    }

    /// Whether a state lies inside of a planned sequence, where that matters.
    pub(super) fn lies_inside(&self, at: usize) -> bool {
        self.nodes[at].is_inner && self.planner.extent() == Extent::Whole
    }

    /// What the path takes from a state.
    pub(super) fn taken_at(&self, at: usize) -> Begun {
        let event = self.history.event(at as u32);
        let (start, count) = (event.step as usize, event.footprint.steps as usize);
        let steps = self.steps[start..start + count].iter().map(Step::token).collect();
        let sleeps = self.planner.sleeps_in_any_case(at as u32, &self.history);
        Begun { event: event.footprint, steps, sleeps }
    }
}
