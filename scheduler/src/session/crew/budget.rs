//! How many executions workers may still make, together.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

/// How long to wait for the executions of others, when they may turn out not to count.
const WAIT: Duration = Duration::from_micros(100);

/// A number of executions that is shared, exactly: whoever runs one takes it out before, and puts it back if the run
/// was cut.
pub struct Budget {
    /// None for any number.
    left: Option<AtomicU64>,
    /// Runs that are under way.
    running: AtomicU64,
    /// Whether runs count that were cut.
    counts_runs: bool,
    is_closed: AtomicBool,
}

/// Why there is no next run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Denied {
    /// All that were allowed have been made.
    UsedUp,
    /// The search is over.
    Closed,
}

impl Budget {
    /// So many executions, or any number.
    pub fn new(left: Option<u64>, counts_runs: bool) -> Budget {
        Budget {
            left: left.map(AtomicU64::new),
            running: AtomicU64::new(0),
            counts_runs,
            is_closed: AtomicBool::new(false),
        }
    }

    /// The search is over: nobody gets another run.
    pub fn close(&self) {
        self.is_closed.store(true, SeqCst);
    }

    /// Takes a run, and waits while it depends on others whether there is one.
    pub fn take(&self) -> Result<(), Denied> {
        loop {
            if self.is_closed.load(SeqCst) {
                return Err(Denied::Closed);
            }
            let Some(left) = &self.left else { return Ok(()) };
            self.running.fetch_add(1, SeqCst);
            if left.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1)).is_ok() {
                return Ok(());
            }
            if self.running.fetch_sub(1, SeqCst) == 1 {
                return Err(Denied::UsedUp);
            }
            thread::sleep(WAIT);
        }
    }

    /// The run is over, and was complete or not.
    pub fn settle(&self, is_execution: bool) {
        if let Some(left) = &self.left {
            left.fetch_add(u64::from(!is_execution && !self.counts_runs), SeqCst);
            self.running.fetch_sub(1, SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_were_cut_do_not_count() {
        let budget = Budget::new(Some(2), false);
        for is_execution in [true, false, true] {
            assert_eq!(budget.take(), Ok(()));
            budget.settle(is_execution);
        }
        assert_eq!(budget.take(), Err(Denied::UsedUp));
        let all = Budget::new(Some(1), true);
        assert_eq!(all.take(), Ok(()));
        all.settle(false);
        assert_eq!(all.take(), Err(Denied::UsedUp));
    }

    #[test]
    fn workers_make_exactly_as_many_as_allowed() {
        let budget = Budget::new(Some(1000), false);
        let work = |seed: u64| {
            let mut made = 0;
            for turn in seed.. {
                match budget.take() {
                    Ok(()) => {
                        let is_execution = turn % 3 != 0;
                        budget.settle(is_execution);
                        made += u64::from(is_execution);
                    }
                    Err(denied) => {
                        assert_eq!(denied, Denied::UsedUp);
                        break;
                    }
                }
            }
            made
        };
        let made = thread::scope(|scope| {
            let workers: Vec<_> = (0..4).map(|seed| scope.spawn(move || work(seed))).collect();
            workers.into_iter().map(|worker| worker.join().expect("no panic")).sum::<u64>()
        });
        assert_eq!(made, 1000);
    }

    #[test]
    fn a_closed_budget_gives_nothing() {
        let budget = Budget::new(None, false);
        assert_eq!(budget.take(), Ok(()));
        budget.close();
        assert_eq!(budget.take(), Err(Denied::Closed));
    }
}
