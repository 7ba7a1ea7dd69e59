//! rscale and brute force agree on what random programs can do under TSO and PSO: store buffers lose no outcome and invent
//! none, whatever the widths of accesses, the bound of the buffers and the filters.
//!
//! Everything is deterministic: the n-th program is always the same one. `scripts/oracle` runs more of them.
//! `RSCALE_ORACLE_PROGRAM` names a single one to look at.

use rscale_tests::access_oracle::{
    Copying, Enumeration, Memory, Model, Program, count_paths, enumerate, generate_weak,
};
use rscale_tests::binary::rscale;
use rscale_tests::compile::compile;
use rscale_tests::oracle::Random;
use rscale_tests::process;
use rscale_tests::scratch::Scratch;
use rscale_tests::summary::Summary;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Programs to compare; `RSCALE_ORACLE_PROGRAMS` overrides it.
const PROGRAMS: u64 = 200;
/// Programs with more states or schedules are passed over, so that none takes long.
const MOST_STATES: usize = 3000;
const MOST_PATHS: u64 = 200_000;
/// Programs with more schedules are not explored without a reduction.
const MOST_PATHS_UNREDUCED: u64 = 60;
/// Explaining that threads wait for ever takes rscale a hundred times as long as an execution.
const MOST_PATHS_STUCK: u64 = 100;
const WORKERS: usize = 2;
/// Mismatches that are shown: one mistake shows in many programs.
const SHOWN: usize = 5;
/// Filters that lose no outcome; each program takes one of them beside the default.
const REDUCTIONS: [&str; 4] = ["source", "dpor", "nsb", "nsb,lcd"];
const LEVELS: [&str; 2] = ["-O0", "-O2"];
const PLACES: [&str; 4] = ["global", "heap", "stack", "tls"];

/// A program, the memory model that it is to be run under, and what it can do there.
struct Case {
    number: u64,
    program: Program,
    memory: Memory,
    truth: Enumeration,
    paths: u64,
    /// Whether it can do more than under sequential consistency.
    is_weak: bool,
}

#[test]
fn rscale_agrees_with_explicit_store_buffers() {
    let scratch = Scratch::new(env!("CARGO_TARGET_TMPDIR"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/access_interpreter.c");
    let interpreters = LEVELS.map(|level| {
        let interpreter = scratch.file(&format!("interpreter{level}"));
        compile(&source, &interpreter, &[level]).expect("the interpreter compiles");
        interpreter
    });
    let numbers = numbers();
    let (next, mismatches) = (AtomicU64::new(numbers.start), Mutex::new(Vec::new()));
    let weak = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for worker in 0..WORKERS {
            let bench = Bench { interpreters: &interpreters, trace: scratch.file(&format!("trace-{worker}.txt")) };
            let (next, mismatches, weak, end) = (&next, &mismatches, &weak, numbers.end);
            scope.spawn(move || {
                while let Some(number) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&number| number < end) {
                    let case = case(number);
                    weak.fetch_add(case.is_weak.into(), Ordering::Relaxed);
                    if let Err(problem) = bench.compare(&case) {
                        let program = format!("{:?} {}", case.memory, case.program);
                        mismatches.lock().expect("no worker panics").push((number, program, problem));
                    }
                }
            });
        }
    });
    let (wanted, weak) = (numbers.end - numbers.start, weak.into_inner());
    println!("{wanted} programs, {weak} of them with outcomes that sequential consistency does not have");
    let mut mismatches = mismatches.into_inner().expect("no worker panics");
    mismatches.sort();
    for (number, program, problem) in mismatches.iter().take(SHOWN) {
        eprintln!("program {number}: {program}\n  {problem}\n");
    }
    assert!(wanted == 1 || weak * 2 > wanted, "the programs have become too simple");
    assert!(mismatches.is_empty(), "{} of {wanted} programs differ; the first ones stand above", mismatches.len());
}

fn numbers() -> std::ops::Range<u64> {
    let given = |name: &str| {
        let text = std::env::var(name).ok();
        text.map(|count| count.parse::<u64>().unwrap_or_else(|_| panic!("{name} is a number")))
    };
    match given("RSCALE_ORACLE_PROGRAM") {
        Some(number) => number..number + 1,
        None => 0..given("RSCALE_ORACLE_PROGRAMS").unwrap_or(PROGRAMS),
    }
}

/// The program of this number, and all about it: the first one of its sequence that is small enough.
fn case(number: u64) -> Case {
    let mut random = Random::new(number);
    let model = random.pick(&[Model::Tso, Model::Pso]);
    let bound = random.pick(&[None, None, None, None, Some(0), Some(1), Some(1), Some(2)]);
    let memory = Memory { model, bound };
    loop {
        let program = generate_weak(&mut random);
        let Some(truth) = enumerate(&program, memory, Copying::Words, MOST_STATES) else { continue };
        let Some(strong) = enumerate(&program, Memory::SC, Copying::Words, MOST_STATES) else { continue };
        let paths = count_paths(&program, memory, Copying::Words);
        let is_stuck = truth.has_livelock || truth.has_deadlock;
        let is_weak = truth.outcomes != strong.outcomes;
        if !is_weak && bound != Some(0) && !number.is_multiple_of(4) {
            continue; // most programs of this size can do no more than under sequential consistency
        }
        if paths <= if is_stuck { MOST_PATHS_STUCK } else { MOST_PATHS } {
            return Case { number, program, memory, truth, paths, is_weak };
        }
    }
}

struct Bench<'a> {
    interpreters: &'a [PathBuf],
    trace: PathBuf,
}

impl Bench<'_> {
    fn compare(&self, case: &Case) -> Result<(), String> {
        self.compare_with(case, &[])?;
        let filters = REDUCTIONS[case.number as usize / (LEVELS.len() * PLACES.len()) % REDUCTIONS.len()];
        self.compare_with(case, &["--filters", filters])?;
        if case.paths <= MOST_PATHS_UNREDUCED && !case.program.has_loops() {
            self.compare_with(case, &["--filters", ""])?;
        }
        Ok(())
    }

    fn compare_with(&self, case: &Case, options: &[&str]) -> Result<(), String> {
        let number = case.number as usize;
        let level = number % LEVELS.len();
        let place = PLACES[number / LEVELS.len() % PLACES.len()];
        let model = if case.memory.model == Model::Tso { "tso" } else { "pso" };
        let mut command = Command::new(rscale());
        command.arg("run").arg(&self.interpreters[level]).args(["--memory", model, "--keep-going", "--outcomes"]);
        command.args(["--quiet", "--json", "-", "--trace"]).arg(&self.trace).args(options);
        if let Some(bound) = case.memory.bound {
            command.args(["--buffer", &bound.to_string()]);
        }
        command.arg("--").arg(case.program.to_string()).arg(place);
        let finished = process::run(&mut command)?;
        let named = |problem: String| format!("{} {place} {options:?}: {problem}", LEVELS[level]);
        let summary =
            Summary::parse(&finished.stdout).map_err(|problem| named(format!("{problem}\n{}", finished.err())))?;
        let is_explored = matches!(summary.text("verdict"), "clean" | "bug") && summary.0["complete"] == true;
        if !is_explored {
            return Err(named(finished.describe()));
        }
        expect_same(&summary, &case.truth).map_err(named)
    }
}

fn expect_same(summary: &Summary, truth: &Enumeration) -> Result<(), String> {
    for (kind, expected) in [("livelock", truth.has_livelock), ("deadlock", truth.has_deadlock)] {
        if summary.has_finding(kind) != expected {
            return Err(format!("a {kind}: enumerated {expected}, findings {}", summary.0["findings"]));
        }
    }
    let is_other = |finding: &&serde_json::Value| finding["kind"] != "livelock" && finding["kind"] != "deadlock";
    if let Some(other) = summary.findings().iter().find(is_other) {
        return Err(format!("an unexpected finding: {other}"));
    }
    let expected: BTreeSet<(i64, String)> = truth.outcomes.iter().map(|text| (0, format!("{text}\n"))).collect();
    let got = summary.outcomes();
    let missing: Vec<_> = expected.difference(&got).take(SHOWN).collect();
    let surplus: Vec<_> = got.difference(&expected).take(SHOWN).collect();
    if missing.is_empty() && surplus.is_empty() {
        return Ok(());
    }
    let (of, found) = (expected.len(), got.len());
    Err(format!("of {of} outcomes, {found} found; missing: {missing:?}; that can not be: {surplus:?}"))
}
