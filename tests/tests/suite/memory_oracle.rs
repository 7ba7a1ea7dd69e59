//! rscale and brute force agree on what random programs can do under TSO and PSO: store buffers lose no outcome and invent
//! none, whatever the widths of accesses, the bound of the buffers and the filters. Nor is anything lost that few preemptions
//! are enough for, where these are bounded.
//!
//! `scripts/oracle` runs ten times as many programs; `campaign.rs` says how to look at a single one.

use rscale_tests::access_oracle::{
    Copying, Enumeration, Memory, Model, Program, count_paths, enumerate, enumerate_within, generate_library,
    generate_weak, shows_within, with_shared,
};
use rscale_tests::binary::rscale;
use rscale_tests::campaign::{Campaign, SHOWN, interpreter};
use rscale_tests::oracle::Random;
use rscale_tests::process;
use rscale_tests::scratch::Scratch;
use rscale_tests::summary::Summary;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

/// Programs to compare; `RSCALE_ORACLE_PROGRAMS` overrides it.
const PROGRAMS: u64 = 200;
/// Programs with functions of the library.
const LIBRARY_PROGRAMS: u64 = 40;
/// Programs with more states or schedules are passed over, so that none takes long.
const MOST_STATES: usize = 3000;
/// With pieces in any order there are many states, and few of them matter.
const MOST_STATES_IN_ANY_ORDER: usize = 10_000;
const MOST_PATHS: u64 = 200_000;
/// Programs with more schedules are not explored without a reduction.
const MOST_PATHS_UNREDUCED: u64 = 60;
/// Explaining that threads wait for ever takes rscale a hundred times as long as an execution.
const MOST_PATHS_STUCK: u64 = 100;
/// Filters that lose no outcome; each program takes one of them beside the default.
const REDUCTIONS: [&str; 7] = ["source", "dpor", "nsb", "nsb,lcd", "nsb,superstep", "epor", "epor-sh"];
/// Programs that are run with a bound on preemptions, the bounds, and the filters that miss nothing within them.
const BOUNDED_PROGRAMS: u64 = 60;
const BOUNDS: [usize; 3] = [0, 1, 2];
const COMPLETE: [&str; 3] = ["bpor", "source-bpor", "lazy-bpor"];
/// It promises nothing. It must not invent anything all the same.
const INCOMPLETE: [&str; 1] = ["naive-bpor"];
/// With more schedules, a search that repeats equivalent ones takes long.
const MOST_PATHS_BOUNDED: u64 = 2000;
const LEVELS: [&str; 2] = ["-O0", "-O2"];
const PLACES: [&str; 4] = ["global", "heap", "stack", "tls"];

/// A program, the memory model that it is to be run under, and what it can do there.
#[derive(Clone)]
struct Case {
    number: u64,
    program: Program,
    memory: Memory,
    truth: Enumeration,
    /// What has to be found of that; a library need not use all the freedom that it has.
    least: BTreeSet<String>,
    paths: u64,
    /// Whether it can do more than under sequential consistency.
    is_weak: bool,
}

#[test]
fn rscale_agrees_with_explicit_store_buffers() {
    let scratch = Scratch::new(env!("CARGO_TARGET_TMPDIR"));
    let interpreters = LEVELS.map(|level| interpreter(&scratch, "access_interpreter.c", level));
    let campaign = Campaign::new(PROGRAMS);
    let weak = AtomicU64::new(0);
    let bench = |worker| Bench { interpreters: &interpreters, trace: scratch.file(&format!("trace-{worker}.txt")) };
    let mismatches = campaign.run(bench, |bench, number| {
        let case = case(number);
        weak.fetch_add(case.is_weak.into(), Ordering::Relaxed);
        bench.compare(&case).map_err(|problem| format!("{:?} {}\n  {problem}", case.memory, case.program))
    });
    let (wanted, weak) = (campaign.len(), weak.into_inner());
    println!("{wanted} programs, {weak} of them with outcomes that sequential consistency does not have");
    mismatches.expect_none();
    assert!(campaign.is_single() || weak * 2 > wanted, "the programs have become too simple");
}

/// What the library stores is delayed like other stores. Where all accesses are of words, the outcomes are the same; where
/// some are smaller, a library may copy in pieces of any size in any order.
#[test]
fn library_functions_store_to_buffers() {
    let scratch = Scratch::new(env!("CARGO_TARGET_TMPDIR"));
    let interpreters = LEVELS.map(|level| interpreter(&scratch, "access_interpreter.c", level));
    let campaign = Campaign::new(LIBRARY_PROGRAMS);
    let exact = AtomicU64::new(0);
    let bench = |worker| Bench { interpreters: &interpreters, trace: scratch.file(&format!("library-{worker}.txt")) };
    let mismatches = campaign.run(bench, |bench, number| {
        let case = library_case(number);
        exact.fetch_add(case.program.has_words_only().into(), Ordering::Relaxed);
        bench.compare(&case).map_err(|problem| format!("{:?} {}\n  {problem}", case.memory, case.program))
    });
    let (programs, exact) = (campaign.len(), exact.into_inner());
    println!("{programs} programs, of {exact} of them all outcomes are known");
    mismatches.expect_none();
    assert!(campaign.is_single() || exact * 2 > programs && exact < programs, "{exact}: too few of one kind");
}

/// What can be done with few preemptions is found; what becomes visible when is nobody's turn.
#[test]
fn bounds_on_preemptions_lose_nothing_within_them() {
    let scratch = Scratch::new(env!("CARGO_TARGET_TMPDIR"));
    let interpreters = LEVELS.map(|level| interpreter(&scratch, "access_interpreter.c", level));
    let campaign = Campaign::new(BOUNDED_PROGRAMS);
    let (programs, cut, missed) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    let bench = |worker| Bench { interpreters: &interpreters, trace: scratch.file(&format!("bound-{worker}.txt")) };
    let mismatches = campaign.run(bench, |bench, number| {
        let case = case(number);
        if case.paths > MOST_PATHS_BOUNDED || case.program.has_loops() {
            return Ok(());
        }
        // A thread that waits for its stores is not preempted, so it matters which ones are delayed.
        let Some(memory) = with_shared(&case.program, case.memory, Copying::Words, MOST_STATES) else { return Ok(()) };
        programs.fetch_add(1, Ordering::Relaxed);
        for bound in BOUNDS.into_iter().filter(|&bound| shows_within(&case.program, memory, bound)) {
            let within = enumerate_within(&case.program, memory, bound);
            cut.fetch_add((within.outcomes != case.truth.outcomes).into(), Ordering::Relaxed);
            let named = |problem| format!("{:?} {}\n  {problem}", case.memory, case.program);
            for method in COMPLETE {
                bench.compare_within(&case, &within, &format!("{method}={bound}")).map_err(named)?;
            }
            for method in INCOMPLETE {
                let is_missed = bench.compare_within(&case, &within, &format!("{method}={bound}")).is_err();
                missed.fetch_add(is_missed.into(), Ordering::Relaxed);
            }
            if case.paths <= MOST_PATHS_UNREDUCED {
                bench
                    .compare_with(
                        &Case { least: within.outcomes.clone(), truth: within, ..case.clone() },
                        &["--filters", &format!("pb={bound}")],
                    )
                    .map_err(named)?;
            }
        }
        Ok(())
    });
    let [programs, cut, missed] = [programs, cut, missed].map(AtomicU64::into_inner);
    println!("{programs} programs; the bound matters {cut} times; {INCOMPLETE:?} miss something {missed} times");
    mismatches.expect_none();
    assert!(campaign.is_single() || cut * 4 > programs, "the programs have become too simple");
}

/// The program of this number, and all about it: the first one of its sequence that is small enough.
fn case(number: u64) -> Case {
    let mut random = Random::new(number);
    let model = random.pick(&[Model::Tso, Model::Pso]);
    let bound = random.pick(&[None, None, None, None, Some(0), Some(1), Some(1), Some(2)]);
    let bounded = Memory { bound, ..Memory::of(model) };
    loop {
        let program = generate_weak(&mut random);
        if let Some(case) = small_case(number, program, bounded, [Copying::Words; 2]) {
            return case;
        }
    }
}

/// As [`case`], with functions of the library.
fn library_case(number: u64) -> Case {
    let mut random = Random::new(number);
    let model = random.pick(&[Model::Tso, Model::Pso]);
    let bound = random.pick(&[None, None, None, Some(1), Some(2)]);
    loop {
        let program = generate_library(&mut random);
        // In pieces that are not known, nobody knows how many stores there are.
        let (bound, manners) = match program.has_words_only() {
            true => (bound, [Copying::Words; 2]),
            false => (None, [Copying::AtOnce, Copying::AnyOrder]),
        };
        if program.has_pieces()
            && let Some(case) = small_case(number, program, Memory { bound, ..Memory::of(model) }, manners)
        {
            return case;
        }
    }
}

/// All about a program, with what a library does at least and at most; None if that is too much, or too little.
fn small_case(number: u64, program: Program, memory: Memory, [least, most]: [Copying; 2]) -> Option<Case> {
    let most_states = if most == Copying::AnyOrder { MOST_STATES_IN_ANY_ORDER } else { MOST_STATES };
    let memory = match memory.bound {
        None | Some(0) => memory,
        Some(_) => with_shared(&program, memory, most, most_states)?,
    };
    let truth = enumerate(&program, memory, most, most_states)?;
    // A program that never ends takes rscale long: it has to be told from one that computes.
    if truth.outcomes.is_empty() {
        return None;
    }
    let least = enumerate(&program, memory, least, most_states)?.outcomes;
    let strong = enumerate(&program, Memory::SC, most, most_states)?;
    let paths = count_paths(&program, memory, most);
    let is_stuck = truth.has_livelock || truth.has_deadlock;
    let is_weak = truth.outcomes != strong.outcomes;
    // Most programs of this size can do no more than under sequential consistency.
    let is_boring = !is_weak && memory.bound != Some(0) && !number.is_multiple_of(4);
    let is_small = paths <= if is_stuck { MOST_PATHS_STUCK } else { MOST_PATHS };
    (is_small && !is_boring).then_some(Case { number, program, memory, truth, least, paths, is_weak })
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
        let summary = self.explore(case, options)?;
        let is_complete =
            summary.0["complete"] == true || options.last().is_some_and(|filter| filter.starts_with("pb="));
        if !is_complete {
            return Err(format!("{options:?}: it is not complete"));
        }
        expect_same(&summary, &case.least, &case.truth).map_err(|problem| format!("{options:?}: {problem}"))
    }

    /// Nothing is missing of what is within the bound, and nothing is there that can not be.
    fn compare_within(&self, case: &Case, within: &Enumeration, filter: &str) -> Result<(), String> {
        let summary = self.explore(case, &["--filters", filter])?;
        let got = summary.outcomes();
        let missing: Vec<_> = printed(&within.outcomes).difference(&got).take(SHOWN).cloned().collect();
        let surplus: Vec<_> = got.difference(&printed(&case.truth.outcomes)).take(SHOWN).cloned().collect();
        assert!(surplus.is_empty(), "{filter} on {}: that can not be: {surplus:?}", case.program);
        if !missing.is_empty() || within.has_deadlock && !summary.has_finding("deadlock") {
            return Err(format!("{filter}: missing: {missing:?}, findings {}", summary.0["findings"]));
        }
        Ok(())
    }

    fn explore(&self, case: &Case, options: &[&str]) -> Result<Summary, String> {
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
        let is_explored = matches!(summary.text("verdict"), "clean" | "bug" | "incomplete");
        if is_explored { Ok(summary) } else { Err(named(finished.describe())) }
    }
}

fn printed(outcomes: &BTreeSet<String>) -> BTreeSet<(i64, String)> {
    outcomes.iter().map(|text| (0, format!("{text}\n"))).collect()
}

fn expect_same(summary: &Summary, least: &BTreeSet<String>, truth: &Enumeration) -> Result<(), String> {
    for (kind, expected) in [("livelock", truth.has_livelock), ("deadlock", truth.has_deadlock)] {
        if summary.has_finding(kind) != expected {
            return Err(format!("a {kind}: enumerated {expected}, findings {}", summary.0["findings"]));
        }
    }
    let is_other = |finding: &&serde_json::Value| finding["kind"] != "livelock" && finding["kind"] != "deadlock";
    if let Some(other) = summary.findings().iter().find(is_other) {
        return Err(format!("an unexpected finding: {other}"));
    }
    let expected = printed(&truth.outcomes);
    let got = summary.outcomes();
    let least = printed(least);
    let missing: Vec<_> = least.difference(&got).take(SHOWN).collect();
    let surplus: Vec<_> = got.difference(&expected).take(SHOWN).collect();
    if missing.is_empty() && surplus.is_empty() {
        return Ok(());
    }
    let (of, found) = (expected.len(), got.len());
    Err(format!("of {of} outcomes, {found} found; missing: {missing:?}; that can not be: {surplus:?}"))
}
