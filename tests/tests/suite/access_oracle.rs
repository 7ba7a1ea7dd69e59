//! rscale and brute force agree on what random programs with plain memory accesses can do: scheduling points at memory
//! accesses lose no outcome and invent none.
//!
//! `scripts/oracle` runs ten times as many programs; `campaign.rs` says how to look at a single one.

use rscale_tests::access_oracle::{Copying, Memory, Program, Truth, count_paths, enumerate, generate};
use rscale_tests::binary::rscale;
use rscale_tests::campaign::{Campaign, interpreter};
use rscale_tests::oracle::Random;
use rscale_tests::process;
use rscale_tests::scratch::Scratch;
use rscale_tests::summary::Summary;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

/// Programs to compare; `RSCALE_ORACLE_PROGRAMS` overrides it.
const PROGRAMS: u64 = 700;
/// Programs with more states or schedules are passed over, so that none takes long.
const MOST_STATES: usize = 400;
const MOST_PATHS: u64 = 2000;
/// Programs with more schedules are not explored without a reduction.
const MOST_PATHS_UNREDUCED: u64 = 20;
/// Explaining that threads wait for ever takes rscale a hundred times as long as an execution.
const MOST_PATHS_STUCK: u64 = 25;
/// Programs that take longer are named.
const SLOW: std::time::Duration = std::time::Duration::from_secs(2);
/// Filters that lose no outcome; each program takes one of them beside the default.
const REDUCTIONS: [&str; 9] =
    ["optimal", "nsb,superstep", "source", "nsb,lcd", "dpor", "nsb,lcd,superstep", "epor", "lcd,superstep", "epor-sh"];
const LEVELS: [&str; 2] = ["-O0", "-O2"];
const PLACES: [&str; 4] = ["global", "heap", "stack", "tls"];
/// One of so many programs runs beside so much other work on memory that rscale does not remember all of it exactly.
const CROWDED: u64 = 5;

#[test]
fn rscale_agrees_with_brute_force() {
    let scratch = Scratch::new(env!("CARGO_TARGET_TMPDIR"));
    let interpreters = LEVELS.map(|level| interpreter(&scratch, "access_interpreter.c", level));
    let campaign = Campaign::new(PROGRAMS);
    let (states, stuck) = (AtomicU64::new(0), AtomicU64::new(0));
    let bench = |worker| Bench { interpreters: &interpreters, trace: scratch.file(&format!("trace-{worker}.txt")) };
    let mismatches = campaign.run(bench, |bench, number| {
        let case = case(number);
        let Case { program, truth, .. } = &case;
        let start = std::time::Instant::now();
        states.fetch_add(truth.most.states as u64, Ordering::Relaxed);
        stuck.fetch_add(truth.is_stuck().into(), Ordering::Relaxed);
        let compared = bench.compare(number, &case);
        if start.elapsed() > SLOW {
            println!("program {number} took {:.1} s: {program}", start.elapsed().as_secs_f64());
        }
        compared.map_err(|problem| format!("{program}\n  {problem}"))
    });
    let (wanted, states, stuck) = (campaign.len(), states.into_inner(), stuck.into_inner());
    println!("{wanted} programs, {stuck} of them with threads that wait for ever, {states} states");
    mismatches.expect_none();
    assert!(campaign.is_single() || states > 20 * wanted && stuck > 0, "the programs have become too simple");
}

/// A program, what it can do, and how many schedules it has.
struct Case {
    program: Program,
    truth: Truth,
    paths: u64,
}

/// The program of this number, and all about it: the first one of its sequence that is small enough.
fn case(number: u64) -> Case {
    let mut random = Random::new(number);
    loop {
        let program = generate(&mut random);
        let (least, most) = match (program.has_pieces(), program.has_words_only()) {
            (true, false) => (Copying::AtOnce, Copying::AnyOrder(4)),
            _ => (Copying::Words, Copying::Words),
        };
        let Some(most) = enumerate(&program, Memory::SC, most, MOST_STATES) else { continue };
        let Some(least) = enumerate(&program, Memory::SC, least, MOST_STATES) else { continue };
        let paths = count_paths(&program, Memory::SC, Copying::Words);
        let truth = Truth { least, most };
        if paths <= if truth.is_stuck() { MOST_PATHS_STUCK } else { MOST_PATHS } {
            return Case { program, truth, paths };
        }
    }
}

struct Bench<'a> {
    interpreters: &'a [PathBuf],
    trace: PathBuf,
}

impl Bench<'_> {
    fn compare(&self, number: u64, case: &Case) -> Result<(), String> {
        self.compare_with(number, case, &[])?;
        let filters = REDUCTIONS[number as usize / (LEVELS.len() * PLACES.len()) % REDUCTIONS.len()];
        self.compare_with(number, case, &["--filters", filters])?;
        // A thread that waits in a loop reads again after every write: there are more schedules than paths.
        let is_small =
            case.paths <= MOST_PATHS_UNREDUCED && case.program.threads.len() <= 3 && !case.program.has_loops();
        if is_small {
            self.compare_with(number, case, &["--filters", ""])?;
        }
        Ok(())
    }

    fn compare_with(&self, number: u64, case: &Case, options: &[&str]) -> Result<(), String> {
        let level = number as usize % LEVELS.len();
        let place = PLACES[number as usize / LEVELS.len() % PLACES.len()];
        let mut command = Command::new(rscale());
        command.arg("run").arg(&self.interpreters[level]).args(["--scope", "all", "--keep-going", "--outcomes"]);
        command.args(["--quiet", "--json", "-", "--trace"]).arg(&self.trace).args(options);
        let crowded = number.is_multiple_of(CROWDED).then_some("crowded");
        command.arg("--").arg(case.program.to_string()).arg(place).args(crowded);
        let finished = process::run(&mut command)?;
        let summary = Summary::parse(&finished.stdout).map_err(|problem| format!("{problem}\n{}", finished.err()))?;
        let named = |problem: String| format!("{} {place} {options:?}: {problem}", LEVELS[level]);
        let is_explored = matches!(summary.text("verdict"), "clean" | "bug") && summary.0["complete"] == true;
        if !is_explored {
            return Err(named(finished.describe()));
        }
        case.truth.compare(&summary).map_err(named)
    }
}
