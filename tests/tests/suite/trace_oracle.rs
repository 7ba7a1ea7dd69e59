//! rscale and brute force agree on random programs: no reduction loses an outcome or a deadlock, and the optimal one
//! executes every Mazurkiewicz trace once.
//!
//! `scripts/oracle` runs ten times as many programs; `campaign.rs` says how to look at a single one.

use rscale_tests::binary::rscale;
use rscale_tests::campaign::{Campaign, SHOWN, interpreter};
use rscale_tests::oracle::Random;
use rscale_tests::process;
use rscale_tests::scratch::Scratch;
use rscale_tests::summary::Summary;
use rscale_tests::trace_oracle::{Enumeration, Limits, Op, Program, count_paths, enumerate, generate};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

/// Programs to compare; `RSCALE_ORACLE_PROGRAMS` overrides it.
const PROGRAMS: u64 = 300;
/// Programs with more traces are passed over, so that none takes long.
const LIMITS: Limits = Limits { traces: 2000, beginnings: 40_000 };
/// Explaining a deadlock takes rscale a hundred times as long as an execution.
const MOST_DEADLOCKS: u64 = 20;

/// A list of filters that loses no outcome and no deadlock.
struct Search {
    filters: &'static str,
    /// Workers, from the first execution on.
    jobs: u32,
    /// The order of the search (`--seed`): what is planned before what is seen decides what a reduction leaves out.
    seed: u32,
    /// The programs that it is tried on.
    fits: fn(&Subject) -> bool,
    /// Those of which it executes every trace exactly once.
    is_exact: fn(&Subject) -> bool,
    /// Those of which it begins no execution in vain.
    never_blocks: fn(&Subject) -> bool,
}

/// Without a reduction: a thread's start and end are steps too, so there are many more schedules than interleavings
/// here.
const fn everything() -> Search {
    let fits = |subject: &Subject| subject.paths <= 30 && subject.program.threads.len() <= 3;
    Search { filters: "", jobs: 1, seed: 0, fits, is_exact: |_| false, never_blocks: |_| false }
}

/// What visits every state once ends every trace once, if it takes the same steps for dependent as the oracle does. It
/// takes more for dependent: atomic sections with everything, signals and attempts in vain with each other. With
/// sections there are many states.
const fn states(filters: &'static str) -> Search {
    let fits = |subject: &Subject| {
        let has_sections = subject.program.has(|op| *op == Op::AtomicBegin);
        subject.truth.traces <= 100 && (!has_sections || subject.paths <= 200)
    };
    let is_exact = |subject: &Subject| {
        let is_coarse = |op: &Op| matches!(op, Op::AtomicBegin | Op::Signal(_) | Op::Broadcast(_) | Op::TryLock { .. });
        !subject.program.has(is_coarse)
    };
    Search { filters, jobs: 1, seed: 0, fits, is_exact, never_blocks: |_| false }
}

/// Complete executions are exact with sleep sets in any case; they differ in what they begin in vain.
const fn reduction(filters: &'static str) -> Search {
    Search { filters, jobs: 1, seed: 0, fits: |_| true, is_exact: |_| true, never_blocks: |_| false }
}

/// What comes of an atomic update in another place is not known before it is tried: it may be more than a read there.
const fn optimal(filters: &'static str) -> Search {
    let never_blocks =
        |subject: &Subject| !subject.program.has(|op| matches!(op, Op::Exchange { .. } | Op::CompareAndSwap { .. }));
    Search { filters, jobs: 1, seed: 0, fits: |_| true, is_exact: |_| true, never_blocks }
}

/// The same, whoever explores what.
const fn shared(jobs: u32, search: Search) -> Search {
    Search { jobs, ..search }
}

/// The same, in another order.
const fn seeded(seed: u32, search: Search) -> Search {
    Search { seed, ..search }
}

/// All searches.
const SEARCHES: [Search; 18] = [
    everything(),
    states("nsb"),
    states("nsb,superstep"),
    shared(2, states("nsb")),
    shared(3, states("nsb,superstep")),
    reduction("dpor"),
    reduction("source"),
    optimal("optimal"),
    seeded(1, optimal("optimal")),
    seeded(2, optimal("optimal")),
    shared(2, reduction("dpor")),
    shared(2, reduction("source")),
    shared(3, optimal("optimal")),
    reduction("epor"),
    reduction("epor-sh"),
    seeded(1, reduction("epor")),
    shared(3, reduction("epor")),
    shared(2, reduction("epor-sh")),
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
    let interpreter = interpreter(&scratch, "trace_interpreter.c", "-O1");
    let campaign = Campaign::new(PROGRAMS);
    let (traces, with_deadlock) = (AtomicU64::new(0), AtomicU64::new(0));
    let bench = |worker| Bench { interpreter: &interpreter, trace: scratch.file(&format!("trace-{worker}.txt")) };
    let mismatches = campaign.run(bench, |bench, number| {
        let subject = subject(number);
        traces.fetch_add(subject.truth.traces, Ordering::Relaxed);
        with_deadlock.fetch_add(u64::from(subject.truth.deadlocks > 0), Ordering::Relaxed);
        bench.compare(&subject).map_err(|problem| format!("{}\n  {problem}", subject.program))
    });
    let (wanted, traces, with_deadlock) = (campaign.len(), traces.into_inner(), with_deadlock.into_inner());
    let names = SEARCHES.map(|search| search.filters);
    println!("{wanted} programs, {with_deadlock} of them with deadlocks, {traces} traces; searches: {names:?}");
    mismatches.expect_none();
    let are_interesting = traces > 20 * wanted && with_deadlock > wanted / 20;
    assert!(campaign.is_single() || are_interesting, "the programs have become too simple");
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
    fn compare(&self, subject: &Subject) -> Result<(), String> {
        for search in SEARCHES.iter().filter(|search| (search.fits)(subject)) {
            let Search { filters, jobs, seed, .. } = search;
            let named = |problem| format!("--filters {filters:?} --jobs {jobs} --seed {seed}: {problem}");
            let summary = self.explore(&subject.program, search).map_err(named)?;
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

    fn explore(&self, program: &Program, search: &Search) -> Result<Summary, String> {
        let mut command = Command::new(rscale());
        command.arg("run").arg(self.interpreter).args(["--scope", "all", "--keep-going", "--outcomes", "--quiet"]);
        command.args(["--json", "-", "--filters", search.filters, "--trace"]).arg(&self.trace);
        command.args(["--alone", "0", "--jobs", &search.jobs.to_string(), "--seed", &search.seed.to_string()]);
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
