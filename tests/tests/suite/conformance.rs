//! Every filter against the search without any: on each program of the suite that is small enough, no outcome and no
//! finding is lost, and none is made up.
//!
//! A program takes some of the filter lists, by its number; `RSCALE_CONFORMANCE=all` has it take all of them, as
//! `scripts/oracle` does.

use rscale_tests::binary::rscale;
use rscale_tests::campaign::{Campaign, SHOWN};
use rscale_tests::compile::compile;
use rscale_tests::expectation::Expectation;
use rscale_tests::process;
use rscale_tests::scratch::Scratch;
use rscale_tests::sources::{self, Source};
use rscale_tests::summary::Summary;
use std::collections::BTreeSet;
use std::env;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

/// Larger programs are passed over.
const MOST_SCHEDULES: &str = "400";
/// Where the operations of the thread library are scheduling points.
const SYNC: [&str; 8] =
    ["nsb,superstep", "superstep", "nsb", "nsb=4", "nsb,superstep,db=100000", "source", "dpor", "optimal"];
/// Where memory accesses are, too.
const ALL: [&str; 8] =
    ["nsb,lcd,superstep", "nsb", "nsb,superstep", "nsb,lcd", "lcd,superstep", "lcd", "optimal", "nsb,lcd,db=100000"];
/// How many of them each program takes.
const TAKEN: usize = 2;
/// How many workers they have, beside one, by the program's number.
const WORKERS: [&str; 3] = ["2", "3", "4"];

#[test]
fn no_filter_loses_anything() {
    let takes_all = env::var("RSCALE_CONFORMANCE").is_ok_and(|value| value == "all");
    let programs: Vec<(Source, Expectation)> = sources::all().into_iter().filter_map(described).collect();
    let scratch = Scratch::new(env!("CARGO_TARGET_TMPDIR"));
    let compared = AtomicU64::new(0);
    let bench = |worker| Bench {
        executable: scratch.file(&format!("program-{worker}")),
        trace: scratch.file(&format!("trace-{worker}.txt")),
        takes_all,
    };
    let mismatches = Campaign::of(programs.len() as u64).run(bench, |bench, number| {
        let (source, expectation) = &programs[number as usize];
        let count = bench.compare(number as usize, source, expectation);
        compared.fetch_add(count.map_err(|problem| format!("{}: {problem}", source.name))?, Ordering::Relaxed);
        Ok(())
    });
    let compared = compared.into_inner();
    println!("{} programs, {compared} searches compared", programs.len());
    mismatches.expect_none();
    assert!(compared > programs.len() as u64, "hardly any program is small enough");
}

/// A program that says nothing about how it is to be searched, and what it says of itself.
fn described(source: Source) -> Option<(Source, Expectation)> {
    let text = std::fs::read_to_string(&source.path).expect("tests/programs can be read");
    let expectation = Expectation::of_source(&text).ok()?;
    let is_plain = expectation.options.is_empty() && matches!(&expectation.verdict[..], "clean" | "bug");
    is_plain.then_some((source, expectation))
}

struct Bench {
    executable: PathBuf,
    trace: PathBuf,
    takes_all: bool,
}

impl Bench {
    /// Compares in each scope. Returns how many searches there were to compare.
    fn compare(&self, number: usize, source: &Source, expectation: &Expectation) -> Result<u64, String> {
        let flags: Vec<&str> = std::iter::once("-O1").chain(expectation.flags.iter().map(String::as_str)).collect();
        compile(&source.path, &self.executable, &flags)?;
        let mut count = 0;
        for scope in &expectation.scopes {
            let explore = |filters, options: &[&str]| self.explore(scope, filters, options, &expectation.arguments);
            let everything = explore("", &["--jobs", "1", "--max-executions", MOST_SCHEDULES])?;
            if everything.0["complete"] != true {
                continue;
            }
            let lists = if scope == "all" { ALL } else { SYNC };
            let taken = if self.takes_all { lists.len() } else { TAKEN };
            let ends = |list: &&str| !list.split(',').any(|name| expectation.endless.iter().any(|other| other == name));
            for (index, filters) in lists.into_iter().cycle().skip(number).take(taken).filter(ends).enumerate() {
                let is_shared = index == 0 || self.takes_all;
                let several = is_shared.then_some(WORKERS[number % WORKERS.len()]);
                for jobs in std::iter::once("1").chain(several) {
                    // From the first execution on: most searches are over soon.
                    let filtered = explore(filters, &["--jobs", jobs, "--alone", "0"])?;
                    let name = |problem| format!("{scope}, {filters}, {jobs} workers: {problem}");
                    expect_same(&everything, &filtered).map_err(name)?;
                    count += 1;
                }
            }
        }
        Ok(count)
    }

    fn explore(&self, scope: &str, filters: &str, options: &[&str], arguments: &[String]) -> Result<Summary, String> {
        let mut command = Command::new(rscale());
        command.arg("run").arg(&self.executable).args(["--scope", scope, "--filters", filters]).args(options);
        command.args(["--keep-going", "--outcomes", "--minimize", "off", "--quiet", "--json", "-"]);
        command.arg("--trace").arg(&self.trace).arg("--").args(arguments);
        let finished = process::run(&mut command)?;
        Summary::parse(&finished.stdout).map_err(|problem| format!("{filters}: {problem}\n{}", finished.err()))
    }
}

/// The same ends, and findings of the same kinds.
fn expect_same(everything: &Summary, filtered: &Summary) -> Result<(), String> {
    if filtered.0["complete"] != true {
        return Err(format!("not complete: {}", filtered.text("guarantee")));
    }
    let (wanted, got) = (everything.outcomes(), filtered.outcomes());
    let missing: Vec<_> = wanted.difference(&got).take(SHOWN).collect();
    let surplus: Vec<_> = got.difference(&wanted).take(SHOWN).collect();
    if wanted != got {
        return Err(format!("outcomes that are missing: {missing:?}; that can not be: {surplus:?}"));
    }
    let (wanted, got) = (kinds(everything), kinds(filtered));
    if wanted == got { Ok(()) } else { Err(format!("findings: {wanted:?} without filters, {got:?} with them")) }
}

fn kinds(summary: &Summary) -> BTreeSet<String> {
    let kind = |finding: &serde_json::Value| finding["kind"].as_str().unwrap_or_default().to_owned();
    summary.findings().iter().map(kind).collect()
}
