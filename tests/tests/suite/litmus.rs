//! The litmus tests in `examples/litmus`: under each memory model rscale sees the outcomes that stand in their
//! comments, nothing missing and nothing extra.
//!
//! A line ` * tso: 0 1, 1 0` lists what the program can print under a model; with `fenced` before it, when compiled
//! with `-DFENCED`. Several such lines are one list. What is found in some executions is listed by its kind. With
//! `slow` before it, it is left out unless `RSCALE_LITMUS_SLOW` is set.

mod paper;

use rscale_tests::binary::{rscale, workspace};
use rscale_tests::compile::compile;
use rscale_tests::process;
use rscale_tests::scratch::Scratch;
use rscale_tests::summary::Summary;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

const MODELS: [&str; 3] = ["sc", "tso", "pso"];

/// What a program can print under a memory model.
struct Expectation {
    model: String,
    is_fenced: bool,
    is_slow: bool,
    outcomes: BTreeSet<String>,
}

/// The line of a comment, if it is an expectation.
fn expectation(line: &str) -> Option<Expectation> {
    let (words, outcomes) = line.strip_prefix(" * ")?.split_once(": ")?;
    let mut words: Vec<&str> = words.split(' ').collect();
    let model = words.pop().filter(|word| MODELS.contains(word))?.to_owned();
    let outcomes = outcomes.split(", ").map(str::to_owned).collect();
    Some(Expectation { model, is_fenced: words.contains(&"fenced"), is_slow: words.contains(&"slow"), outcomes })
}

/// All expectations of a program.
fn expectations(text: &str) -> Vec<Expectation> {
    let mut all: Vec<Expectation> = Vec::new();
    for line in text.lines().filter_map(expectation) {
        let same = |known: &&mut Expectation| known.model == line.model && known.is_fenced == line.is_fenced;
        match all.iter_mut().find(same) {
            Some(known) => known.outcomes.extend(line.outcomes),
            None => all.push(line),
        }
    }
    all
}

fn sources() -> Vec<PathBuf> {
    let directory = workspace().join("examples/litmus");
    let files = std::fs::read_dir(directory).expect("the litmus tests").map(|entry| entry.expect("an entry").path());
    let mut sources: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|end| end == "c")).collect();
    sources.sort();
    sources
}

/// Explores a program, and returns what it printed, and what was found.
fn outcomes(program: &Path, trace: &Path, options: &[&str]) -> (BTreeSet<String>, Summary) {
    let mut command = Command::new(rscale());
    command
        .arg("run")
        .arg(program)
        .args(["--jobs", "1", "--outcomes", "--keep-going", "--quiet", "--json", "-", "--trace"])
        .arg(trace);
    let finished = process::run(command.args(options)).expect("rscale ends");
    let summary =
        Summary::parse(&finished.stdout).unwrap_or_else(|problem| panic!("{problem}\n{}", finished.describe()));
    let is_explored = matches!(summary.text("verdict"), "clean" | "bug") && summary.0["complete"] == true;
    assert!(is_explored, "{}", finished.describe());
    let printed = summary.outcomes().into_iter().map(|(_, text)| text.trim_end().to_owned());
    let found = summary.findings().iter().filter_map(|finding| finding["kind"].as_str()).map(str::to_owned);
    (printed.chain(found).collect(), summary)
}

/// The same, with the number of executions.
fn counted(program: &Path, trace: &Path, options: &[&str]) -> (BTreeSet<String>, u64) {
    let (outcomes, summary) = outcomes(program, trace, options);
    (outcomes, summary.0["executions"].as_u64().expect("a number"))
}

#[test]
fn every_litmus_test_has_its_outcomes() {
    let scratch = Scratch::new(env!("CARGO_TARGET_TMPDIR"));
    let (program, trace) = (scratch.file("program"), scratch.file("trace.txt"));
    let is_patient = std::env::var_os("RSCALE_LITMUS_SLOW").is_some();
    let (mut checked, mut wrong) = (0, Vec::new());
    for source in sources() {
        let text = std::fs::read_to_string(&source).expect("a source file");
        let expectations = expectations(&text);
        assert!(
            expectations.len() >= MODELS.len() && expectations.iter().any(|expected| !expected.is_slow),
            "{}: what does it print?",
            source.display()
        );
        for expected in expectations.iter().filter(|expected| is_patient || !expected.is_slow) {
            let flags: &[&str] = if expected.is_fenced { &["-O1", "-DFENCED"] } else { &["-O1"] };
            compile(&source, &program, flags).expect("a litmus test compiles");
            let (got, _) = outcomes(&program, &trace, &["--memory", &expected.model]);
            checked += 1;
            if got != expected.outcomes {
                let (name, model) = (source.display(), &expected.model);
                wrong.push(format!("{name} {model} {flags:?}: expected {:?}, got {got:?}", expected.outcomes));
            }
        }
    }
    println!("{checked} litmus tests");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A buffer without room is none, and more room only adds outcomes, up to those of the model. It adds executions, too; but
/// how often a thread goes round that waits in a loop for room and for others depends on the order of the search.
#[test]
fn bounds_grow_from_sequential_consistency_to_the_model() {
    let scratch = Scratch::new(env!("CARGO_TARGET_TMPDIR"));
    let (program, trace) = (scratch.file("program"), scratch.file("trace.txt"));
    let run = |name: &str, options: &[&str]| {
        let source = workspace().join(format!("examples/litmus/{name}.c"));
        compile(&source, &program, &["-O1"]).expect("a litmus test compiles");
        counted(&program, &trace, options)
    };
    for (name, model) in [("sb", "tso"), ("n6", "tso"), ("peterson", "tso"), ("mp", "pso"), ("s", "pso")] {
        let strong = run(name, &["--memory", "sc"]);
        let bounded = [0, 1, 2, 3].map(|bound| run(name, &["--memory", model, "--buffer", &bound.to_string()]));
        let weak = run(name, &["--memory", model]);
        assert_eq!(bounded[0], strong, "{name}: no room");
        let has_loop = name == "peterson";
        for pair in bounded.windows(2) {
            assert!(pair[0].0.is_subset(&pair[1].0), "{name}: {pair:?}");
            assert!(has_loop || pair[0].1 <= pair[1].1, "{name}: {pair:?}");
        }
        assert!(bounded[3].0.is_subset(&weak.0) && bounded[3].1 <= weak.1, "{name}");
        assert!(strong.0.len() < weak.0.len(), "{name}");
    }
}

/// Programs without races have no more executions with store buffers than without.
#[test]
fn programs_without_races_have_their_executions_under_every_model() {
    const PROGRAMS: [&str; 16] = [
        "tests/programs/mutex/counter_ok.c",
        "tests/programs/mutex/freed_ok.c",
        "tests/programs/condition/broadcast_ok.c",
        "tests/programs/condition/if_ok.c",
        "tests/programs/semaphore/trywait_ok.c",
        "tests/programs/barrier/rounds_ok.c",
        "tests/programs/rwlock/readers_ok.c",
        "tests/programs/rwlock/upgrade_ok.c",
        "tests/programs/spin/counter_ok.c",
        "tests/programs/once/exactly_once_ok.c",
        "tests/programs/c11/conditions_ok.c",
        "tests/programs/cpp/condition_ok.cpp",
        "tests/programs/cpp/exceptions_ok.cpp",
        "examples/barrier.c",
        "examples/threadpool.c",
        "examples/philosophers.c",
    ];
    let scratch = Scratch::new(env!("CARGO_TARGET_TMPDIR"));
    let (program, trace) = (scratch.file("program"), scratch.file("trace.txt"));
    for name in PROGRAMS {
        compile(&workspace().join(name), &program, &["-O1"]).expect("a program compiles");
        let [strong, weaker, weakest] = MODELS.map(|model| counted(&program, &trace, &["--memory", model]));
        assert_eq!((&weaker, &weakest), (&strong, &strong), "{name}");
    }
}

/// Atomic accesses are unordered, so that the plain stores among them are delayed; but nobody sees that in these
/// programs.
#[test]
fn programs_whose_atomic_accesses_order_all_others_have_no_more_executions_under_tso() {
    const PROGRAMS: [&str; 7] = [
        "access/double_checked_ok.cpp",
        "access/test_and_set_ok.c",
        "access/use_count_ok.cpp",
        "races/built_in_ok.c",
        "races/double_checked_ok.c",
        "races/flag_ok.c",
        "races/standard_ok.cpp",
    ];
    let scratch = Scratch::new(env!("CARGO_TARGET_TMPDIR"));
    let (program, trace) = (scratch.file("program"), scratch.file("trace.txt"));
    for name in PROGRAMS {
        compile(&workspace().join("tests/programs").join(name), &program, &["-O1"]).expect("a program compiles");
        let [strong, weak] = ["sc", "tso"].map(|model| counted(&program, &trace, &["--memory", model]));
        assert_eq!(weak, strong, "{name}");
    }
}
