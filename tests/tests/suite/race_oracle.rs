//! rscale and brute force agree on which variables random programs race for, under every memory model and with every
//! filter that keeps all traces.
//!
//! `campaign.rs` says how to run more programs, or to look at a single one.

use rscale_tests::binary::rscale;
use rscale_tests::campaign::{Campaign, interpreter};
use rscale_tests::oracle::Random;
use rscale_tests::process;
use rscale_tests::race_oracle::{Program, generate, racy_variables};
use rscale_tests::scratch::Scratch;
use rscale_tests::summary::Summary;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

/// Programs to compare; `RSCALE_ORACLE_PROGRAMS` overrides it.
const PROGRAMS: u64 = 400;
/// Programs with more states are passed over, so that none takes long.
const MOST_STATES: usize = 1500;
const LEVELS: [&str; 2] = ["-O0", "-O2"];
const FILTERS: [&str; 5] = ["optimal", "source", "nsb", "dpor", "epor"];
const MODELS: [&str; 3] = ["sc", "tso", "pso"];

#[test]
fn rscale_finds_the_races_that_brute_force_finds() {
    let scratch = Scratch::new(env!("CARGO_TARGET_TMPDIR"));
    let interpreters = LEVELS.map(|level| interpreter(&scratch, "race_interpreter.c", level));
    let campaign = Campaign::new(PROGRAMS);
    let with_races = AtomicU64::new(0);
    let bench = |worker| Bench { interpreters: &interpreters, trace: scratch.file(&format!("trace-{worker}.txt")) };
    let mismatches = campaign.run(bench, |bench, number| {
        let (program, racy) = program(number);
        with_races.fetch_add((!racy.is_empty()).into(), Ordering::Relaxed);
        bench.compare(number, &program, &racy).map_err(|problem| format!("{program}\n  {problem}"))
    });
    let (wanted, racy) = (campaign.len(), with_races.into_inner());
    println!("{wanted} programs, {racy} of them with races");
    mismatches.expect_none();
    let is_mixed = (wanted / 5..wanted - wanted / 5).contains(&racy);
    assert!(campaign.is_single() || is_mixed, "the programs all have races, or none: {racy} of {wanted}");
}

/// The program of this number, and what it races for: the first one of its sequence that is small enough.
fn program(number: u64) -> (Program, BTreeSet<u8>) {
    let mut random = Random::new(number);
    loop {
        let program = generate(&mut random);
        if let Some(racy) = racy_variables(&program, MOST_STATES) {
            return (program, racy);
        }
    }
}

struct Bench<'a> {
    interpreters: &'a [PathBuf],
    trace: PathBuf,
}

impl Bench<'_> {
    fn compare(&self, number: u64, program: &Program, racy: &BTreeSet<u8>) -> Result<(), String> {
        let number = number as usize;
        let filter = FILTERS[number / LEVELS.len() % FILTERS.len()];
        let model = MODELS[number / (LEVELS.len() * FILTERS.len()) % MODELS.len()];
        let mut command = Command::new(rscale());
        command.arg("run").arg(&self.interpreters[number % LEVELS.len()]).args(["--races", "--keep-going"]);
        command.args(["--filters", filter, "--memory", model, "--minimize", "off"]);
        command.args(["--quiet", "--json", "-", "--trace"]).arg(&self.trace);
        command.arg("--").arg(program.to_string());
        // Brute force knows no store buffers, so what threads look at must not pass through them.
        command.args((model != "sc").then_some("strict"));
        let finished = process::run(&mut command)?;
        let summary = Summary::parse(&finished.stdout).map_err(|problem| format!("{problem}\n{}", finished.err()))?;
        if summary.0["complete"] != true {
            return Err(format!("{filter} {model}: {}", finished.describe()));
        }
        let found = raced_for(&summary)?;
        if found == *racy { Ok(()) } else { Err(format!("{filter} {model}: races for {racy:?}, found {found:?}")) }
    }
}

/// The variables that findings of races name.
fn raced_for(summary: &Summary) -> Result<BTreeSet<u8>, String> {
    let races = summary.findings().iter().filter(|finding| finding["kind"] == "race");
    let variable = |finding: &serde_json::Value| {
        let message = finding["message"].as_str().unwrap_or_default();
        let (_, rest) = message.split_once("accesses to data[")?;
        rest.split_once(']')?.0.parse().ok()
    };
    races.map(|finding| variable(finding).ok_or(format!("an unexpected race: {finding}"))).collect()
}
