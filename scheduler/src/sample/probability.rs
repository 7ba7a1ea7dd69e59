//! What `pct` promises: a run finds a bug of depth D with a probability of at least 1/(n*k^(D-1)), where n threads take k
//! steps (Burckhardt et al., theorem 9). The depth of a bug is how many constraints on the order of steps it takes.
//!
//! The change points of a run are drawn over the longest execution before it. So runs count from where neither the
//! number of threads nor that of steps has grown any more. What can time out or wake spuriously has a priority of its
//! own, and counts as a thread.

use crate::report::count;
use rscale_protocol::ThreadSet;
use rscale_protocol::arena::Step;

/// How likely a bug was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Probability {
    /// The depth of the bugs.
    depth: u64,
    /// Who can take a step, in each way.
    performers: [ThreadSet; 3],
    /// Steps of the longest execution.
    pub(super) steps: u64,
    /// Runs with change points over that many steps.
    runs: u64,
}

impl Probability {
    /// Nothing has been run.
    #[must_use]
    pub fn new(depth: u64) -> Probability {
        Probability { depth, performers: [ThreadSet::EMPTY; 3], steps: 0, runs: 0 }
    }

    /// Change points in a run.
    #[must_use]
    pub fn changes(&self) -> usize {
        self.depth.saturating_sub(1) as usize
    }

    /// A run has taken these steps.
    pub fn observe(&mut self, steps: &[Step]) {
        let mut performers = self.performers;
        for step in steps {
            for (all, enabled) in performers.iter_mut().zip(step.enabled) {
                enabled.iter().for_each(|thread| all.insert(thread));
            }
        }
        let has_grown = performers != self.performers || steps.len() as u64 > self.steps;
        self.performers = performers;
        self.steps = self.steps.max(steps.len() as u64);
        self.runs = if has_grown { 0 } else { self.runs + 1 };
    }

    fn threads(&self) -> u64 {
        self.performers.iter().map(|set| set.len() as u64).sum()
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
    use rscale_protocol::{Action, Choice, Op, ThreadId, Variable};

    fn steps(length: usize, threads: u16) -> Vec<Step> {
        let enabled = [(0..threads).map(ThreadId).collect(), ThreadSet::EMPTY, ThreadSet::EMPTY];
        let action = Action::new(ThreadId(0), Op::MutexUnlock, Variable(64));
        vec![Step { action, choice: Choice::Proceed, result: 0, enabled }; length]
    }

    #[test]
    fn the_bound_is_that_of_the_theorem() {
        let mut probability = Probability::new(3);
        assert_eq!(probability.overall(), 0.0, "nothing was run");
        (0..101).for_each(|_| probability.observe(&steps(10, 4)));
        assert!((probability.per_run() - 1.0 / 400.0).abs() < 1e-12);
        assert!((probability.overall() - (1.0 - (1.0 - 1.0 / 400.0f64).powi(100))).abs() < 1e-12);
        assert!(probability.in_words().contains("1/(4*10^2) = 0.0025"), "{}", probability.in_words());
        assert!(probability.in_words().contains("the 100 runs"), "{}", probability.in_words());
    }

    #[test]
    fn runs_over_fewer_steps_do_not_count() {
        let mut probability = Probability::new(2);
        (0..10).for_each(|_| probability.observe(&steps(10, 2)));
        probability.observe(&steps(12, 2));
        assert_eq!((probability.runs, probability.steps), (0, 12));
        probability.observe(&steps(3, 2));
        assert_eq!((probability.runs, probability.steps), (1, 12));
        probability.observe(&steps(3, 3));
        assert_eq!(probability.runs, 0, "one more thread");
    }

    #[test]
    fn depth_one_depends_on_the_threads_alone() {
        let mut probability = Probability::new(1);
        (0..2).for_each(|_| probability.observe(&steps(1000, 5)));
        assert!((probability.per_run() - 0.2).abs() < 1e-12);
        assert!((probability.overall() - 0.2).abs() < 1e-12);
    }

    #[test]
    fn small_probabilities_are_not_rounded_to_nothing() {
        assert_eq!([rounded(0.0), rounded(0.25), rounded(0.000_012_34)], ["0.0000", "0.2500", "1.23e-5"]);
    }
}
