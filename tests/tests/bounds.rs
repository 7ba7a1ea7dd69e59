//! Bounded searches and brute force agree on random programs: as many schedules within the bound, and the same ends.
//!
//! Everything is deterministic: the n-th program is always the same one.

use rscale_tests::binary::rscale;
use rscale_tests::compile::compile;
use rscale_tests::oracle::{Cost, Enumeration, Program, Random, count_paths, enumerate_within, generate};
use rscale_tests::process;
use rscale_tests::scratch::Scratch;
use rscale_tests::summary::Summary;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Programs to compare; `RSCALE_ORACLE_PROGRAMS` overrides it.
const PROGRAMS: u64 = 60;
/// Programs with fewer or more schedules are passed over: they say little, or take long.
const PATHS: std::ops::RangeInclusive<u64> = 20..=1000;
/// Explaining a deadlock takes rscale a hundred times as long as an execution.
const MOST_DEADLOCKS: u64 = 40;

struct Bench {
    interpreter: PathBuf,
    trace: PathBuf,
}

#[test]
fn bounds_cut_what_costs_more_and_nothing_else() {
    let scratch = Scratch::new(env!("CARGO_TARGET_TMPDIR"));
    let bench = Bench { interpreter: scratch.file("interpreter"), trace: scratch.file("trace.txt") };
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/interpreter.c");
    compile(&source, &bench.interpreter, &["-O1"]).expect("the interpreter compiles");
    let wanted = std::env::var("RSCALE_ORACLE_PROGRAMS").ok();
    let wanted = wanted.map_or(PROGRAMS, |count| count.parse().expect("RSCALE_ORACLE_PROGRAMS is a number"));
    let (mut schedules, mut with_deadlock) = (0, 0);
    for number in 0..wanted {
        let program = program(number);
        for (cost, filter) in [(Cost::Preemptions, "pb"), (Cost::Delays, "delay")] {
            for bound in 0..3 {
                let truth = enumerate_within(&program, cost, bound);
                // Another order of exploration finds the same.
                let seed = if bound == 1 { "7" } else { "0" };
                let options = ["--filters", &format!("{filter}={bound}"), "--seed", seed];
                if let Err(problem) = bench.compare(&program, &options, &truth) {
                    panic!("program {number}: {program}\n  {options:?}: {problem}");
                }
                schedules += truth.paths;
                with_deadlock += u64::from(truth.deadlocks > 0);
            }
        }
    }
    println!("{wanted} programs, {schedules} schedules within bounds, {with_deadlock} searches with deadlocks");
    assert!(schedules > 20 * wanted && with_deadlock > wanted / 20, "the programs have become too simple");
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

impl Bench {
    fn compare(&self, program: &Program, options: &[&str], truth: &Enumeration) -> Result<(), String> {
        let summary = self.explore(program, options)?;
        if summary.number("executions") != Some(truth.paths) {
            return Err(format!("{} executions, enumerated {}", summary.0["executions"], truth.paths));
        }
        if truth.deadlocks > 0 && !summary.has_finding("deadlock") {
            return Err(format!("none of {} deadlocks was found", truth.deadlocks));
        }
        // Runs that were cut show their ends too, but none of them is an execution within the bound.
        let expected: BTreeSet<String> = truth.total.iter().map(|text| format!("{text}\n")).collect();
        let rows = summary.0["outcomes"].as_array().map_or(&[][..], Vec::as_slice);
        let within = rows.iter().filter(|row| row["executions"].as_u64() > Some(0));
        let got: BTreeSet<String> = within.filter_map(|row| row["stdout"].as_str().map(str::to_owned)).collect();
        if got == expected { Ok(()) } else { Err(format!("outcomes {got:?}, enumerated {expected:?}")) }
    }

    fn explore(&self, program: &Program, options: &[&str]) -> Result<Summary, String> {
        let mut command = Command::new(rscale());
        command.arg("run").arg(&self.interpreter).args(["--scope", "sync", "--keep-going", "--outcomes", "--quiet"]);
        command.args(["--json", "-", "--trace"]).arg(&self.trace).args(options);
        command.arg("--").arg(program.to_string()).arg("total");
        let finished = process::run(&mut command)?;
        Summary::parse(&finished.stdout).map_err(|problem| format!("{problem}\n{}", finished.err()))
    }
}
