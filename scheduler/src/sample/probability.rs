//! What `pct` promises: a run finds a bug of depth D with a probability of at least 1/(n*k^(D-1)), where n threads take
//! k steps (Burckhardt et al., theorem 9). The depth of a bug is how many constraints on the order of steps it takes.
//!
//! The change points of a run are drawn over the longest execution some time before it. So runs count that were drawn
//! over the longest of all, from where the number of threads has not grown any more. What can time out or wake
//! spuriously has a priority of its own, and counts as a thread.

use crate::report::count;
use rscale_protocol::arena::Step;
use rscale_protocol::{ThreadId, ThreadSet};
use serde::{Deserialize, Serialize};

/// How likely a bug was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Probability {
    /// The depth of the bugs.
    depth: u64,
    performers: Performers,
    /// Steps of the longest execution.
    steps: u64,
    /// Runs with change points over that many steps.
    runs: u64,
}

/// Who can take a step, in each way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Performers([ThreadSet; 3]);

impl Performers {
    /// Those of an execution.
    #[must_use]
    pub fn of(steps: &[Step]) -> Performers {
        steps.iter().fold(Performers::default(), |all, step| all.and(Performers(step.enabled)))
    }

    fn and(mut self, others: Performers) -> Performers {
        for (all, more) in self.0.iter_mut().zip(others.0) {
            more.iter().for_each(|thread| all.insert(thread));
        }
        self
    }

    fn count(&self) -> u64 {
        self.0.iter().map(|set| set.len() as u64).sum()
    }
}

/// A probability on its way, for another process.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SavedProbability {
    depth: u64,
    performers: Vec<Vec<u16>>,
    steps: u64,
    runs: u64,
}

impl Probability {
    /// Nothing has been run.
    #[must_use]
    pub fn new(depth: u64) -> Probability {
        Probability { depth, performers: Performers::default(), steps: 0, runs: 0 }
    }

    /// Change points in a run.
    #[must_use]
    pub fn changes(&self) -> usize {
        self.depth.saturating_sub(1) as usize
    }

    /// Steps of the longest execution.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// A run has taken so many steps, and these were who could; its change points were drawn over a length.
    pub fn observe(&mut self, steps: u64, performers: Performers, over: u64) {
        let performers = self.performers.and(performers);
        let has_grown = performers != self.performers || steps > self.steps;
        self.performers = performers;
        self.steps = self.steps.max(steps);
        let counts = over == self.steps || self.changes() == 0;
        self.runs = if has_grown { 0 } else { self.runs + u64::from(counts) };
    }

    /// For another process.
    #[must_use]
    pub fn saved(&self) -> SavedProbability {
        let numbers = |set: &ThreadSet| set.iter().map(|thread| thread.0).collect();
        let performers = self.performers.0.iter().map(numbers).collect();
        SavedProbability { depth: self.depth, performers, steps: self.steps, runs: self.runs }
    }

    /// Goes on from there. False if that makes no sense.
    pub fn restore(&mut self, saved: &SavedProbability) -> bool {
        let threads = |numbers: &Vec<u16>| -> Option<ThreadSet> {
            numbers.iter().map(|&number| ThreadId::from_index(number.into())).collect()
        };
        let sets: Option<Vec<ThreadSet>> = saved.performers.iter().map(threads).collect();
        let Some(performers) = sets.and_then(|sets| sets.try_into().ok()) else { return false };
        (self.performers, self.steps, self.runs) = (Performers(performers), saved.steps, saved.runs);
        self.depth == saved.depth
    }

    fn threads(&self) -> u64 {
        self.performers.count()
    }

    /// The least probability that one run finds such a bug.
    #[must_use]
    pub fn per_run(&self) -> f64 {
        let exponent = i32::try_from(self.changes()).unwrap_or(i32::MAX);
        1.0 / (self.threads().max(1) as f64 * (self.steps.max(1) as f64).powi(exponent))
    }

    /// The least probability that one of the runs does.
    #[must_use]
    pub fn overall(&self) -> f64 {
        if self.runs == 0 {
            return 0.0;
        }
        // 1 - (1 - p)^runs, without losing small numbers.
        -(self.runs as f64 * (-self.per_run()).ln_1p()).exp_m1()
    }

    /// In words.
    #[must_use]
    pub fn in_words(&self) -> String {
        let (depth, threads, steps) = (self.depth, self.threads(), self.steps);
        format!(
            "threads had random priorities, lowered at {}; a run finds a bug of depth {depth} with a probability of at \
             least 1/(n*k^(D-1)) = 1/({threads}*{steps}^{}) = {} (n threads and clocks, k steps), and the {} with \
             these n and k with {}",
            count(self.changes() as u64, "point"),
            self.changes(),
            rounded(self.per_run()),
            count(self.runs, "run"),
            rounded(self.overall())
        )
    }
}

/// A probability with as many digits as matter.
fn rounded(probability: f64) -> String {
    if probability == 0.0 || probability >= 0.001 { format!("{probability:.4}") } else { format!("{probability:.2e}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rscale_protocol::{Action, Choice, Op, Variable};

    fn steps(length: usize, threads: u16) -> Vec<Step> {
        let enabled = [(0..threads).map(ThreadId).collect(), ThreadSet::EMPTY, ThreadSet::EMPTY];
        let action = Action::new(ThreadId(0), Op::MutexUnlock, Variable(64));
        vec![Step { action, choice: Choice::Proceed, result: 0, enabled }; length]
    }

    /// A run of so many steps, with change points over the longest one before it.
    fn observe(probability: &mut Probability, length: usize, threads: u16) {
        let steps = steps(length, threads);
        let over = probability.steps;
        probability.observe(steps.len() as u64, Performers::of(&steps), over);
    }

    #[test]
    fn the_bound_is_that_of_the_theorem() {
        let mut probability = Probability::new(3);
        assert_eq!(probability.overall(), 0.0, "nothing was run");
        (0..101).for_each(|_| observe(&mut probability, 10, 4));
        assert!((probability.per_run() - 1.0 / 400.0).abs() < 1e-12);
        assert!((probability.overall() - (1.0 - (1.0 - 1.0 / 400.0f64).powi(100))).abs() < 1e-12);
        assert!(probability.in_words().contains("1/(4*10^2) = 0.0025"), "{}", probability.in_words());
        assert!(probability.in_words().contains("the 100 runs"), "{}", probability.in_words());
    }

    #[test]
    fn runs_over_fewer_steps_do_not_count() {
        let mut probability = Probability::new(2);
        (0..10).for_each(|_| observe(&mut probability, 10, 2));
        observe(&mut probability, 12, 2);
        assert_eq!((probability.runs, probability.steps), (0, 12));
        observe(&mut probability, 3, 2);
        assert_eq!((probability.runs, probability.steps), (1, 12));
        observe(&mut probability, 3, 3);
        assert_eq!(probability.runs, 0, "one more thread");
        probability.observe(3, Performers::default(), 10);
        assert_eq!(probability.runs, 0, "drawn over fewer steps");
    }

    #[test]
    fn depth_one_depends_on_the_threads_alone() {
        let mut probability = Probability::new(1);
        (0..2).for_each(|_| observe(&mut probability, 1000, 5));
        assert!((probability.per_run() - 0.2).abs() < 1e-12);
        assert!((probability.overall() - 0.2).abs() < 1e-12);
    }

    #[test]
    fn small_probabilities_are_not_rounded_to_nothing() {
        assert_eq!([rounded(0.0), rounded(0.25), rounded(0.000_012_34)], ["0.0000", "0.2500", "1.23e-5"]);
    }
}
