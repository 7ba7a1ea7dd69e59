//! Parts of a search in depth: steps from a state, with all that lies behind them.
//!
//! What lies behind one step from a state has nothing to do with what lies behind another, as long as filters look at
//! the path alone. So whoever has too much to do gives away all steps that are left in its first state with some left,
//! and whoever takes them goes there by running the schedule. Every state is entered by one worker, and every run is
//! made once: all numbers are those of one worker.
//!
//! Filters that know more say what of it belongs to the state: `superstep` how far the super steps before went. And
//! `nsb` has one memory for all: a state belongs to whoever comes there first, and with it all that follows, down to
//! states that others were at before. What sleeps in a state is part of what is given away.

use super::{Branches, Candidates, Counts, Fork, Frontier, Node, Plan, SavedDepth, Search, Strategy, Way};
use crate::backend::Returns;
use crate::frontend::Execution;
use crate::reduce::{Common, Item, Released, Sharing};
use rscale_protocol::ThreadSet;
use rscale_protocol::arena::Token;

impl Search {
    /// The part of the search that lies behind the steps that are left in a state of the path.
    fn weight_of(&self, depth: usize) -> f64 {
        let nodes = &self.path.nodes()[..=depth];
        let ways = |node: &Node| Candidates::all(node.enabled).len().max(1) as f64;
        let before: f64 = nodes.iter().map(|node| 1.0 / ways(node)).product();
        before * nodes[depth].candidates.len() as f64
    }

    /// What is left in a state of the path.
    fn fork_at(&self, depth: usize) -> Fork {
        let Node { candidates, sleep, foreign, ended, .. } = &self.path.nodes()[depth];
        let (steps, forced) = (candidates.iter().collect(), candidates.forced());
        let heritage: Vec<_> = self.filters.iter().map(|filter| filter.heritage(depth)).collect();
        let is_known = heritage.iter().any(|known| !known.is_empty());
        let heritage = if is_known { heritage } else { Vec::new() };
        Fork { depth, steps, asleep: *sleep, foreign: *foreign, ended: *ended, forced, heritage }
    }

    /// The steps of the path to a state of it.
    fn schedule_to(&self, depth: usize) -> Vec<Token> {
        self.path.nodes()[..depth].iter().filter_map(Node::token).collect()
    }

    /// All that is left, from the first state of the path to the last one with something left.
    fn whole_way(&self) -> Way {
        let is_open = |node: &Node| !node.candidates.is_empty();
        let Some(last) = self.path.nodes().iter().rposition(is_open) else { return Way::default() };
        let forks = (0..=last).map(|depth| self.fork_at(depth));
        let matters = |fork: &Fork| !fork.steps.is_empty() || !fork.heritage.is_empty();
        Way { schedule: self.schedule_to(last), forks: forks.filter(matters).collect() }
    }

    /// The search between two runs, for another process.
    pub(super) fn saved(&self) -> SavedDepth {
        let branches = Branches { way: self.whole_way(), order: self.order, weight: 1.0 };
        let (part, quiet) = (SavedDepth::words(&branches), self.quiet.saved());
        let words = |way: &Way| SavedDepth::words(&Branches { way: way.clone(), order: self.order, weight: 0.0 });
        let roots = self.roots.iter().map(words).collect();
        let frontier = self.frontier.as_ref().map(Frontier::saved);
        SavedDepth { part, counts: self.counts, cut: self.cut(), quiet, roots, frontier }
    }

    /// Goes on where another process was. The execution follows the path. None if it does not.
    pub(super) fn restored(&mut self, saved: &SavedDepth, execution: &Execution) -> Option<()> {
        let Branches { way, order, .. } = saved.branches()?;
        self.order = order;
        self.quiet.restore(&saved.quiet);
        self.has_begun = true;
        let (depth, is_over) = (way.schedule.len(), way.forks.is_empty());
        self.set_out(way);
        if !is_over {
            if self.is_configured {
                self.configuration.begin(execution, 0);
            }
            self.walk_to(depth, execution, 0);
            if self.is_astray() {
                return None;
            }
        }
        self.roots = saved.other_ways()?;
        if let Some(frontier) = &saved.frontier {
            self.frontier = Some(Frontier::restored(frontier)?);
        }
        self.counts = saved.counts;
        self.add_cut(&saved.cut);
        Some(())
    }

    /// The first state of the path with something left that others could explore.
    fn first_to_give_away(&self) -> Option<usize> {
        let can_be_given = |&depth: &usize| {
            let is_open = !self.path.nodes()[depth].candidates.is_empty();
            is_open && self.filters.iter().all(|filter| filter.may_give_away(&self.path, depth))
        };
        (0..self.path.nodes().len()).find(can_be_given)
    }
}

impl Sharing for Search {
    fn has_begun(&self) -> bool {
        self.has_begun
    }

    fn as_item(&self) -> Option<Item> {
        if !self.has_begun {
            return Some(Item::Fresh(false));
        }
        let branches = Branches { way: self.whole_way(), order: self.order, weight: 0.0 };
        Some(Item::Branches(Box::new(branches)))
    }

    fn release_root(&mut self) -> Option<Released> {
        let way = self.roots.pop()?;
        Some(Released::Branches(Box::new(Branches { way, order: self.order, weight: 0.0 })))
    }

    fn common(&mut self) -> Common {
        self.is_shared = true;
        let states = self.filters.iter_mut().find_map(|filter| filter.share());
        Common { states, quiet: self.quiet.known(), ..Common::default() }
    }

    fn agree_with(&mut self, common: &Common) {
        self.is_shared = true;
        self.quiet.agree_with(&common.quiet);
        if let Some(states) = &common.states {
            self.filters.iter_mut().for_each(|filter| filter.agree_with(states));
        }
    }

    fn first_run(&mut self, item: &Item) -> Option<Plan<'_>> {
        let Item::Branches(branches) = item else { return None };
        let Branches { way, order, .. } = &**branches;
        self.order = *order;
        self.set_out(way.clone());
        if way.forks.is_empty() {
            return None; // nothing was left
        }
        let (order, sleep, comes_back_to) = (self.beyond(), ThreadSet::EMPTY, Returns::to(way.schedule.len()));
        Some(Plan { schedule: &self.prefix, order, sleep, goes_on: true, comes_back_to })
    }

    fn begin(&mut self, item: Item, _execution: &Execution) -> bool {
        match item {
            Item::Fresh(_) => self.begin_anew(0),
            Item::Branches(_) => self.has_begun = true,
            Item::Whole(_) | Item::Leaf(_) => return false,
        }
        self.counts = Counts::default();
        true
    }

    fn release(&mut self) -> Option<Released> {
        if let Some(root) = self.release_root() {
            return Some(root);
        }
        let depth = self.first_to_give_away()?;
        let weight = self.weight_of(depth);
        let way = Way { schedule: self.schedule_to(depth), forks: vec![self.fork_at(depth)] };
        self.path.nodes_mut()[depth].candidates.retain(|_| false);
        Some(Released::Branches(Box::new(Branches { way, order: self.order, weight })))
    }
}
