//! Bounded searches and brute force agree on random programs: every outcome and every deadlock that can be reached with
//! so many preemptions is found. The naive method is shown to miss some.
//!
//! The programs are those of `trace_oracle.rs`. Executions that were run are not compared trace by trace: that there
//! are at least as many as traces within the bound is checked, and what they end with. The lazy method has exactly one
//! for each.

use rscale_tests::binary::rscale;
use rscale_tests::campaign::{Campaign, SHOWN, interpreter};
use rscale_tests::oracle::Random;
use rscale_tests::process;
use rscale_tests::scratch::Scratch;
use rscale_tests::summary::Summary;
use rscale_tests::trace_oracle::{Enumeration, Limits, Program, enumerate, enumerate_within, generate};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

/// Programs to compare; `RSCALE_ORACLE_PROGRAMS` overrides it.
const PROGRAMS: u64 = 150;
/// Programs with more traces are passed over, so that none takes long.
const LIMITS: Limits = Limits { traces: 500, beginnings: 20_000 };
/// Explaining a deadlock takes rscale a hundred times as long as an execution.
const MOST_DEADLOCKS: u64 = 10;
const LARGEST_BOUND: usize = 2;
/// Those that miss nothing.
const COMPLETE: [&str; 3] = ["bpor", "source-bpor", LAZY];
/// The one that counts what a trace needs, and not how it was interleaved.
const LAZY: &str = "lazy-bpor";
/// Workers: each search of every other program is run once more, and shared.
const ALONE: &str = "1";
const TOGETHER: &str = "3";

struct Subject {
    program: Program,
    all: Enumeration,
    /// What can happen with at most so many preemptions.
    within: Vec<Enumeration>,
    /// How many of the numbers of workers it is run with.
    shares: usize,
}

#[test]
fn bounded_searches_miss_nothing_within_the_bound() {
    let scratch = Scratch::new(env!("CARGO_TARGET_TMPDIR"));
    let interpreter = interpreter(&scratch, "trace_interpreter.c", "-O1");
    let campaign = Campaign::new(PROGRAMS);
    let naive_misses = AtomicU64::new(0);
    let bench = |worker| Bench { interpreter: &interpreter, trace: scratch.file(&format!("trace-{worker}.txt")) };
    let mismatches = campaign.run(bench, |bench, number| {
        let subject = subject(number);
        let is_missed = bench.compare(&subject, &["naive-bpor"]).is_err();
        naive_misses.fetch_add(u64::from(is_missed), Ordering::Relaxed);
        bench.compare(&subject, &COMPLETE).map_err(|problem| format!("{}\n  {problem}", subject.program))
    });
    let (naive_misses, programs) = (naive_misses.into_inner(), campaign.len());
    println!("{programs} programs; naive-bpor misses something in {naive_misses} of them");
    mismatches.expect_none();
    assert!(campaign.is_single() || naive_misses > 0, "naive-bpor has become sound, or the programs too simple");
}

/// The program of this number: the first one of its sequence that is small, but not trivial.
fn subject(number: u64) -> Subject {
    let mut random = Random::new(number);
    loop {
        let program = generate(&mut random);
        if let Some(all) = enumerate(&program, LIMITS)
            && all.traces > 1
            && all.deadlocks <= MOST_DEADLOCKS
        {
            let within = enumerate_within(&program, LARGEST_BOUND);
            return Subject { program, all, within, shares: 1 + number as usize % 2 };
        }
    }
}

struct Bench<'a> {
    interpreter: &'a Path,
    trace: PathBuf,
}

impl Bench<'_> {
    fn compare(&self, subject: &Subject, methods: &[&str]) -> Result<(), String> {
        for (bound, within) in subject.within.iter().enumerate() {
            for method in methods {
                let filters = format!("{method}={bound}");
                for jobs in [ALONE, TOGETHER].into_iter().take(subject.shares) {
                    let named = |problem| format!("--filters {filters} --jobs {jobs}: {problem}");
                    let summary = self.explore(&subject.program, &filters, jobs).map_err(named)?;
                    expect_nothing_missed(&summary, within).map_err(named)?;
                    expect_nothing_invented(&summary, &subject.all).map_err(named)?;
                    if *method == LAZY {
                        expect_no_more_than(&summary, within, &subject.all).map_err(named)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn explore(&self, program: &Program, filters: &str, jobs: &str) -> Result<Summary, String> {
        let mut command = Command::new(rscale());
        command.arg("run").arg(self.interpreter).args(["--scope", "all", "--keep-going", "--outcomes", "--quiet"]);
        command.args(["--jobs", jobs, "--alone", "0"]);
        command.args(["--json", "-", "--filters", filters, "--trace"]).arg(&self.trace);
        command.arg("--").arg(program.to_string());
        let finished = process::run(&mut command)?;
        let summary = Summary::parse(&finished.stdout).map_err(|problem| format!("{problem}\n{}", finished.err()))?;
        let is_explored = matches!(summary.text("verdict"), "clean" | "bug" | "incomplete");
        if is_explored { Ok(summary) } else { Err(finished.describe()) }
    }
}

fn outcomes(enumeration: &Enumeration) -> BTreeSet<(i64, String)> {
    enumeration.outcomes.iter().map(|text| (0, format!("{text}\n"))).collect()
}

fn expect_nothing_missed(summary: &Summary, within: &Enumeration) -> Result<(), String> {
    if within.deadlocks > 0 && !summary.has_finding("deadlock") {
        return Err(format!("enumerated {} deadlocks, findings {}", within.deadlocks, summary.0["findings"]));
    }
    let expected = outcomes(within);
    let missing: Vec<_> = expected.difference(&summary.outcomes()).take(SHOWN).cloned().collect();
    if !missing.is_empty() {
        return Err(format!("outcomes that are missing: {missing:?}"));
    }
    match summary.number("executions") {
        Some(executions) if executions >= within.traces => Ok(()),
        executions => Err(format!("{executions:?} executions for {} traces", within.traces)),
    }
}

/// Each trace within the bound is run once. A deadlock that needs more may be among them: whether a thread was stopped
/// that never goes on again is known when it is too late.
fn expect_no_more_than(summary: &Summary, within: &Enumeration, all: &Enumeration) -> Result<(), String> {
    let most = within.traces + all.deadlocks - within.deadlocks;
    match summary.number("executions") {
        Some(executions) if executions <= most => Ok(()),
        executions => Err(format!("{executions:?} executions for {} traces, each of which is run once", within.traces)),
    }
}

fn expect_nothing_invented(summary: &Summary, all: &Enumeration) -> Result<(), String> {
    let surplus: Vec<_> = summary.outcomes().difference(&outcomes(all)).take(SHOWN).cloned().collect();
    if surplus.is_empty() { Ok(()) } else { Err(format!("outcomes that can not be: {surplus:?}")) }
}
