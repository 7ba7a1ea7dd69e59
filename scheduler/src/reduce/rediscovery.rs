//! Planned sequences that need not be kept, because the run of another one is sure to lead to them.
//!
//! A race shows in many executions, each time with another sequence that reverses it, and all that is planned in a
//! state is kept until all before it has been explored. So trees may grow with the number of executions: for a writer
//! and N readers there are 2^N sequences, one for each set of readers that come before the writer. But most are found a
//! second time. Say that `a x b w` is planned, where `x` conflicts with `w` and with nothing else. When that is run,
//! `x` and `w` are a race, and its reversal `a b w` is planned where `x` was. So if this comes up earlier, it can be
//! left out: it would have been put in the same place, behind `x`, and explored after it. Nothing that sleeps there can
//! cover it then, for it would cover it now. The same goes for several such events, one after the other, from the first
//! to the last.
//!
//! That holds if the run is sure to show the race: the last event of the sequence is a plain access, which nothing
//! makes impossible or different; no way leads from `x` to it but their conflict; and everything else in the sequence
//! is planned with it, and does not depend on `x`.

use super::footprint::{Footprint, Reach};
use super::mask::Mask;
use super::sequence::{Meets, Sequence};
use super::wakeup::Tree;
use smallvec::SmallVec;

/// Events that are planned, from the last to the first, and what is to follow them.
#[derive(Clone, Copy)]
pub struct Planned<'t> {
    /// The events.
    pub line: &'t [Footprint],
    /// What follows.
    pub rest: &'t Tree,
}

/// What comes of a sequence on the way along a planned one.
struct Way<'w> {
    /// What is left of the sequence, without its last event.
    left: &'w mut [Footprint],
    /// Its last event, the second one of the race.
    second: Footprint,
    /// Planned events that the second one comes before in the sequence.
    passed: SmallVec<[Footprint; 16]>,
    /// Planned events that come behind these, and that the sequence does not have.
    behind: SmallVec<[Footprint; 16]>,
    /// All events of the sequence: most planned events have to do with none of them.
    sequence: Mask,
    /// The events that were passed, and those behind them.
    others: Mask,
}

/// Where a sequence is at a planned event.
enum Met {
    /// Goes on.
    Further,
    /// It is the last event, and all others have come before it.
    Found,
    /// The run of what is planned need not lead to the sequence.
    Lost,
}

/// Whether a sequence, which ends with a plain access, will be found in the run of a planned one.
#[must_use]
pub fn is_found_again(sequence: &[Footprint], planned: Planned<'_>) -> bool {
    let Some((&second, others)) = sequence.split_last() else { return false };
    let is_lost_at_once = |first: &Footprint| matches!(first.meets(others), Meets::Other(_));
    if !is_simple(&second) || planned.line.last().is_some_and(is_lost_at_once) {
        return false;
    }
    let mut mask = Mask::default();
    sequence.iter().for_each(|member| mask.add(member.outline()));
    let mut left = Sequence::new();
    left.extend_from_slice(others);
    let (passed, behind) = (SmallVec::new(), SmallVec::new());
    let mut way = Way { left: &mut left, second, passed, behind, sequence: mask, others: Mask::default() };
    let mut next = Some(planned);
    while let Some(Planned { line, rest }) = next {
        for event in line.iter().rev() {
            match way.meet(*event) {
                Met::Further => {}
                Met::Found => return true,
                Met::Lost => return false,
            }
        }
        let goes_on = rest.branches().find(|(line, _)| line.last().is_some_and(|event| way.has(event)));
        next = goes_on.or_else(|| rest.branches().next()).map(|(line, rest)| Planned { line, rest });
    }
    false
}

/// Whether it touches one variable, and nothing else matters to it.
fn is_simple(event: &Footprint) -> bool {
    event.reach == Reach::Own && event.steps == 1 && event.touches.len() == 1 && !event.touches[0].may_write
}

impl Way<'_> {
    /// Whether the sequence goes on with an event.
    fn has(&self, event: &Footprint) -> bool {
        match event.meets(self.left) {
            Meets::Nothing => event.token == self.second.token,
            met => matches!(met, Meets::Itself(_)),
        }
    }

    fn meet(&mut self, event: Footprint) -> Met {
        let may_depend = self.others.may_conflict(event.outline());
        if !may_depend && self.left.first() == Some(&event) {
            self.take_out(0);
            return Met::Further;
        }
        if !may_depend && !self.sequence.may_conflict(event.outline()) {
            return Met::Further;
        }
        let depends = |others: &[Footprint]| others.iter().any(|other| other.conflicts(&event));
        match event.meets(self.left) {
            Meets::Itself(_) if depends(&self.passed) => Met::Lost,
            Meets::Itself(index) => {
                self.take_out(index);
                Met::Further
            }
            Meets::Other(_) => Met::Lost,
            Meets::Nothing if event.token == self.second.token => {
                let is_last = self.left.is_empty() && event == self.second && !self.passed.is_empty();
                if is_last { Met::Found } else { Met::Lost }
            }
            Meets::Nothing if !event.conflicts(&self.second) => {
                if depends(&self.passed) || depends(&self.behind) {
                    self.behind.push(event);
                    self.others.add(event.outline());
                }
                Met::Further
            }
            Meets::Nothing => {
                let is_free = !depends(&self.passed) && !depends(&self.behind);
                if !is_free || !is_simple(&event) || event.thread() == self.second.thread() {
                    return Met::Lost;
                }
                self.passed.push(event);
                self.others.add(event.outline());
                Met::Further
            }
        }
    }

    /// A planned event is this one of the sequence.
    fn take_out(&mut self, index: usize) {
        let left = std::mem::take(&mut self.left);
        left[..=index].rotate_right(1);
        self.left = &mut left[1..];
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::plan::{Optimal, Planner, Source};
    use super::super::scripted::{TERMS, run};
    use super::super::{Node, Reduction};
    use crate::explore::{Counts, Strategy as _};
    use proptest::prelude::*;
    use rscale_protocol::Op;

    /// Explores threads. Returns what was counted, and how many sequences were planned at once at most.
    pub fn explore(threads: &[Vec<(Op, u64)>], planner: Box<dyn Planner>) -> (Counts, usize) {
        let mut search = Reduction::new(planner, TERMS);
        let mut most = 0;
        while let Some(plan) = search.next_schedule() {
            let execution = run(threads, plan.schedule);
            search.absorb(&execution);
            most = most.max(search.nodes.iter().map(|node: &Node| node.tree.sequences()).sum());
        }
        (search.counts(), most)
    }

    fn optimal(many: usize) -> Box<dyn Planner> {
        Box::new(Optimal { many, ..Optimal::default() })
    }

    #[test]
    fn what_readers_plan_does_not_grow_with_the_executions() {
        for readers in [8, 11] {
            let op = |thread| if thread == 0 { Op::Write } else { Op::Read };
            let threads: Vec<Vec<(Op, u64)>> = (0..=readers).map(|thread| vec![(op(thread), 64)]).collect();
            let most = [usize::MAX, 20, 0].map(|many| {
                let (counts, most) = explore(&threads, optimal(many));
                assert_eq!((counts.executions, counts.blocked), (1 << readers, 0));
                most
            });
            assert!(most[0] >= 1 << (readers - 2), "all: {}", most[0]);
            assert!(most[1] <= readers * (20 + readers), "not many: {}", most[1]);
            assert!(most[2] <= readers * readers, "few: {}", most[2]);
        }
    }

    /// What some threads do, nine steps at most.
    pub fn any_threads() -> impl Strategy<Value = Vec<Vec<(Op, u64)>>> {
        let op = prop_oneof![2 => Just(Op::Read), 1 => Just(Op::Write), 1 => Just(Op::AtomicUpdate)];
        let step = (0usize..5, op, prop_oneof![Just(64u64), Just(128)]);
        prop::collection::vec(step, 3..10).prop_map(|steps| {
            let of = |thread| steps.iter().filter(|step| step.0 == thread).map(|&(_, op, at)| (op, at)).collect();
            (0..5).map(of).collect()
        })
    }

    proptest! {
        #[test]
        fn nothing_is_lost(threads in any_threads()) {
            let (expected, _) = explore(&threads, Box::new(Source));
            for many in [0, 1, 8, usize::MAX] {
                let (counts, _) = explore(&threads, optimal(many));
                prop_assert_eq!((counts.executions, counts.blocked), (expected.executions, 0), "{}", many);
            }
        }
    }
}
