//! Every program below `tests/programs` does under rscale what the comment at its top says.
//!
//! Each file is a case of its own: compiled at each level, run under each isolation level, its findings replayed. Words
//! on the command line select cases by a part of their name: `cargo test -p rscale-tests --test programs -- mutex
//! rwlock`.

mod cases;

use cases::Case;
use rscale_tests::sources::{self, Source};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Cases at a time: a case keeps one core busy with rscale and one with the program.
const WORKERS: usize = 2;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let cases: Vec<Case> =
        sources::all().into_iter().map(|Source { name, path }| Case { name, source: path }).collect();
    let all = cases.len();
    let chosen: Vec<Case> = cases
        .into_iter()
        .filter(|case| words.is_empty() || words.iter().any(|word| case.name.contains(word)))
        .collect();
    println!("\nrunning {} of {all} programs with {}", chosen.len(), rscale_tests::binary::rscale().display());
    let start = Instant::now();
    let failures = run_all(&chosen);
    for (name, problems) in &failures {
        println!("\n---- {name} ----");
        problems.iter().for_each(|problem| println!("{problem}"));
    }
    let result = if failures.is_empty() && all > 0 { "ok" } else { "FAILED" };
    let passed = chosen.len() - failures.len();
    println!(
        "\nprograms: {result}. {passed} passed; {} failed; {} left out by name; {:.1} s",
        failures.len(),
        all - chosen.len(),
        start.elapsed().as_secs_f64()
    );
    failures.iter().for_each(|(name, problems)| println!("  failed: {name} ({} problems)", problems.len()));
    if result == "ok" { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs the cases, a few at a time, and returns those that failed, by name.
fn run_all(cases: &[Case]) -> Vec<(String, Vec<String>)> {
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let start = Instant::now();
                    let problems = case.problems();
                    let result = if problems.is_empty() { "ok" } else { "FAILED" };
                    println!("program {} ... {result} ({:.1} s)", case.name, start.elapsed().as_secs_f64());
                    if !problems.is_empty() {
                        failures.lock().expect("no worker panics").push((case.name.clone(), problems));
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().expect("no worker panics");
    failures.sort();
    failures
}
