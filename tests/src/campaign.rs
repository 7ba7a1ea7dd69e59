//! Campaigns: the same check of many random programs, by several workers.
//!
//! Everything is deterministic: the n-th program is always the same one. `RSCALE_ORACLE_PROGRAMS` says how many there
//! are, `RSCALE_ORACLE_FIRST` with which one to begin, and `RSCALE_ORACLE_PROGRAM` names a single one to look at.

use crate::compile::compile;
use crate::scratch::Scratch;
use std::env;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

const WORKERS: usize = 2;
/// Mismatches that are shown, and outcomes in each of them: one mistake shows in many programs.
pub const SHOWN: usize = 5;

/// The programs of a campaign.
#[derive(Clone, Debug)]
pub struct Campaign {
    numbers: Range<u64>,
}

/// Programs that a check has failed for: their numbers, and why.
#[derive(Debug)]
pub struct Mismatches {
    found: Vec<(u64, String)>,
    programs: u64,
}

impl Campaign {
    /// So many programs, unless the environment says something else.
    ///
    /// # Panics
    /// When it says something that is no number.
    #[must_use]
    pub fn new(programs: u64) -> Campaign {
        let given = |name: &str| {
            let text = env::var(name).ok();
            text.map(|count| count.parse::<u64>().unwrap_or_else(|_| panic!("{name} is a number")))
        };
        let numbers = match given("RSCALE_ORACLE_PROGRAM") {
            Some(number) => number..number + 1,
            None => {
                let first = given("RSCALE_ORACLE_FIRST").unwrap_or(0);
                first..first + given("RSCALE_ORACLE_PROGRAMS").unwrap_or(programs)
            }
        };
        Campaign { numbers }
    }

    /// So many programs, whatever the environment says.
    #[must_use]
    pub fn of(programs: u64) -> Campaign {
        Campaign { numbers: 0..programs }
    }

    /// How many programs there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.numbers.end - self.numbers.start
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Whether somebody looks at one program: what is true of many need not be true of it.
    #[must_use]
    pub fn is_single(&self) -> bool {
        self.len() == 1
    }

    /// Checks every program. Each worker has a place of its own to work in, which is made for its number.
    ///
    /// # Panics
    /// When a check panics.
    pub fn run<W: Send>(
        &self,
        worker: impl Fn(usize) -> W,
        check: impl Fn(&W, u64) -> Result<(), String> + Sync,
    ) -> Mismatches {
        let (next, found) = (AtomicU64::new(self.numbers.start), Mutex::new(Vec::new()));
        let end = self.numbers.end;
        thread::scope(|scope| {
            for place in (0..WORKERS).map(worker) {
                let (next, found, check) = (&next, &found, &check);
                scope.spawn(move || {
                    while let Some(number) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&number| number < end) {
                        if let Err(problem) = check(&place, number) {
                            found.lock().expect("no worker panics").push((number, problem));
                        }
                    }
                });
            }
        });
        let mut found = found.into_inner().expect("no worker panics");
        found.sort();
        Mismatches { found, programs: self.len() }
    }
}

impl Mismatches {
    /// Shows the first ones, if there are some.
    ///
    /// # Panics
    /// Then.
    pub fn expect_none(&self) {
        let Mismatches { found, programs } = self;
        for (number, problem) in found.iter().take(SHOWN) {
            eprintln!("program {number}: {problem}\n");
        }
        assert!(found.is_empty(), "{} of {programs} programs differ; the first ones stand above", found.len());
    }
}

/// Compiles a program of the suite that interprets random programs.
///
/// # Panics
/// When it does not compile.
#[must_use]
pub fn interpreter(scratch: &Scratch, name: &str, level: &str) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs").join(name);
    let interpreter = scratch.file(&format!("interpreter{level}"));
    compile(&source, &interpreter, &[level]).expect("the interpreter compiles");
    interpreter
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_is_checked_once_and_failures_are_sorted() {
        let campaign = Campaign { numbers: 3..40 };
        let seen = Mutex::new(Vec::new());
        let check = |_: &usize, number: u64| {
            seen.lock().expect("no check panics").push(number);
            if number.is_multiple_of(10) { Err(format!("{number} ends with a zero")) } else { Ok(()) }
        };
        let mismatches = campaign.run(|worker| worker, check);
        let mut seen = seen.into_inner().expect("no check panics");
        seen.sort_unstable();
        assert_eq!(seen, (3..40).collect::<Vec<_>>());
        let numbers: Vec<u64> = mismatches.found.iter().map(|found| found.0).collect();
        assert_eq!((numbers, mismatches.programs), (vec![10, 20, 30], 37));
    }

    #[test]
    #[should_panic(expected = "1 of 2 programs differ")]
    fn a_mismatch_fails_the_test() {
        let check = |_: &(), number: u64| if number == 1 { Err("other".to_owned()) } else { Ok(()) };
        Campaign { numbers: 0..2 }.run(|_| (), check).expect_none();
    }
}
