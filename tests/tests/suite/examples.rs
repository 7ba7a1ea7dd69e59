//! The programs of the SCALE thesis, appendix A, under its filters: bugs are found, correct programs come out clean,
//! and the searches have the sizes that `docs/results.md` compares with the thesis' own. And a bug of today.

use rscale_tests::binary::{rscale, workspace};
use rscale_tests::compile::compile;
use rscale_tests::process;
use rscale_tests::scratch::Scratch;
use rscale_tests::summary::Summary;
use std::process::Command;

struct Bench(Scratch);

impl Bench {
    fn new() -> Bench {
        Bench(Scratch::new(env!("CARGO_TARGET_TMPDIR")))
    }

    /// Compiles an example and explores it.
    fn explore(&self, example: &str, flags: &[&str], options: &[&str]) -> Summary {
        let program = self.0.file("program");
        let source = workspace().join(format!("examples/{example}.c"));
        compile(&source, &program, &[&["-O1"], flags].concat()).expect(example);
        let mut command = Command::new(rscale());
        command.arg("run").arg(&program).args(["--quiet", "--json", "-", "--trace"]).arg(self.0.file("trace.txt"));
        let finished = process::run(command.args(options)).expect("rscale ends");
        Summary::parse(&finished.stdout).unwrap_or_else(|problem| panic!("{problem}\n{}", finished.describe()))
    }
}

fn expect_bug(summary: &Summary, what: &str) {
    assert_eq!(summary.text("verdict"), "bug", "{what}");
    assert!(summary.has_finding("assertion"), "{what}: {}", summary.0["findings"]);
}

fn expect_clean(summary: &Summary, what: &str) {
    assert_eq!((summary.text("verdict"), &summary.0["complete"]), ("clean", &true.into()), "{what}");
}

/// Section 6.1: there is no bound on the depth, and consumer and producer wait in loops.
#[test]
fn the_queue_loses_an_element() {
    let bench = Bench::new();
    for n in 2..=10 {
        for filters in ["lcd", "nsb,lcd,superstep"] {
            let size = format!("-DN={n}");
            let summary = bench.explore("nbqueue", &[&size], &["--filters", filters]);
            // The consumer gets the next one instead, or waits for it for ever.
            let is_lost = ["assertion", "livelock"].iter().any(|kind| summary.has_finding(kind));
            assert!(is_lost, "{filters} {size}: {}", summary.0["findings"]);
        }
    }
    let fixed = ["-DFIXED", "-DN=1"];
    for filters in ["nsb,lcd", "nsb,lcd,superstep", "nsb", "nsb,superstep"] {
        expect_clean(&bench.explore("nbqueue", &fixed, &["--filters", filters]), filters);
    }
}

/// The local state of a thread is what it is, whether the execution began anew or went on from an earlier state: a
/// round of a loop is recognised in any case.
#[test]
fn rounds_are_recognised_whatever_came_before() {
    let bench = Bench::new();
    let runs = |isolation| {
        let options = ["--filters", "nsb,lcd", "--isolation", isolation];
        bench.explore("nbqueue", &["-DFIXED", "-DN=1"], &options).number("runs")
    };
    assert_eq!(runs("snapshot"), runs("fork"));
}

/// Section 6.5: other tools of the time took these for correct.
#[test]
fn bugs_that_others_missed() {
    let bench = Bench::new();
    for filters in ["nsb", "superstep", "nsb,lcd,superstep"] {
        expect_bug(&bench.explore("prodcons", &[], &["--filters", filters]), filters);
        expect_bug(&bench.explore("inspectbug", &[], &["--filters", filters]), filters);
        expect_clean(&bench.explore("prodcons", &["-DNO_ASSERTION", "-DN=2"], &["--filters", filters]), filters);
    }
}

/// Tables 6.1 to 6.3: the number of final states does not depend on the filter, and is the exact one where that is
/// known.
#[test]
fn correct_programs_and_their_final_states() {
    let bench = Bench::new();
    for (example, flags, ends) in [
        ("indexer", &["-DN=2"][..], 1),
        ("indexer", &["-DN=4"], 1),
        ("threadpool", &["-DN=1"], 6),
        ("threadpool", &["-DN=2"], 90),
        ("threadpool", &["-DN=3"], 2292),
        ("barrier", &["-DN=2", "-DSTEPS=1"], 6),
        ("barrier", &["-DN=2", "-DSTEPS=2"], 54),
        ("barrier", &["-DN=2", "-DSTEPS=3"], 486),
        ("barrier", &["-DN=3", "-DSTEPS=1"], 360),
    ] {
        for filters in ["nsb", "nsb,superstep"] {
            let what = format!("{example} {flags:?} {filters}");
            let summary = bench.explore(example, flags, &["--scope", "sync", "--filters", filters]);
            expect_clean(&summary, &what);
            assert_eq!(summary.number("executions"), Some(ends), "{what}");
        }
    }
}

/// Tables 6.1 to 6.3: exact numbers of runs, with superstep and without, and the thesis' own beside them. Searches must
/// not grow unnoticed, and none is larger than the thesis'.
#[test]
fn sizes_of_searches() {
    let bench = Bench::new();
    for (example, flags, [reduced, scale], [alone, star]) in [
        ("indexer", &["-DN=2"][..], [2, 2], [5, 18]),
        ("indexer", &["-DN=3"], [6, 8], [25, 309]),
        ("indexer", &["-DN=4"], [18, 32], [125, 5256]),
        ("indexer", &["-DN=5"], [50, 146], [625, 89363]),
        ("indexer", &["-DN=6"], [130, 818], [3125, u64::MAX]),
        ("threadpool", &["-DN=1"], [6, 6], [6, 6]),
        ("threadpool", &["-DN=2"], [90, 124], [90, 136]),
        ("threadpool", &["-DN=3"], [2292, 3347], [2292, 4875]),
        ("barrier", &["-DN=2", "-DSTEPS=1"], [6, 6], [6, 6]),
        ("barrier", &["-DN=2", "-DSTEPS=2"], [54, 54], [54, 54]),
        ("barrier", &["-DN=2", "-DSTEPS=3"], [486, 486], [486, 486]),
        ("barrier", &["-DN=3", "-DSTEPS=1"], [360, 481], [360, 481]),
    ] {
        for (filters, runs, thesis) in [("nsb,superstep", reduced, scale), ("nsb", alone, star)] {
            let summary = bench.explore(example, flags, &["--scope", "sync", "--filters", filters]);
            assert_eq!(summary.number("runs"), Some(runs), "{example} {flags:?} {filters}");
            assert!(runs <= thesis, "{example} {flags:?} {filters}: {runs}, the thesis has {thesis}");
        }
    }
}

/// The bug is in a header, of which there are others.
#[test]
fn a_semaphore_of_the_standard_library_sleeps_for_ever() {
    let version = Command::new("g++").arg("-dumpversion").output().expect("g++ is there").stdout;
    let bench = Bench::new();
    let example = workspace().join("examples/semaphore.cpp");
    let mut command = Command::new(rscale());
    command.arg("run").arg(example).env("CXX", "g++ -std=c++20").args([
        "--quiet",
        "--json",
        "-",
        "--time-limit",
        "30s",
    ]);
    let finished = process::run(command.arg("--trace").arg(bench.0.file("trace.txt"))).expect("rscale ends");
    let summary =
        Summary::parse(&finished.stdout).unwrap_or_else(|problem| panic!("{problem}\n{}", finished.describe()));
    let has_bug = version.starts_with(b"12");
    assert_eq!(summary.has_finding("deadlock"), has_bug, "{}", finished.describe());
    assert_eq!(summary.findings().len(), usize::from(has_bug), "{}", finished.describe());
    // Lines are those of the program, not of headers; the thread is created in a library.
    let orderings = summary.0["findings"][0]["orderings"].to_string();
    assert!(!has_bug || orderings.contains("(semaphore.cpp:23)") && !orderings.contains(".h:"), "{orderings}");
}
