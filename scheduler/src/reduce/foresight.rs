//! The run that comes next, before the last one has been read.
//!
//! A search in depth goes back to the last state with something left to explore. Unless the execution that is just
//! being read adds something behind that state, what comes next is known already: the program can run it meanwhile. It
//! is a guess and nothing depends on it: whoever runs it compares it with what
//! [`next_schedule`](crate::explore::Strategy::next_schedule) says in the end. Once a part of the execution has been
//! read ([`super::rest`]) it is a guess no more.

use super::mask::Sleepers;
use super::wakeup::Tree;
use super::{Footprint, Reduction};
use crate::backend::Returns;
use crate::explore::Plan;
use rscale_protocol::arena::RETURNS;
use smallvec::SmallVec;

/// The states before one.
#[derive(Clone, Copy)]
struct Before {
    /// As many of the path.
    nodes: usize,
    /// As many behind planned events.
    planned: usize,
}

/// A state with something left to explore, once all behind what is taken from it now has been explored.
struct Open<'a> {
    /// How many steps lead there.
    depth: usize,
    /// What lies before it.
    before: Before,
    /// What is to be explored.
    tree: &'a Tree,
    /// What sleeps there then.
    sleepers: Sleepers,
}

impl Reduction {
    /// The run behind the one that was given last, unless that one adds something that comes first.
    pub(super) fn foresee(&mut self) -> Option<Plan<'_>> {
        let is_shuffled = self.order.parts().1;
        if is_shuffled || !self.planner.keeps_nothing() {
            return None;
        }
        let mut schedule = std::mem::take(&mut self.foreseen);
        schedule.clear();
        let Open { depth, before, tree, mut sleepers } = self.last_open_state()?;
        schedule.extend_from_slice(self.schedule.get(..depth)?);
        let mut forks: SmallVec<[usize; RETURNS]> = SmallVec::new();
        forks.extend(tree.has_others().then_some(depth));
        let mut last = 1;
        for (event, is_open) in tree.first_line() {
            sleepers.take(event);
            last = event.steps as usize;
            schedule.extend(std::iter::repeat_n(event.token, last));
            forks.extend(is_open.then_some(schedule.len()));
        }
        let mut comes_back_to = Returns::NONE;
        forks.into_iter().rev().for_each(|steps| comes_back_to.add(steps));
        self.add_open_before(&mut comes_back_to, before);
        // What comes of the last event is not known.
        schedule.truncate(schedule.len() + 1 - last);
        let sleep = sleepers.threads();
        self.foreseen = schedule;
        let order = self.beyond();
        Some(Plan { schedule: &self.foreseen, order, sleep, goes_on: true, comes_back_to })
    }

    fn last_open_state(&self) -> Option<Open<'_>> {
        let behind_plan = self.planned.iter().rposition(|(_, rest)| !rest.is_empty());
        if let Some(last) = behind_plan {
            let (before, after) = self.planned.split_at(last + 1);
            let mut sleepers: Sleepers = self.nodes.last()?.sleep.iter().collect();
            before.iter().for_each(|(event, _)| sleepers.take(event));
            after.first().into_iter().for_each(|(event, _)| sleepers.push(event));
            let depth = self.steps.len() + before.iter().map(|(event, _)| event.steps as usize).sum::<usize>();
            let before_it = Before { nodes: self.nodes.len(), planned: last };
            return Some(Open { depth, before: before_it, tree: &before.last()?.1, sleepers });
        }
        let last = self.nodes.iter().rposition(|node| !node.tree.is_empty()).filter(|&last| last >= self.owned)?;
        let node = &self.nodes[last];
        let taken = match self.history.events().get(last) {
            Some(event) => Some((event.step as usize, &event.footprint)),
            None => self.planned.first().map(|(event, _)| (self.steps.len(), event)),
        };
        let (depth, taken) = taken?;
        let before = Before { nodes: last, planned: 0 };
        Some(Open { depth, before, tree: &node.tree, sleepers: node.sleep.iter().chain([taken]).collect() })
    }

    /// The states with something left to explore, from the last on.
    pub(super) fn open_states(&self) -> Returns {
        let mut returns = Returns::NONE;
        self.add_open_before(&mut returns, Before { nodes: self.nodes.len(), planned: self.planned.len() });
        returns
    }

    fn add_open_before(&self, returns: &mut Returns, before: Before) {
        add_open(returns, self.steps.len(), &self.planned[..before.planned]);
        let events = self.history.events();
        for (index, _) in self.nodes[..before.nodes].iter().enumerate().rev().filter(|(_, node)| !node.tree.is_empty())
        {
            if returns.is_full() {
                return;
            }
            returns.add(events.get(index).map_or(self.steps.len(), |event| event.step as usize));
        }
    }
}

/// Adds the states behind planned events, the first of which comes behind so many steps, with something else to
/// explore.
pub(super) fn add_open(returns: &mut Returns, steps: usize, planned: &[(Footprint, Tree)]) {
    let mut depth = steps + planned.iter().map(|(event, _)| event.steps as usize).sum::<usize>();
    for (event, rest) in planned.iter().rev() {
        if !rest.is_empty() {
            returns.add(depth);
        }
        depth -= event.steps as usize;
    }
}

#[cfg(test)]
mod tests {
    use super::super::plan::Optimal;
    use super::super::scripted::{TERMS, run};
    use super::*;
    use crate::explore::Strategy;
    use crate::filters::Terms;
    use rscale_protocol::Op;

    /// Explores them. Returns how many executions there are, and how many of them were foreseen.
    fn explore(threads: &[&[Op]]) -> (u64, u64) {
        let threads: Vec<Vec<(Op, u64)>> = threads.iter().map(|ops| ops.iter().map(|&op| (op, 64)).collect()).collect();
        let mut search = Reduction::new(Box::new(Optimal::default()), TERMS);
        let (mut foreseen, mut right, mut certain) = (None, 0, None);
        while let Some(plan) = search.next_schedule() {
            let asked = (plan.schedule.to_vec(), plan.sleep);
            right += u64::from(foreseen.as_ref() == Some(&asked));
            assert!(certain.is_none_or(|certain| certain == asked), "what was certain does not come");
            let execution = run(&threads, &asked.0);
            foreseen = search.foreseen().map(|plan| (plan.schedule.to_vec(), plan.sleep));
            search.begin_absorbing(&execution);
            certain = Some(search.foreseen().map(|plan| (plan.schedule.to_vec(), plan.sleep)).unwrap_or_default());
            search.finish_absorbing();
        }
        assert_eq!(certain, Some(Default::default()), "the end was certain, too");
        assert_eq!(search.counts().blocked, 0);
        (search.counts().executions, right)
    }

    #[test]
    fn what_is_planned_comes_next_unless_something_new_is() {
        let (read, write) = (&[Op::Read][..], &[Op::Write][..]);
        assert_eq!(explore(&[write, read]), (2, 0), "the first execution plans the second one");
        let (executions, right) = explore(&[write, read, read, read, read, read, read]);
        assert_eq!(executions, 64);
        assert!(right > 50, "{right}");
        let twice = &[Op::Read, Op::Write, Op::Read, Op::Write][..];
        let (executions, right) = explore(&[twice, twice]);
        assert_eq!(executions, 34);
        assert!(right > 0 && right < executions, "{right}");
    }

    #[test]
    fn nothing_is_foreseen_where_chance_decides() {
        let mut search = Reduction::new(Box::new(Optimal::default()), Terms { seed: 1, ..TERMS });
        assert!(search.next_schedule().is_some() && search.foreseen().is_none());
    }
}
