//! Sampling: schedules by chance, for programs that have too many to explore.
//!
//! The choices are made in the program, by a policy of the shim ([`rscale_protocol::arena::Policy`]); this side gives
//! each run its seed, and keeps count. A sample never ends by itself and never covers everything. What it finds has a
//! schedule like every other finding, since schedules come from the log.
//!
//! When the program turns out to share more than was known, the sample goes on with more scheduling points: no run
//! depends on an earlier one, so those before stay what they were.

mod probability;

pub use probability::Probability;

use crate::explore::{Absorbed, Counts, Plan, Strategy, Stream};
use crate::filters::Preserves;
use crate::frontend::Execution;
use rscale_protocol::ThreadSet;
use rscale_protocol::arena::{Beyond, MAX_CHANGES, Policy};

/// What was sampled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sampled {
    /// Every step by chance.
    Random,
    /// Every step has a priority, by chance.
    Events,
    /// Every thread has a priority, by chance, and some are lowered on the way.
    Priorities(Probability),
}

impl Sampled {
    /// In words that follow "incomplete:".
    #[must_use]
    pub fn in_words(&self) -> String {
        let how = match self {
            Sampled::Random => "each step was chosen by chance among all that could be taken".to_owned(),
            Sampled::Events => "each next step had a random priority, drawn anew after a conflict".to_owned(),
            Sampled::Priorities(probability) => probability.in_words(),
        };
        format!("only a sample of the schedules was run: {how}")
    }
}

/// A sample of the schedules of a program.
pub struct Sample {
    sampled: Sampled,
    stream: Stream,
    counts: Counts,
}

impl Sample {
    /// Uniformly random steps.
    #[must_use]
    pub fn random(seed: u64) -> Sample {
        Sample::new(Sampled::Random, seed)
    }

    /// Partial order sampling.
    #[must_use]
    pub fn events(seed: u64) -> Sample {
        Sample::new(Sampled::Events, seed)
    }

    /// Probabilistic concurrency testing, for bugs of this depth.
    #[must_use]
    pub fn priorities(depth: u64, seed: u64) -> Sample {
        Sample::new(Sampled::Priorities(Probability::new(depth)), seed)
    }

    fn new(sampled: Sampled, seed: u64) -> Sample {
        Sample { sampled, stream: Stream::new(seed), counts: Counts::default() }
    }

    /// Steps behind which a priority falls, over the length of the executions so far. The first run has none.
    fn changes(&mut self, probability: &Probability) -> [u64; MAX_CHANGES] {
        let mut changes = [0; MAX_CHANGES];
        for change in changes.iter_mut().take(probability.changes()).filter(|_| probability.steps > 0) {
            *change = 1 + self.stream.next_number() % probability.steps;
        }
        changes
    }
}

impl Strategy for Sample {
    fn next_schedule(&mut self) -> Option<Plan<'_>> {
        let seed = self.stream.next_number();
        let order = match self.sampled {
            Sampled::Random => Beyond::by_chance(Policy::Random, seed),
            Sampled::Events => Beyond::by_chance(Policy::Pos, seed),
            Sampled::Priorities(probability) => {
                Beyond { changes: self.changes(&probability), ..Beyond::by_chance(Policy::Pct, seed) }
            }
        };
        Some(Plan { schedule: &[], order, sleep: ThreadSet::EMPTY, goes_on: false, comes_back_to: 0 })
    }

    fn absorb(&mut self, execution: &Execution) -> Absorbed {
        let steps = execution.steps.len() as u64;
        if let Sampled::Priorities(probability) = &mut self.sampled {
            probability.observe(&execution.steps);
        }
        let counts = &mut self.counts;
        counts.add_run(execution.ending(), true);
        counts.states += steps + 1;
        counts.transitions += steps;
        counts.max_depth = counts.max_depth.max(steps);
        Absorbed::Added
    }

    fn begin_anew(&mut self, discarded: u64) {
        self.counts.discarded += discarded;
    }

    fn counts(&self) -> Counts {
        self.counts
    }

    fn preserves(&self) -> Vec<Preserves> {
        vec![Preserves::Sampled(self.sampled)]
    }

    fn memory(&self) -> usize {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rscale_protocol::arena::Step;
    use rscale_protocol::{Action, Choice, Op, ThreadId, Variable};

    fn execution(length: usize) -> Execution {
        let enabled = [[ThreadId(0), ThreadId(1)].into_iter().collect(), ThreadSet::EMPTY, ThreadSet::EMPTY];
        let action = |index: usize| Action::new(ThreadId(index as u16 % 2), Op::MutexUnlock, Variable(64));
        let step = |index| Step { action: action(index), choice: Choice::Proceed, result: 0, enabled };
        Execution { steps: (0..length).map(step).collect::<Vec<_>>().into(), ..Execution::default() }
    }

    fn orders(mut sample: Sample, runs: usize) -> Vec<Beyond> {
        let mut next = || {
            let order = sample.next_schedule().expect("a sample never ends").order;
            sample.absorb(&execution(20));
            order
        };
        (0..runs).map(|_| next()).collect()
    }

    #[test]
    fn a_seed_stands_for_a_sample() {
        for make in [Sample::random, Sample::events, |seed| Sample::priorities(3, seed)] {
            assert_eq!(orders(make(0), 50), orders(make(0), 50));
            assert_ne!(orders(make(0), 50), orders(make(1), 50));
            let seeds: std::collections::BTreeSet<u64> = orders(make(0), 50).iter().map(|order| order.seed).collect();
            assert_eq!(seeds.len(), 50, "every run has its own");
        }
    }

    #[test]
    fn change_points_lie_in_the_execution() {
        let orders = orders(Sample::priorities(3, 7), 100);
        assert_eq!(orders[0].changes, [0; MAX_CHANGES], "nothing is known of the first run");
        for order in &orders[1..] {
            assert!(order.changes[..2].iter().all(|change| (1..=20).contains(change)), "{order:?}");
            assert!(order.changes[2..].iter().all(|&change| change == 0));
        }
    }

    #[test]
    fn runs_are_kept_when_more_is_shared_than_was_known() {
        let mut sample = Sample::random(0);
        for _ in 0..3 {
            sample.absorb(&execution(4));
        }
        sample.begin_anew(1);
        sample.absorb(&execution(6));
        let counts = sample.counts();
        assert_eq!((counts.runs, counts.blocked, counts.discarded, counts.max_depth), (4, 4, 1, 6));
        assert_eq!(counts.started(), 5);
    }
}
