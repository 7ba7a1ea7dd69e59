//! What is dropped where more sequences are planned than are to be kept.
//!
//! Wakeup trees may grow with the number of executions, and what [`super::rediscovery`] leaves out is not all of that.
//! So their size has a bound. Beyond it, a sequence is dropped if something is planned in its state that it can begin
//! with.
//!
//! No trace is lost. A state has to explore something that each trace from there can begin with, but for those that
//! begin with something asleep. That takes no more than the first events of sequences, as `source` keeps them. The rest
//! of a sequence is there for two things. One is that fewer runs are begun in vain. The other is that an event that
//! sleeps covers all reversals that it could come before, whether they have it or not. A trace in which something later
//! has to come before the sleeper is then missed here; but it was shown where the sleeper was explored, and planned
//! there, as a sequence that leads past here. So where sequences were dropped, this does not hold any more of what
//! sleeps: behind there, sleepers are not taken, and nothing is planned that begins with one, but they cover nothing
//! else (they *linger*, [`super::plan::Node::lingering`]). What was begun before the first sequence was dropped is not
//! concerned: what its sleepers have shown is planned.
//!
//! So memory is bounded, complete executions stay exact, and beyond the bound some runs turn out to be redundant, and
//! are cut.

use super::plan::Node;

/// As many planned events are kept in all the states of the path, and a few sequences more in each: 20 MB.
pub const MOST: usize = 1 << 20;

/// As many sequences are kept in a state in any case.
pub const MANY: usize = 64;

/// So many events of sequences wait for a worker that owns the states that they lead through: a few MB.
pub const MOST_WAITING: usize = 1 << 16;

/// How many events are planned in some states.
#[must_use]
pub fn events(nodes: &[Node]) -> usize {
    nodes.iter().map(|node| node.tree.len()).sum()
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::plan::{Optimal, Planner, Source};
    use super::super::rediscovery::tests::{any_threads, explore};
    use proptest::prelude::*;
    use rscale_protocol::Op;

    fn keeping(most: usize) -> Box<dyn Planner> {
        Box::new(Optimal { many: 0, most })
    }

    /// A scanner of an array from its end, and threads that read an element and write the next one.
    pub fn last_zero(count: u64) -> Vec<Vec<(Op, u64)>> {
        let scan = (0..=count).rev().map(|place| (Op::Read, 64 + 8 * place)).collect();
        let add = |place: u64| vec![(Op::Read, 56 + 8 * place), (Op::Write, 64 + 8 * place)];
        std::iter::once(scan).chain((1..=count).map(add)).collect()
    }

    #[test]
    fn what_is_planned_is_bounded() {
        let [all, few] = [usize::MAX, 100].map(|most| explore(&last_zero(8), keeping(most)));
        assert_eq!((all.0.executions, all.0.blocked), (few.0.executions, 0));
        assert!(few.1 * 3 < all.1, "few: {}, all: {}", few.1, all.1);
    }

    /// A sequence that begins with what sleeps and lingers must not be planned: it is cut at once, and others would be
    /// dropped for its sake.
    #[test]
    fn what_lingers_is_not_planned() {
        let (x, y) = (64, 128);
        let threads = [
            vec![(Op::Read, y), (Op::Read, x)],
            vec![(Op::Write, x), (Op::Read, y)],
            vec![(Op::Read, x), (Op::Write, y)],
            vec![(Op::Read, x)],
        ];
        for most in [0, usize::MAX] {
            assert_eq!(explore(&threads, keeping(most)).0.executions, 26, "{most}");
        }
    }

    proptest! {
        #[test]
        fn nothing_is_lost(threads in any_threads()) {
            let (expected, _) = explore(&threads, Box::new(Source));
            for most in [0, 1, 5, 20, 50] {
                let (counts, _) = explore(&threads, keeping(most));
                prop_assert_eq!(counts.executions, expected.executions, "{}", most);
            }
        }
    }
}
