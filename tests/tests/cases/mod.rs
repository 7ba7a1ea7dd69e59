//! One program: everything that is checked about it.

use rscale_tests::binary::rscale;
use rscale_tests::compile::{Compiler, compile, compile_with};
use rscale_tests::expectation::{Expectation, Variant};
use rscale_tests::process::{self, Finished};
use rscale_tests::scratch::Scratch;
use rscale_tests::summary::Summary;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Replays of each finding: the same text every time.
const REPLAYS: usize = 3;

/// Options of the checks that a program may name too.
const FLAGS: [&str; 2] = ["--keep-going", "--outcomes"];
/// Families of programs that are compiled by every compiler there is.
const COMPILED_BY_ALL: [&str; 3] = ["access/", "instructions/", "races/"];
/// Larger searches are counted under the first isolation level only: a process per execution takes milliseconds.
const MOST_RUNS_ELSEWHERE: u64 = 300;

/// A test program.
pub struct Case {
    /// Its path below `tests/programs`.
    pub name: String,
    /// Its file.
    pub source: PathBuf,
}

impl Case {
    /// Whatever is not as the program says; empty if it passes.
    pub fn problems(&self) -> Vec<String> {
        let expectation = std::fs::read_to_string(&self.source).map_err(|cause| cause.to_string());
        let expectation = match expectation.and_then(|source| Expectation::of_source(&source)) {
            Ok(expectation) => expectation,
            Err(problem) => return vec![format!("expectation: {problem}")],
        };
        let at = |level: &String| self.problems_at(level, &expectation);
        let mut problems: Vec<String> = expectation.levels.iter().flat_map(at).collect();
        problems.extend(self.problems_elsewhere(&expectation));
        problems.extend(expectation.variants.iter().filter_map(|variant| self.problem_of(variant, &expectation)));
        problems
    }

    /// The same program in another size: the exact numbers.
    fn problem_of(&self, variant: &Variant, expectation: &Expectation) -> Option<String> {
        let expectation = Expectation {
            flags: [&expectation.flags[..], &variant.flags].concat(),
            executions: variant.executions.clone(),
            runs: variant.runs.clone(),
            ..expectation.clone()
        };
        let scratch = Scratch::new(env!("CARGO_TARGET_TMPDIR"));
        let executable = scratch.file("program");
        let (level, isolation) = (expectation.levels.first()?, expectation.isolation.first()?);
        let flags: Vec<&str> = std::iter::once(level).chain(&expectation.flags).map(String::as_str).collect();
        let bench = Bench { expectation: &expectation, executable: &executable, trace: scratch.file("trace.txt") };
        let problem = compile(&self.source, &executable, &flags).and_then(|()| bench.check_counts(isolation)).err()?;
        Some(format!("{}: {problem}", flags.join(" ")))
    }

    /// Where it matters what code a compiler emits, the verdict is the same with all of them.
    fn problems_elsewhere(&self, expectation: &Expectation) -> Vec<String> {
        let is_about_code = COMPILED_BY_ALL.iter().any(|family| self.name.starts_with(family));
        let others = Compiler::all().iter().filter(|compiler| is_about_code && **compiler != Compiler::Gcc);
        let check = |compiler: &Compiler| {
            let scratch = Scratch::new(env!("CARGO_TARGET_TMPDIR"));
            let executable = scratch.file("program");
            let level = expectation.levels.last().map_or("-O1", String::as_str);
            let flags: Vec<&str> = std::iter::once(level).chain(expectation.flags.iter().map(String::as_str)).collect();
            let bench = Bench { expectation, executable: &executable, trace: scratch.file("trace.txt") };
            let (isolation, scope) = (expectation.isolation.first()?, expectation.scopes.first()?);
            let compiled = compile_with(compiler, &self.source, &executable, &flags);
            let problem = compiled.and_then(|()| bench.check_verdict(isolation, scope)).err()?;
            Some(format!("{} {level}: {problem}", compiler.command(false)))
        };
        others.filter_map(check).collect()
    }

    fn problems_at(&self, level: &str, expectation: &Expectation) -> Vec<String> {
        let scratch = Scratch::new(env!("CARGO_TARGET_TMPDIR"));
        let executable = scratch.file("program");
        let flags: Vec<&str> = std::iter::once(level).chain(expectation.flags.iter().map(String::as_str)).collect();
        if let Err(problem) = compile(&self.source, &executable, &flags) {
            return vec![format!("{level}: {problem}")];
        }
        let bench = Bench { expectation, executable: &executable, trace: scratch.file("trace.txt") };
        let is_last = expectation.levels.last().is_some_and(|last| last == level);
        let named = |isolation: &String| {
            let place = format!("{level} --isolation {isolation}");
            bench.problems(isolation).into_iter().map(move |problem| format!("{place}: {problem}"))
        };
        let mut problems: Vec<String> = expectation.isolation.iter().flat_map(named).collect();
        if let ([_, scope], [isolation, ..], true) = (&expectation.scopes[..], &expectation.isolation[..], is_last) {
            let found = bench.check_verdict(isolation, scope).err();
            problems.extend(found.map(|problem| format!("{level} --scope {scope}: {problem}")));
        }
        problems
    }
}

/// A compiled program and what is expected of it.
struct Bench<'a> {
    expectation: &'a Expectation,
    executable: &'a Path,
    trace: PathBuf,
}

impl Bench<'_> {
    fn problems(&self, isolation: &str) -> Vec<String> {
        let scope = &self.expectation.scopes[0];
        let checks =
            [self.check_verdict(isolation, scope), self.check_counts(isolation), self.check_outcomes(isolation)];
        checks.into_iter().filter_map(Result::err).collect()
    }

    /// With the default filters, up to the first finding.
    fn check_verdict(&self, isolation: &str, scope: &str) -> Result<(), String> {
        let expected = self.expectation;
        let options: &[&str] = if self.is_clean() { &["--outcomes"] } else { &[] };
        let (finished, summary) = self.explore(isolation, scope, options)?;
        let complain = |what: &str, wanted: &str, got: &str| {
            Err(format!("{what}: expected {wanted:?}, got {got:?}\n{}", finished.describe()))
        };
        if summary.text("verdict") != expected.verdict {
            return complain("verdict", &expected.verdict, summary.text("verdict"));
        }
        if finished.code() != Some(expected.status) {
            return complain("exit status", &expected.status.to_string(), &finished.status.to_string());
        }
        if (expected.verdict == "clean") != (summary.0["complete"] == true && summary.findings().is_empty()) {
            return complain("complete", &expected.verdict, &summary.0["complete"].to_string());
        }
        if let Some(kind) = &expected.kind {
            if summary.of_first_finding("kind") != kind {
                return complain("kind", kind, summary.of_first_finding("kind"));
            }
            self.check_texts(&summary).map_err(|problem| format!("{problem}\n{}", finished.describe()))?;
            self.check_replays(kind, isolation)?;
        }
        if self.is_clean() { self.compare_outcomes(&summary) } else { Ok(()) }
    }

    /// Where nothing is found, the first search visits everything: there is no need for another one.
    fn is_clean(&self) -> bool {
        self.expectation.verdict == "clean"
    }

    fn check_texts(&self, summary: &Summary) -> Result<(), String> {
        for (field, part) in [("message", &self.expectation.message), ("location", &self.expectation.location)] {
            let found = summary.of_first_finding(field);
            if let Some(part) = part
                && !found.contains(part)
            {
                return Err(format!("{field}: expected a part {part:?} of {found:?}"));
            }
        }
        Ok(())
    }

    /// The trace shows the finding again, every time in the same words, and, however it was found, on kernel threads
    /// too.
    fn check_replays(&self, kind: &str, isolation: &str) -> Result<(), String> {
        let mut first: Option<Finished> = None;
        for _ in 0..REPLAYS {
            let replayed = self.replay(&[], kind)?;
            let first = first.get_or_insert_with(|| replayed.clone());
            if (&first.stdout, &first.stderr) != (&replayed.stdout, &replayed.stderr) {
                return Err(format!("replays differ:\n{}\n{}", first.describe(), replayed.describe()));
            }
        }
        if self.expectation.threads_engine && self.expectation.isolation[0] == isolation {
            self.replay(&["--engine", "threads"], kind).map_err(|problem| format!("--engine threads: {problem}"))?;
        }
        Ok(())
    }

    fn replay(&self, options: &[&str], kind: &str) -> Result<Finished, String> {
        let mut command = Command::new(rscale());
        command.arg("replay").arg(&self.trace).args(["--json", "-"]).args(options);
        let finished = process::run(&mut command)?;
        let shown = Summary::parse(&finished.stdout).map(|summary| summary.of_first_finding("kind").to_owned());
        if finished.code() != Some(1) || shown.as_deref() != Ok(kind) {
            return Err(format!("the replay does not show the {kind} with status 1: {}", finished.describe()));
        }
        Ok(finished)
    }

    /// The exact numbers, with each list of filters that the program names, and all outcomes where nothing was cut.
    fn check_counts(&self, isolation: &str) -> Result<(), String> {
        let (runs, executions) = (&self.expectation.runs, &self.expectation.executions);
        let lists: BTreeSet<&String> = runs.keys().chain(executions.keys()).collect();
        let is_first = self.expectation.isolation.first().is_some_and(|first| first == isolation);
        let size = |filters: &String| runs.get(filters).or(executions.get(filters)).copied().unwrap_or(0);
        let is_checked = |filters: &&String| is_first || size(filters) <= MOST_RUNS_ELSEWHERE;
        for filters in lists.into_iter().filter(is_checked) {
            let options = ["--keep-going", "--outcomes", "--filters", filters];
            let (_, summary) = self.explore(isolation, &self.expectation.scopes[0], &options)?;
            if summary.0["complete"] == true {
                self.compare_outcomes(&summary).map_err(|problem| format!("--filters {filters:?}: {problem}"))?;
            }
            for (field, expected) in [("runs", runs.get(filters)), ("executions", executions.get(filters))] {
                if expected.is_some() && summary.number(field) != expected.copied() {
                    let got = summary.number(field);
                    return Err(format!("--filters {filters:?}: expected {expected:?} {field}, got {got:?}"));
                }
            }
            // None, but what a program says to be begun in vain.
            let in_vain = runs
                .get(filters)
                .zip(executions.get(filters))
                .map_or(0, |(runs, complete)| runs.saturating_sub(*complete));
            if filters == "optimal" && summary.number("blocked") != Some(in_vain) {
                return Err(format!("--filters optimal: {} executions were blocked", summary.0["blocked"]));
            }
        }
        Ok(())
    }

    fn check_outcomes(&self, isolation: &str) -> Result<(), String> {
        if self.is_clean() || self.expectation.outcomes.is_none() {
            return Ok(());
        }
        let (_, summary) = self.explore(isolation, &self.expectation.scopes[0], &["--keep-going", "--outcomes"])?;
        self.compare_outcomes(&summary)
    }

    fn compare_outcomes(&self, summary: &Summary) -> Result<(), String> {
        let Some(expected) = &self.expectation.outcomes else { return Ok(()) };
        let got = summary.outcomes();
        if got == *expected { Ok(()) } else { Err(format!("outcomes: expected {expected:?}, got {got:?}")) }
    }

    fn explore(&self, isolation: &str, scope: &str, options: &[&str]) -> Result<(Finished, Summary), String> {
        let mut command = Command::new(rscale());
        command.arg("run").arg(self.executable).args(["--json", "-", "--isolation", isolation, "--scope", scope]);
        // An option of the program's own stands for the same one of the check.
        let own = &self.expectation.options;
        command.arg("--trace").arg(&self.trace).args(own);
        let repeated = |option: &&&str| FLAGS.contains(option) && own.iter().any(|own| own == **option);
        command.args(options.iter().filter(|option| !repeated(option)));
        // How many search is tested elsewhere. Small schedules are made once: with a process for each try that takes
        // long.
        command.args(["--jobs", "1"]);
        let is_first = self.expectation.isolation.first().is_some_and(|first| first == isolation);
        if !is_first || options.contains(&"--keep-going") {
            command.args(["--minimize", "off"]);
        }
        command.arg("--").args(&self.expectation.arguments);
        let finished = process::run(&mut command)?;
        let summary =
            Summary::parse(&finished.stdout).map_err(|problem| format!("{problem}\n{}", finished.describe()))?;
        Ok((finished, summary))
    }
}
