//! rscale and the oracle agree on thousands of random programs: on the number of schedules, on the set of outcomes and
//! on deadlocks; and a reduction or another order of exploration loses nothing.
//!
//! `scripts/oracle` runs ten times as many programs; `campaign.rs` says how to look at a single one.

use rscale_tests::binary::rscale;
use rscale_tests::campaign::{Campaign, SHOWN, interpreter};
use rscale_tests::oracle::{Enumeration, Program, Random, count_paths, enumerate, generate};
use rscale_tests::process;
use rscale_tests::scratch::Scratch;
use rscale_tests::summary::Summary;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

/// Programs to compare; `RSCALE_ORACLE_PROGRAMS` overrides it.
const PROGRAMS: u64 = 1200;
/// Programs with more schedules are passed over, so that none takes long.
const MOST_PATHS: u64 = 1000;
/// Explaining a deadlock takes rscale a hundred times as long as an execution.
const MOST_DEADLOCKS: u64 = 20;
/// Filters that lose no outcome; each program takes one of them beside `nsb`.
const REDUCTIONS: [&str; 7] = ["optimal", "nsb=4", "source", "superstep", "dpor", "nsb,superstep", "epor"];

#[test]
fn rscale_agrees_with_brute_force() {
    let scratch = Scratch::new(env!("CARGO_TARGET_TMPDIR"));
    let interpreter = interpreter(&scratch, "interpreter.c", "-O1");
    let campaign = Campaign::new(PROGRAMS);
    let (schedules, with_deadlock) = (AtomicU64::new(0), AtomicU64::new(0));
    let bench = |worker| Bench { interpreter: &interpreter, trace: scratch.file(&format!("trace-{worker}.txt")) };
    let mismatches = campaign.run(bench, |bench, number| {
        let (program, truth) = program(number);
        schedules.fetch_add(truth.paths, Ordering::Relaxed);
        with_deadlock.fetch_add(u64::from(truth.deadlocks > 0), Ordering::Relaxed);
        bench.compare(number, &program, &truth).map_err(|problem| format!("{program}\n  {problem}"))
    });
    let (wanted, schedules, with_deadlock) = (campaign.len(), schedules.into_inner(), with_deadlock.into_inner());
    println!("{wanted} programs, {with_deadlock} of them with deadlocks, {schedules} schedules");
    mismatches.expect_none();
    let are_interesting = schedules > 10 * wanted && with_deadlock > wanted / 20;
    assert!(campaign.is_single() || are_interesting, "the programs have become too simple");
}

/// The program of this number, and all about it: the first one of its sequence that is small enough.
fn program(number: u64) -> (Program, Enumeration) {
    let mut random = Random::new(number);
    loop {
        let program = generate(&mut random);
        if count_paths(&program) <= MOST_PATHS {
            let truth = enumerate(&program);
            if truth.deadlocks <= MOST_DEADLOCKS {
                return (program, truth);
            }
        }
    }
}

struct Bench<'a> {
    interpreter: &'a Path,
    trace: PathBuf,
}

impl Bench<'_> {
    fn compare(&self, number: u64, program: &Program, truth: &Enumeration) -> Result<(), String> {
        let all = self.explore(program, "total", &["--filters", ""])?;
        expect_same(&all, truth, &truth.total, "--filters \"\"")?;
        let shuffled = self.explore(program, "total", &["--filters", "", "--seed", "7"])?;
        expect_same(&shuffled, truth, &truth.total, "--filters \"\" --seed 7")?;
        for filters in ["nsb", REDUCTIONS[number as usize % REDUCTIONS.len()]] {
            let reduced = self.explore(program, "joined", &["--filters", filters])?;
            if reduced.number("executions").is_none_or(|executions| executions > truth.paths) {
                let executions = reduced.number("executions");
                return Err(format!("{filters}: {executions:?} executions, without it {}", truth.paths));
            }
            expect_same_ends(&reduced, truth, &truth.joined, filters)?;
        }
        Ok(())
    }

    fn explore(&self, program: &Program, print: &str, options: &[&str]) -> Result<Summary, String> {
        let mut command = Command::new(rscale());
        command.arg("run").arg(self.interpreter).args(["--scope", "sync", "--keep-going", "--outcomes", "--quiet"]);
        command.args(["--json", "-", "--trace"]).arg(&self.trace).args(options);
        command.arg("--").arg(program.to_string()).arg(print);
        let finished = process::run(&mut command)?;
        let summary = Summary::parse(&finished.stdout).map_err(|problem| format!("{problem}\n{}", finished.err()))?;
        let is_explored = matches!(summary.text("verdict"), "clean" | "bug") && summary.0["complete"] == true;
        if is_explored { Ok(summary) } else { Err(format!("{options:?}: {}", finished.describe())) }
    }
}

/// Same number of schedules, and the same ends.
fn expect_same(
    summary: &Summary,
    truth: &Enumeration,
    outcomes: &BTreeSet<String>,
    options: &str,
) -> Result<(), String> {
    if summary.number("runs") != Some(truth.paths) {
        return Err(format!("{options}: {:?} runs, enumerated {}", summary.number("runs"), truth.paths));
    }
    expect_same_ends(summary, truth, outcomes, options)
}

fn expect_same_ends(
    summary: &Summary,
    truth: &Enumeration,
    outcomes: &BTreeSet<String>,
    options: &str,
) -> Result<(), String> {
    if summary.has_finding("deadlock") != (truth.deadlocks > 0) {
        let findings = &summary.0["findings"];
        return Err(format!("{options}: enumerated {} deadlocks, findings {findings}", truth.deadlocks));
    }
    if let Some(other) = summary.findings().iter().find(|finding| finding["kind"] != "deadlock") {
        return Err(format!("{options}: an unexpected finding: {other}"));
    }
    let expected: BTreeSet<(i64, String)> = outcomes.iter().map(|text| (0, format!("{text}\n"))).collect();
    let got = summary.outcomes();
    if got == expected {
        return Ok(());
    }
    let missing: Vec<_> = expected.difference(&got).take(SHOWN).collect();
    let surplus: Vec<_> = got.difference(&expected).take(SHOWN).collect();
    Err(format!("{options}: outcomes that are missing: {missing:?}; that can not be: {surplus:?}"))
}
