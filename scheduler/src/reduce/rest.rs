//! Planning the reversals of races: first those that decide what is run next, and the rest while the program runs that.
//!
//! A search in depth goes back to the last state with something left to explore. Reversals are planned state by state,
//! each for itself, and what stands first in a state stays there. So, once the races of the last states have been
//! looked at, up to one where something is left, what comes next is certain, whatever is planned in the states before
//! it.

use super::history::EventIndex;
use super::reversal::{Executed, Extent, Race, Reversal, Second};
use super::{Node, Places, Reduction};
use std::cmp::Reverse;

/// A race whose reversal is yet to be planned: the state where it goes, and its place among all races.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Unplanned {
    first: EventIndex,
    /// In one state, what was found first comes first: the last ones are taken out first.
    place: Reverse<u32>,
}

impl Reduction {
    /// Plans the reversals of the races that were found, and where the rest of the execution matters, of all: as many
    /// as it takes to know what comes next, where states are planned each for itself.
    pub(super) fn plan_last_reversals(&mut self, new: usize) {
        self.collect_unplanned(new);
        let is_certain = self.planner.keeps_nothing();
        let mut open = self.nodes.iter().rposition(|node| !node.tree.is_empty());
        while let Some(&Unplanned { first, .. }) = self.unplanned.last()
            && !(is_certain && open.is_some_and(|open| open >= first as usize))
        {
            self.plan_next();
            open = open.max(self.has_plan(first).then_some(first as usize));
        }
    }

    /// Plans those that are left.
    pub(super) fn plan_other_reversals(&mut self) {
        while !self.unplanned.is_empty() {
            self.plan_next();
        }
        self.history.settle();
        // The others belong to this execution alone.
        self.races.retain(|race| matches!(race.second, Second::Executed(_) | Second::Late(_)));
    }

    fn has_plan(&self, state: EventIndex) -> bool {
        self.nodes.get(state as usize).is_some_and(|node: &Node| !node.tree.is_empty())
    }

    /// Takes note of the races that have to be looked at.
    fn collect_unplanned(&mut self, new: usize) {
        let start = if self.planner.extent() == Extent::Whole { 0 } else { new };
        let unchanged = self.history.unchanged();
        for (place, race) in self.races.iter().enumerate().skip(start) {
            // Nobody plans ahead in states that are shared.
            if race.first as usize >= self.owned && self.planner.is_settled(race, &self.history) {
                continue;
            }
            self.counts.race_checks += 1;
            if !race.is_covered_before(unchanged) {
                self.unplanned.push(Unplanned { first: race.first, place: Reverse(place as u32) });
            }
        }
        if self.planner.keeps_nothing() {
            self.unplanned.sort_unstable();
        } else {
            self.unplanned.reverse(); // as they were found
        }
    }

    /// Plans the reversal of one race.
    fn plan_next(&mut self) {
        let Some(Unplanned { place, .. }) = self.unplanned.pop() else { return };
        let extent = self.planner.extent();
        let race: &mut Race = &mut self.races[place.0 as usize];
        let executed = Executed { steps: &self.steps, history: &self.history };
        let reversal = Reversal::of(race, executed, extent);
        if (race.first as usize) < self.owned && !self.planner.is_bounded() {
            return self.wishes.add(&reversal, &self.nodes, &*self.planner);
        }
        if extent == Extent::Whole {
            let unchanged = self.history.unchanged();
            race.cover = self.nodes[race.first as usize].cover(&reversal, race.cover, unchanged);
        }
        if race.cover.is_none() {
            let mut places = Places::new(&mut self.nodes, self.owned, &mut self.wishes);
            self.planner.plan(&mut places, &reversal);
        }
    }
}
