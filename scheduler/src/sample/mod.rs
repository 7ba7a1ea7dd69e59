//! Sampling: schedules by chance, for programs that have too many to explore.
//!
//! The choices are made in the program, by a policy of the shim ([`rscale_protocol::arena::Policy`]); this side gives
//! each run its seed, and keeps count. A sample never ends by itself and never covers everything. What it finds has a
//! schedule like every other finding, since schedules come from the log.
//!
//! When the program turns out to share more than was known, the sample goes on with more scheduling points: no run
//! depends on an earlier one, so those before stay what they were.

mod probability;

pub use probability::{Performers, Probability, SavedProbability};

use crate::backend::Returns;
use crate::explore::{Absorbed, Counts, Plan, Saved, Strategy, Stream};
use crate::filters::Preserves;
use crate::frontend::Execution;
use rscale_protocol::arena::{Beyond, MAX_CHANGES, Policy};
use rscale_protocol::{Ending, ThreadSet};
use serde::{Deserialize, Serialize};

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
///
/// What a run draws depends on its number alone, and for `pct` on the length of executions that were run some time
/// before it: so several workers can make runs of one sample, and it is the same for any number of them.
#[derive(Clone, Debug)]
pub struct Sample {
    sampled: Sampled,
    seed: u64,
    /// The number of the next run, and of the one behind which lengths are looked at again.
    next: u64,
    generation: u64,
    /// The longest execution before this generation of runs.
    length: u64,
    counts: Counts,
}

/// A sample on its way, for another process.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SavedSample {
    next: u64,
    generation: u64,
    length: u64,
    counts: Counts,
    probability: Option<SavedProbability>,
}

/// What a run shows a sample.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Drawn {
    ending: Option<Ending>,
    steps: u64,
    performers: Performers,
}

impl Drawn {
    /// A run of which nothing is known.
    #[must_use]
    pub fn nothing() -> Drawn {
        Drawn { ending: None, steps: 0, performers: Performers::default() }
    }

    /// The execution of a run.
    #[must_use]
    pub fn of(execution: &Execution) -> Drawn {
        let steps = execution.steps.len() as u64;
        Drawn { ending: execution.ending(), steps, performers: Performers::of(&execution.steps) }
    }
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
        Sample { sampled, seed, next: 0, generation: 1, length: 0, counts: Counts::default() }
    }

    /// How a run is to go on, by its number, which is one of this generation.
    #[must_use]
    pub fn order_of(&self, run: u64) -> Beyond {
        let Sampled::Priorities(probability) = &self.sampled else {
            let policy = if self.sampled == Sampled::Random { Policy::Random } else { Policy::Pos };
            return Beyond::by_chance(policy, Stream::at(self.seed, run).next_number());
        };
        let mut stream = Stream::at(self.seed, run.wrapping_mul(1 + probability.changes() as u64));
        let seed = stream.next_number();
        // Steps behind which a priority falls. The first run has none: nothing is known of its length.
        let mut changes = [0; MAX_CHANGES];
        for change in changes.iter_mut().take(probability.changes()).filter(|_| self.length > 0) {
            *change = 1 + stream.next_number() % self.length;
        }
        Beyond { changes, ..Beyond::by_chance(Policy::Pct, seed) }
    }

    /// The number of the next run.
    #[must_use]
    pub fn next_run(&self) -> u64 {
        self.next
    }

    /// The runs up to this one can be made without knowing what the others show.
    #[must_use]
    pub fn known_up_to(&self) -> u64 {
        if matches!(self.sampled, Sampled::Priorities(_)) { self.generation } else { u64::MAX }
    }

    /// Adds a run, in order.
    pub fn add(&mut self, drawn: &Drawn) {
        if let Sampled::Priorities(probability) = &mut self.sampled {
            probability.observe(drawn.steps, drawn.performers, self.length);
        }
        let counts = &mut self.counts;
        counts.add_run(drawn.ending, true);
        counts.states += drawn.steps + 1;
        counts.transitions += drawn.steps;
        counts.max_depth = counts.max_depth.max(drawn.steps);
        self.pass();
    }

    /// The next run was made in vain.
    pub fn discard(&mut self) {
        self.counts.discarded += 1;
        self.pass();
    }

    fn pass(&mut self) {
        self.next += 1;
        if self.next >= self.generation {
            self.generation = self.generation.saturating_mul(2);
            if let Sampled::Priorities(probability) = &self.sampled {
                self.length = probability.steps();
            }
        }
    }
}

impl Strategy for Sample {
    fn next_schedule(&mut self) -> Option<Plan<'_>> {
        let order = self.order_of(self.next);
        Some(Plan { schedule: &[], order, sleep: ThreadSet::EMPTY, goes_on: false, comes_back_to: Returns::NONE })
    }

    fn absorb(&mut self, execution: &Execution) -> Absorbed {
        self.add(&Drawn::of(execution));
        Absorbed::Added
    }

    fn give_up(&mut self) {
        self.add(&Drawn::nothing());
    }

    fn begin_anew(&mut self, discarded: u64) {
        (0..discarded).for_each(|_| self.discard());
    }

    fn can_be_saved(&self) -> bool {
        true
    }

    fn save(&self) -> Option<Saved> {
        let &Sample { next, generation, length, counts, .. } = self;
        let probability = match &self.sampled {
            Sampled::Priorities(probability) => Some(probability.saved()),
            Sampled::Random | Sampled::Events => None,
        };
        Some(Saved::Sample(SavedSample { next, generation, length, counts, probability }))
    }

    fn go_on(&mut self, saved: &Saved, _execution: &Execution) -> bool {
        let Saved::Sample(saved) = saved else { return false };
        (self.next, self.generation, self.length, self.counts) =
            (saved.next, saved.generation, saved.length, saved.counts);
        match (&mut self.sampled, &saved.probability) {
            (Sampled::Priorities(probability), Some(saved)) => probability.restore(saved),
            (Sampled::Random | Sampled::Events, None) => true,
            _ => false,
        }
    }

    fn sample(&mut self) -> Option<&mut Sample> {
        Some(self)
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
    fn a_run_does_not_depend_on_what_others_of_its_generation_show() {
        for make in [Sample::random, Sample::events, |seed| Sample::priorities(3, seed)] {
            let mut sample = make(9);
            for length in 1..200 {
                let last = sample.known_up_to().min(sample.next_run() + 50);
                let planned: Vec<Beyond> = (sample.next_run()..last).map(|run| sample.order_of(run)).collect();
                let mut others = sample.clone();
                let mut made = Vec::new();
                for _ in 0..planned.len() {
                    made.push(others.next_schedule().expect("a sample never ends").order);
                    others.absorb(&execution(length * 7 % 31));
                }
                assert_eq!(made, planned);
                sample.absorb(&execution(length));
            }
        }
    }

    #[test]
    fn a_sample_goes_on_in_another_process() {
        for make in [Sample::random, Sample::events, |seed| Sample::priorities(3, seed)] {
            let mut sample = make(9);
            (1..20).for_each(|length| drop(sample.absorb(&execution(length))));
            let mut other = make(9);
            assert!(other.go_on(&sample.save().expect("saved"), &Execution::default()));
            assert_eq!(orders(other, 30), orders(sample, 30));
        }
        let saved = Sample::random(0).save().expect("saved");
        assert!(!Sample::priorities(2, 0).go_on(&saved, &Execution::default()), "another one");
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
