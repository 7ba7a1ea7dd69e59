//! Giving away states: which ones, and what is said of them.

use super::Reduction;
use super::footprint::Footprint;
use super::item::ReleasedNode;
use super::plan::Node;
use super::wakeup::Tree;

impl Reduction {
    /// Whether something is left in a state that others can begin with at once: where it depends on what is cut behind
    /// the event of the path whether that goes to sleep, they would have to wait for it.
    pub(super) fn can_be_given_away(&self, at: usize) -> bool {
        let (index, taken) = (at as u32, self.history.event(at as u32).footprint.token);
        let node = &self.nodes[at];
        let has_orders = || !self.planner.orders_at(at, node, &self.history).is_empty();
        let is_open = !node.tree.is_empty() || !self.planner.left_at(at, node, Some(taken)).is_empty() || has_orders();
        is_open && (self.planner.is_cut_behind(index) || self.planner.sleeps_in_any_case(index, &self.history))
    }

    /// What others have to know of a state.
    pub(super) fn released(&mut self, at: usize) -> ReleasedNode {
        let taken = self.taken_at(at);
        let left = self.planner.left_at(at, &self.nodes[at], Some(taken.event.token));
        let orders = self.planner.orders_at(at, &self.nodes[at], &self.history);
        let Node { sleep, lingering, is_crowded, done, tree, explored, .. } = &mut self.nodes[at];
        left.into_iter().for_each(|token| tree.add(Footprint::unknown(token)));
        orders.into_iter().for_each(|order| tree.push_branch(order.into_iter().rev().collect(), Tree::default()));
        let (tree, explored) = (std::mem::take(tree), std::mem::take(explored));
        let (lingering, is_crowded) = (*lingering, *is_crowded);
        // Each of these is the last that was done, and that fell asleep.
        let [asleep, done_before] = [sleep.len(), done.len()].map(|count| count - explored.len());
        ReleasedNode {
            sleep: sleep[..asleep].to_vec(),
            inherited: at.checked_sub(1).map_or(0, |before| self.inherited(before)),
            lingering,
            is_crowded,
            done: self.nodes[at].done[..done_before].to_vec(),
            tree,
            explored,
            taken,
            leads_inside: self.lies_inside(at + 1),
            ahead: self.planner.ahead_of(at),
            is_cut: self.planner.is_cut_behind(at as u32),
        }
    }
}
