//! Whole searches, of threads that are written down by hand.

use super::{Eager, Length};
use crate::explore::{Counts, Saved, Strategy as _};
use crate::reduce::plan::{Planner, Source};
use crate::reduce::rediscovery::tests::{any_threads, explore};
use crate::reduce::scripted::{TERMS, run};
use crate::reduce::{Reduction, crowd};
use proptest::prelude::*;
use rscale_protocol::Op;

const LENGTHS: [Length; 2] = [Length::Long, Length::Short];

fn eager(length: Length) -> Box<dyn Planner> {
    Box::new(Eager::new(length))
}

/// Explores threads, each run in another process, which knows no more than what was written down.
fn explore_in_parts(threads: &[Vec<(Op, u64)>], length: Length) -> Counts {
    let mut search = Reduction::new(eager(length), TERMS);
    while let Some(plan) = search.next_schedule() {
        let execution = run(threads, plan.schedule);
        search.absorb(&execution);
        let written = serde_json::to_string(&search.save().expect("it has begun")).expect("written");
        let saved: Saved = serde_json::from_str(&written).expect("read");
        search = Reduction::new(eager(length), TERMS);
        let path = run(threads, &saved.schedule().expect("a schedule"));
        assert!(search.go_on(&saved, &path), "it makes sense");
        assert_eq!(search.save(), Some(saved), "and is the same");
    }
    search.counts()
}

#[test]
fn a_search_that_is_interrupted_after_each_run_goes_on_as_if_it_were_not() {
    for length in LENGTHS {
        let threads = crowd::tests::last_zero(5);
        let (whole, _) = explore(&threads, eager(length));
        assert_eq!(whole.executions, explore(&threads, Box::new(Source)).0.executions);
        assert_eq!(explore_in_parts(&threads, length), whole, "{length:?}");
    }
}

proptest! {
    /// Sections may be planned in another order behind an interruption, so that states are come by in other runs; there
    /// are as many executions.
    #[test]
    fn interruptions_lose_nothing(threads in any_threads()) {
        for length in LENGTHS {
            let (whole, _) = explore(&threads, eager(length));
            prop_assert_eq!(explore_in_parts(&threads, length).executions, whole.executions);
        }
    }

    #[test]
    fn no_trace_is_lost(threads in any_threads()) {
        let (expected, _) = explore(&threads, Box::new(Source));
        for length in LENGTHS {
            prop_assert_eq!(explore(&threads, eager(length)).0.executions, expected.executions);
        }
    }
}
