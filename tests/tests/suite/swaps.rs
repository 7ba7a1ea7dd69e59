//! Steps that the dependence table calls independent can be swapped, in the programs of the suite: `--filters swaps`
//! runs schedules by chance, swaps neighbours in them, and compares.
//!
//! Only a part of the programs is taken here; `scripts/swaps` takes all of them (`RSCALE_SWAPS=all`), and more
//! executions.

use rscale_tests::binary::rscale;
use rscale_tests::campaign::Campaign;
use rscale_tests::compile::compile;
use rscale_tests::expectation::Expectation;
use rscale_tests::process;
use rscale_tests::scratch::Scratch;
use rscale_tests::sources;
use rscale_tests::summary::Summary;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

/// Of so many programs, one is taken, if not all are.
const ONE_OF: usize = 8;
/// Runs of each program, most of which are swaps.
const RUNS: [&str; 2] = ["40", "150"];
/// The exit statuses of a run that shows a difference, or could not be made.
const DIFFERENT: i32 = 4;
const FAILED: i32 = 2;
/// Programs that differ, and why that is no fault of the table.
const EXCEPTIONS: [(&str, &str); 3] = [
    ("cpp/once_ok.cpp", "the C++ library compares the guard between steps, where nobody watches it"),
    ("interface/atomic_signal_ok.c", "whom a signal in an atomic section wakes is said inside the section"),
    ("mutex/freed_bug.c", "memory is given back between steps: whether a later step finds it is not in the table"),
];

#[test]
fn independent_steps_can_be_swapped() {
    let takes_all = std::env::var("RSCALE_SWAPS").is_ok_and(|choice| choice == "all");
    let programs = programs(if takes_all { 1 } else { ONE_OF });
    let scratch = Scratch::new(env!("CARGO_TARGET_TMPDIR"));
    let swaps = AtomicU64::new(0);
    let place = |worker| Bench {
        executable: scratch.file(&format!("program-{worker}")),
        trace: scratch.file(&format!("trace-{worker}.txt")),
        runs: RUNS[usize::from(takes_all)],
    };
    let mismatches = Campaign::of(programs.len() as u64).run(place, |bench, number| {
        let source = &programs[number as usize];
        let count = bench.swap(source).map_err(|problem| format!("{}: {problem}", source.display()))?;
        swaps.fetch_add(count, Ordering::Relaxed);
        Ok(())
    });
    let swaps = swaps.into_inner();
    println!("{} programs, {swaps} swaps", programs.len());
    mismatches.expect_none();
    assert!(swaps > 10 * programs.len() as u64, "the programs have become too simple");
}

/// Every so-many-th program that says what to search, sorted by name, without the exceptions.
fn programs(one_of: usize) -> Vec<PathBuf> {
    let is_exception = |path: &PathBuf| EXCEPTIONS.iter().any(|(name, _)| path.ends_with(name));
    // What lies beside the families are interpreters of random programs.
    let files = sources::all().into_iter().filter(|source| source.name.contains('/')).map(|source| source.path);
    files.filter(|path| !is_exception(path) && expectation(path).is_some()).step_by(one_of).collect()
}

/// What the program says about itself, if a search by chance can be made of it.
fn expectation(source: &Path) -> Option<Expectation> {
    let text = std::fs::read_to_string(source).expect("tests/programs can be read");
    let expectation = Expectation::of_source(&text).unwrap_or_else(|problem| panic!("{}: {problem}", source.display()));
    let has_own = |name: &str| expectation.options.iter().any(|option| option == name);
    let is_searched = expectation.verdict != "error" && !has_own("--filters") && !has_own("--max-executions");
    is_searched.then_some(expectation)
}

struct Bench {
    executable: PathBuf,
    trace: PathBuf,
    runs: &'static str,
}

impl Bench {
    /// Swaps steps of a program. Returns how many pairs there were.
    fn swap(&self, source: &Path) -> Result<u64, String> {
        let expectation = expectation(source).ok_or("the program says nothing about itself")?;
        let level = expectation.levels.first().map_or("-O1", String::as_str);
        let flags: Vec<&str> = std::iter::once(level).chain(expectation.flags.iter().map(String::as_str)).collect();
        compile(source, &self.executable, &flags)?;
        // Where accesses are no steps, they are ordered by chance.
        let scope = if expectation.scopes.iter().any(|scope| scope == "all") { "all" } else { "sync" };
        let mut command = Command::new(rscale());
        command.arg("run").arg(&self.executable).args(["--json", "-", "--quiet", "--scope", scope]);
        command.args(["--filters", "swaps", "--max-executions", self.runs, "--time-limit", "10s"]);
        command.arg("--trace").arg(&self.trace).args(&expectation.options);
        if !expectation.options.iter().any(|option| option == "--keep-going") {
            command.arg("--keep-going");
        }
        command.arg("--").args(&expectation.arguments);
        let finished = process::run(&mut command)?;
        if matches!(finished.status.code(), None | Some(DIFFERENT | FAILED)) {
            return Err(finished.describe());
        }
        Ok(Summary::parse(&finished.stdout)?.number("race_checks").unwrap_or(0))
    }
}
