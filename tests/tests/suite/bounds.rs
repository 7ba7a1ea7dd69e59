//! Bounded searches and brute force agree on random programs: as many schedules within the bound, and the same ends.
//!
//! `scripts/oracle` runs ten times as many programs; `campaign.rs` says how to look at a single one.

use rscale_tests::binary::rscale;
use rscale_tests::campaign::{Campaign, interpreter};
use rscale_tests::oracle::{Cost, Enumeration, Program, Random, count_paths, enumerate_within, generate};
use rscale_tests::process;
use rscale_tests::scratch::Scratch;
use rscale_tests::summary::Summary;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

/// Programs to compare; `RSCALE_ORACLE_PROGRAMS` overrides it.
const PROGRAMS: u64 = 60;
/// Programs with fewer or more schedules are passed over: they say little, or take long.
const PATHS: std::ops::RangeInclusive<u64> = 20..=1000;
/// Explaining a deadlock takes rscale a hundred times as long as an execution.
const MOST_DEADLOCKS: u64 = 40;

struct Bench<'a> {
    interpreter: &'a Path,
    trace: PathBuf,
}

#[test]
fn bounds_cut_what_costs_more_and_nothing_else() {
    let scratch = Scratch::new(env!("CARGO_TARGET_TMPDIR"));
    let interpreter = interpreter(&scratch, "interpreter.c", "-O1");
    let campaign = Campaign::new(PROGRAMS);
    let (schedules, with_deadlock) = (AtomicU64::new(0), AtomicU64::new(0));
    let bench = |worker| Bench { interpreter: &interpreter, trace: scratch.file(&format!("trace-{worker}.txt")) };
    let mismatches = campaign.run(bench, |bench, number| {
        let program = program(number);
        for (cost, filter) in [(Cost::Preemptions, "pb"), (Cost::Delays, "delay")] {
            let last = enumerate_within(&program, cost, 2);
            let compared = bench.compare(&program, &["--filters", &format!("{filter}=0..2")], &last);
            compared.map_err(|problem| format!("{program}\n  {filter}=0..2, which repeats nothing: {problem}"))?;
            for bound in 0..3 {
                let truth = enumerate_within(&program, cost, bound);
                // Another order of exploration finds the same.
                let seed = if bound == 1 { "7" } else { "0" };
                let options = ["--filters", &format!("{filter}={bound}"), "--seed", seed];
                let compared = bench.compare(&program, &options, &truth);
                compared.map_err(|problem| format!("{program}\n  {options:?}: {problem}"))?;
                schedules.fetch_add(truth.paths, Ordering::Relaxed);
                with_deadlock.fetch_add(u64::from(truth.deadlocks > 0), Ordering::Relaxed);
            }
        }
        Ok(())
    });
    let (wanted, schedules, with_deadlock) = (campaign.len(), schedules.into_inner(), with_deadlock.into_inner());
    println!("{wanted} programs, {schedules} schedules within bounds, {with_deadlock} searches with deadlocks");
    mismatches.expect_none();
    let are_interesting = schedules > 20 * wanted && with_deadlock > wanted / 20;
    assert!(campaign.is_single() || are_interesting, "the programs have become too simple");
}

/// The program of this number: the first one of its sequence that has some schedules, but not too many.
fn program(number: u64) -> Program {
    let mut random = Random::new(number);
    loop {
        let program = generate(&mut random);
        let has_few_deadlocks = || enumerate_within(&program, Cost::Delays, 1000).deadlocks <= MOST_DEADLOCKS;
        if PATHS.contains(&count_paths(&program)) && has_few_deadlocks() {
            return program;
        }
    }
}

impl Bench<'_> {
    fn compare(&self, program: &Program, options: &[&str], truth: &Enumeration) -> Result<(), String> {
        let summary = self.explore(program, options)?;
        if summary.number("executions") != Some(truth.paths) {
            return Err(format!("{} executions, enumerated {}", summary.0["executions"], truth.paths));
        }
        if truth.deadlocks > 0 && !summary.has_finding("deadlock") {
            return Err(format!("none of {} deadlocks was found", truth.deadlocks));
        }
        let expected: BTreeSet<(i64, String)> = truth.total.iter().map(|text| (0, format!("{text}\n"))).collect();
        let got = summary.outcomes();
        if got == expected { Ok(()) } else { Err(format!("outcomes {got:?}, enumerated {expected:?}")) }
    }

    fn explore(&self, program: &Program, options: &[&str]) -> Result<Summary, String> {
        let mut command = Command::new(rscale());
        command.arg("run").arg(self.interpreter).args(["--scope", "sync", "--keep-going", "--outcomes", "--quiet"]);
        command.args(["--json", "-", "--trace"]).arg(&self.trace).args(options);
        command.arg("--").arg(program.to_string()).arg("total");
        let finished = process::run(&mut command)?;
        Summary::parse(&finished.stdout).map_err(|problem| format!("{problem}\n{}", finished.err()))
    }
}
