//! Parts of a search in depth: steps from a state, with all that lies behind them.
//!
//! Where filters look at the path to a state alone, what lies behind one step from it has nothing to do with what lies behind
//! another. So whoever has too much to do gives away all steps that are left in its first state with some left, and whoever
//! takes them goes there by running the schedule, as a search does whose bound has grown. Every state is entered by one
//! worker, and every run is made once: all numbers are those of one worker.
//!
//! Filters that explore a state once, however it is reached, have one worker. A state that one worker has marked as visited is
//! not explored completely by it if threads sleep there: what begins with them, an earlier state of its path leads to, and
//! that may be somebody else's by then, or not be explored yet. Without sleep sets a shared set would do, at the price of
//! runs that are made in vain.

use super::{Candidates, Counts, Node, Order, Path, Plan, Search, Strategy};
use crate::backend::Returns;
use crate::frontend::{Configuration, Execution};
use crate::reduce::{Item, Released, Sharing};
use rscale_protocol::ThreadSet;
use rscale_protocol::arena::Token;
use serde::{Deserialize, Serialize};

/// Steps from a state, with all that lies behind them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Branches {
    /// The tokens of the path to the state.
    schedule: Vec<u16>,
    /// The steps from there that are to be explored.
    steps: Vec<u16>,
    order: Order,
    /// The part of the whole search that this is, if all that lies behind a state is of a size.
    weight: f64,
}

impl Branches {
    /// The path, the steps from its end, the order, and the weight.
    #[must_use]
    pub fn parts(&self) -> (Vec<Token>, Vec<Token>, Order, f64) {
        let tokens = |codes: &[u16]| codes.iter().filter_map(|&code| Token::from_code(code)).collect();
        (tokens(&self.schedule), tokens(&self.steps), self.order, self.weight)
    }

    /// See [`Branches::parts`].
    #[must_use]
    pub fn of_parts(schedule: &[Token], steps: &[Token], order: Order, weight: f64) -> Branches {
        let [schedule, steps] = [schedule, steps].map(|tokens| tokens.iter().map(|token| token.to_code()).collect());
        Branches { schedule, steps, order, weight }
    }

    /// The part of the whole search that this is.
    #[must_use]
    pub fn weight(&self) -> f64 {
        self.weight
    }
}

impl Search {
    /// The part of the search that lies behind the steps that are left in a state of the path.
    fn weight_of(&self, depth: usize) -> f64 {
        let nodes = &self.path.nodes()[..=depth];
        let ways = |node: &Node| Candidates::all(node.enabled).len().max(1) as f64;
        let before: f64 = nodes.iter().map(|node| 1.0 / ways(node)).product();
        before * nodes[depth].candidates.len() as f64
    }
}

impl Sharing for Search {
    fn has_begun(&self) -> bool {
        self.has_begun
    }

    fn as_item(&self) -> Option<Item> {
        None
    }

    fn first_run(&mut self, item: &Item) -> Option<Plan<'_>> {
        let Item::Branches(branches) = item else { return None };
        let (schedule, steps, order, _) = branches.parts();
        self.order = order;
        self.roots = steps.iter().rev().map(|&step| [&schedule[..], &[step]].concat()).collect();
        self.root = self.roots.pop()?;
        self.prefix.clone_from(&self.root);
        let (order, sleep, comes_back_to) = (self.beyond(), ThreadSet::EMPTY, Returns::to(schedule.len()));
        Some(Plan { schedule: &self.prefix, order, sleep, goes_on: true, comes_back_to })
    }

    fn begin(&mut self, item: Item, _execution: &Execution) -> bool {
        match item {
            Item::Fresh(_) => self.begin_anew(0),
            Item::Branches(_) => {
                self.path = Path::default();
                self.configuration = Configuration::initial();
                self.has_begun = true;
            }
            Item::Whole(_) | Item::Leaf(_) => return false,
        }
        self.counts = Counts::default();
        true
    }

    fn release(&mut self) -> Option<Released> {
        let depth = self.path.nodes().iter().position(|node| !node.candidates.is_empty())?;
        let weight = self.weight_of(depth);
        let steps: Vec<Token> = self.path.nodes()[depth].candidates.iter().collect();
        let schedule: Vec<Token> = self.path.nodes()[..depth].iter().filter_map(Node::token).collect();
        self.path.nodes_mut()[depth].candidates.retain(|_| false);
        Some(Released::Branches(Box::new(Branches::of_parts(&schedule, &steps, self.order, weight))))
    }
}
