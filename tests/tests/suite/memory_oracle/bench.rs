//! Running programs under rscale, and comparing what comes out.

use super::case::Case;
use rscale_tests::access_oracle::Model;
use rscale_tests::binary::rscale;
use rscale_tests::campaign::{Campaign, Mismatches, interpreter};
use rscale_tests::process;
use rscale_tests::scratch::Scratch;
use rscale_tests::summary::Summary;
use std::path::PathBuf;
use std::process::Command;

/// Programs with more schedules are not explored without a reduction.
pub const MOST_PATHS_UNREDUCED: u64 = 60;
const MOST_EXECUTIONS_UNREDUCED: &str = "20000";
/// Filters that lose no outcome; each program takes one of them beside the default and `source`.
const REDUCTIONS: [&str; 6] = ["dpor", "nsb", "nsb,lcd", "nsb,superstep", "epor", "epor-sh"];
const LEVELS: [&str; 2] = ["-O0", "-O2"];
const PLACES: [&str; 4] = ["global", "heap", "stack", "tls"];

/// Where a worker runs its programs.
pub struct Bench<'a> {
    interpreters: &'a [PathBuf],
    trace: PathBuf,
}

/// Makes a case for each number of a campaign, and checks it.
pub fn run(
    campaign: &Campaign,
    case: impl Fn(u64) -> Case + Sync,
    check: impl Fn(&Bench<'_>, &Case) -> Result<(), String> + Sync,
) -> Mismatches {
    let scratch = Scratch::new(env!("CARGO_TARGET_TMPDIR"));
    let interpreters = LEVELS.map(|level| interpreter(&scratch, "access_interpreter.c", level));
    let bench = |worker| Bench { interpreters: &interpreters, trace: scratch.file(&format!("trace-{worker}.txt")) };
    campaign.run(bench, |bench, number| {
        let case = case(number);
        check(bench, &case).map_err(|problem| format!("{:?} {}\n  {problem}", case.memory, case.program))
    })
}

impl Bench<'_> {
    /// By default, with `source`, with another filter, and without any.
    pub fn compare(&self, case: &Case) -> Result<(), String> {
        self.compare_with(case, &[])?;
        self.compare_with(case, &["--filters", "source"])?;
        let filters = REDUCTIONS[case.number as usize / (LEVELS.len() * PLACES.len()) % REDUCTIONS.len()];
        self.compare_with(case, &["--filters", filters])?;
        if case.paths <= MOST_PATHS_UNREDUCED && !case.program.has_loops() {
            self.compare_unreduced(case)?;
        }
        Ok(())
    }

    /// Starts and ends of threads are steps too, and have very many orders where there are several threads: beyond some
    /// it is only said what can not be.
    fn compare_unreduced(&self, case: &Case) -> Result<(), String> {
        let options = ["--filters", "", "--max-executions", MOST_EXECUTIONS_UNREDUCED];
        let summary = self.explore(case, &options)?;
        let is_all = summary.0["complete"] == true;
        let compared = if is_all { case.truth.compare(&summary) } else { case.truth.allows(&summary) };
        compared.map_err(|problem| format!("{options:?}: {problem}"))
    }

    fn compare_with(&self, case: &Case, options: &[&str]) -> Result<(), String> {
        let summary = self.explore(case, options)?;
        if summary.0["complete"] != true {
            return Err(format!("{options:?}: it is not complete"));
        }
        case.truth.compare(&summary).map_err(|problem| format!("{options:?}: {problem}"))
    }

    /// What rscale finds.
    pub fn explore(&self, case: &Case, options: &[&str]) -> Result<Summary, String> {
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
