//! rscale and brute force agree on random programs: no reduction loses an outcome or a deadlock, and the optimal one
//! executes every Mazurkiewicz trace once.
//!
//! Everything is deterministic: the n-th program is always the same one. `scripts/oracle` runs ten times as many.
//! `RSCALE_ORACLE_PROGRAM` names a single one to look at.

use rscale_tests::binary::{has_filters, rscale};
use rscale_tests::compile::compile;
use rscale_tests::oracle::Random;
use rscale_tests::process;
use rscale_tests::scratch::Scratch;
use rscale_tests::summary::Summary;
use rscale_tests::trace_oracle::{Enumeration, Limits, Op, Program, count_paths, enumerate, generate};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Programs to compare; `RSCALE_ORACLE_PROGRAMS` overrides it.
const PROGRAMS: u64 = 300;
/// Programs with more traces are passed over, so that none takes long.
const LIMITS: Limits = Limits { traces: 2000, beginnings: 40_000 };
/// Explaining a deadlock takes rscale a hundred times as long as an execution.
const MOST_DEADLOCKS: u64 = 20;
const WORKERS: usize = 2;
/// Mismatches that are shown: one mistake shows in many programs.
const SHOWN: usize = 5;

/// A list of filters that loses no outcome and no deadlock.
struct Search {
    filters: &'static str,
    /// The programs that it is tried on.
    fits: fn(&Subject) -> bool,
    /// Those of which it executes every trace exactly once.
    is_exact: fn(&Subject) -> bool,
    /// Those of which it begins no execution in vain.
    never_blocks: fn(&Subject) -> bool,
}

/// Without a reduction: a thread's start and end are steps too, so there are many more schedules than interleavings here.
const fn everything() -> Search {
    let fits = |subject: &Subject| subject.paths <= 30 && subject.program.threads.len() <= 3;
    Search { filters: "", fits, is_exact: |_| false, never_blocks: |_| false }
}

/// What visits every state once ends every trace once, if it takes the same steps for dependent as the oracle does. It
/// takes more for dependent: atomic sections with everything, signals and attempts in vain with each other. With sections
/// there are many states.
const fn states(filters: &'static str) -> Search {
    let fits = |subject: &Subject| {
        let has_sections = subject.program.has(|op| *op == Op::AtomicBegin);
        subject.truth.traces <= 100 && (!has_sections || subject.paths <= 200)
    };
    let is_exact = |subject: &Subject| {
        let is_coarse = |op: &Op| matches!(op, Op::AtomicBegin | Op::Signal(_) | Op::Broadcast(_) | Op::TryLock { .. });
        !subject.program.has(is_coarse)
    };
    Search { filters, fits, is_exact, never_blocks: |_| false }
}

/// Complete executions are exact with sleep sets in any case; they differ in what they begin in vain.
const fn reduction(filters: &'static str) -> Search {
    Search { filters, fits: |_| true, is_exact: |_| true, never_blocks: |_| false }
}

/// What comes of an atomic update in another place is not known before it is tried: it may be more than a read there.
const fn optimal(filters: &'static str) -> Search {
    let never_blocks =
        |subject: &Subject| !subject.program.has(|op| matches!(op, Op::Exchange { .. } | Op::CompareAndSwap { .. }));
    Search { filters, fits: |_| true, is_exact: |_| true, never_blocks }
}

/// What an atomic update may come to when it sleeps is not known, so it may be woken for nothing (one execution too many
/// in one of the first 300 programs). An order that was planned may lead nowhere.
const fn eager(filters: &'static str) -> Search {
    let is_exact =
        |subject: &Subject| !subject.program.has(|op| matches!(op, Op::Exchange { .. } | Op::CompareAndSwap { .. }));
    Search { filters, fits: |_| true, is_exact, never_blocks: |_| false }
}

/// All searches. Those with filters that this rscale does not have are left out.
const SEARCHES: [Search; 8] = [
    everything(),
    states("nsb"),
    states("nsb,superstep"),
    reduction("dpor"),
    reduction("source"),
    optimal("optimal"),
    eager("epor"),
    eager("epor-sh"),
];

/// A program, and all about it.
struct Subject {
    program: Program,
    truth: Enumeration,
    paths: u64,
}

#[test]
fn rscale_agrees_with_brute_force() {
    let scratch = Scratch::new(env!("CARGO_TARGET_TMPDIR"));
    let interpreter = scratch.file("interpreter");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/trace_interpreter.c");
    compile(&source, &interpreter, &["-O1"]).expect("the interpreter compiles");
    let searches: Vec<&Search> = SEARCHES.iter().filter(|search| has_filters(search.filters)).collect();
    let numbers = numbers();
    let (next, mismatches) = (AtomicU64::new(numbers.start), Mutex::new(Vec::new()));
    let (traces, with_deadlock) = (AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for worker in 0..WORKERS {
            let bench = Bench { interpreter: &interpreter, trace: scratch.file(&format!("trace-{worker}.txt")) };
            let (next, mismatches, traces, with_deadlock) = (&next, &mismatches, &traces, &with_deadlock);
            let (searches, end) = (&searches, numbers.end);
            scope.spawn(move || {
                while let Some(number) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&number| number < end) {
                    let subject = subject(number);
                    traces.fetch_add(subject.truth.traces, Ordering::Relaxed);
                    with_deadlock.fetch_add(u64::from(subject.truth.deadlocks > 0), Ordering::Relaxed);
                    if let Err(problem) = bench.compare(&subject, searches) {
                        let text = subject.program.to_string();
                        mismatches.lock().expect("no worker panics").push((number, text, problem));
                    }
                }
            });
        }
    });
    let (traces, with_deadlock) = (traces.into_inner(), with_deadlock.into_inner());
    let wanted = numbers.end - numbers.start;
    let names: Vec<&str> = searches.iter().map(|search| search.filters).collect();
    println!("{wanted} programs, {with_deadlock} of them with deadlocks, {traces} traces; searches: {names:?}");
    let mut mismatches = mismatches.into_inner().expect("no worker panics");
    mismatches.sort();
    for (number, program, problem) in mismatches.iter().take(SHOWN) {
        eprintln!("program {number}: {program}\n  {problem}\n");
    }
    let are_interesting = traces > 20 * wanted && with_deadlock > wanted / 20;
    assert!(wanted == 1 || are_interesting, "the programs have become too simple");
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

/// The program of this number: the first one of its sequence that is small, but not trivial.
fn subject(number: u64) -> Subject {
    let mut random = Random::new(number);
    loop {
        let program = generate(&mut random);
        if let Some(truth) = enumerate(&program, LIMITS)
            && truth.traces > 1
            && truth.deadlocks <= MOST_DEADLOCKS
        {
            let paths = count_paths(&program);
            return Subject { program, truth, paths };
        }
    }
}

struct Bench<'a> {
    interpreter: &'a Path,
    trace: PathBuf,
}

impl Bench<'_> {
    fn compare(&self, subject: &Subject, searches: &[&Search]) -> Result<(), String> {
        for search in searches.iter().filter(|search| (search.fits)(subject)) {
            let named = |problem| format!("--filters {:?}: {problem}", search.filters);
            let summary = self.explore(&subject.program, search.filters).map_err(named)?;
            expect_same_ends(&summary, &subject.truth).map_err(named)?;
            if (search.is_exact)(subject) {
                expect_each_trace_once(&summary, &subject.truth).map_err(named)?;
            }
            if (search.never_blocks)(subject) && summary.number("blocked") != Some(0) {
                return Err(named(format!("{} executions were blocked", summary.0["blocked"])));
            }
        }
        Ok(())
    }

    fn explore(&self, program: &Program, filters: &str) -> Result<Summary, String> {
        let mut command = Command::new(rscale());
        command.arg("run").arg(self.interpreter).args(["--scope", "all", "--keep-going", "--outcomes", "--quiet"]);
        command.args(["--json", "-", "--filters", filters, "--trace"]).arg(&self.trace);
        command.arg("--").arg(program.to_string());
        let finished = process::run(&mut command)?;
        let summary = Summary::parse(&finished.stdout).map_err(|problem| format!("{problem}\n{}", finished.err()))?;
        let is_explored = matches!(summary.text("verdict"), "clean" | "bug") && summary.0["complete"] == true;
        if is_explored { Ok(summary) } else { Err(finished.describe()) }
    }
}

fn expect_same_ends(summary: &Summary, truth: &Enumeration) -> Result<(), String> {
    if summary.has_finding("deadlock") != (truth.deadlocks > 0) {
        return Err(format!("enumerated {} deadlocks, findings {}", truth.deadlocks, summary.0["findings"]));
    }
    if let Some(other) = summary.findings().iter().find(|finding| finding["kind"] != "deadlock") {
        return Err(format!("an unexpected finding: {other}"));
    }
    let expected: BTreeSet<(i64, String)> = truth.outcomes.iter().map(|text| (0, format!("{text}\n"))).collect();
    let got = summary.outcomes();
    if got == expected {
        return Ok(());
    }
    let missing: Vec<_> = expected.difference(&got).take(SHOWN).collect();
    let surplus: Vec<_> = got.difference(&expected).take(SHOWN).collect();
    Err(format!("outcomes that are missing: {missing:?}; that can not be: {surplus:?}"))
}

fn expect_each_trace_once(summary: &Summary, truth: &Enumeration) -> Result<(), String> {
    if summary.number("executions") == Some(truth.traces) {
        return Ok(());
    }
    let Enumeration { traces, deadlocks, .. } = truth;
    Err(format!("{} executions; enumerated {traces} traces, {deadlocks} of them deadlocks", summary.0["executions"]))
}
