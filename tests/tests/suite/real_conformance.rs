//! Every filter on real code: programs of the distribution as they are installed, and drivers of real libraries
//! (SQLite, the classes of libstdc++), some of which use them wrongly.
//!
//! Of the drivers, plain search visits every schedule: no filter loses an outcome or a finding, and counts are pinned.
//! Of the programs it does not end. There the reductions have to agree with each other and with the states that `nsb`
//! keeps apart on how many traces there are, and with plain search on what is found with at most one preemption. A
//! disagreement of this kind has shown that all reductions lost orders of a wait for a signal.

use rscale_tests::binary::{rscale, workspace};
use rscale_tests::compile::compile;
use rscale_tests::process;
use rscale_tests::scratch::Scratch;
use rscale_tests::summary::Summary;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// A driver of a library, and how many executions it takes.
struct Driver {
    source: &'static str,
    flags: &'static [&'static str],
    scope: &'static str,
    /// What goes wrong, if anything does.
    kind: Option<&'static str>,
    /// Without any filter.
    schedules: u64,
    /// With a partial order reduction: traces.
    traces: u64,
    /// With `nsb`, which also tells apart in which order readers came.
    states: u64,
}

const CPP: &[&str] = &["-std=c++20"];
const DRIVERS: [Driver; 6] = [
    Driver {
        source: "sqlite_once.c",
        flags: &["-lsqlite3"],
        scope: "sync",
        kind: Some("assertion"),
        schedules: 62,
        traces: 6,
        states: 6,
    },
    Driver { source: "add_once.cpp", flags: CPP, scope: "sync", kind: None, schedules: 48, traces: 4, states: 14 },
    Driver {
        source: "queue.cpp",
        flags: CPP,
        scope: "sync",
        kind: Some("deadlock"),
        schedules: 58,
        traces: 7,
        states: 7,
    },
    Driver {
        source: "async.cpp",
        flags: CPP,
        scope: "all",
        kind: Some("assertion"),
        schedules: 1665,
        traces: 15,
        states: 15,
    },
    Driver { source: "once.cpp", flags: CPP, scope: "sync", kind: None, schedules: 281, traces: 2, states: 2 },
    Driver {
        source: "shared_mutex.cpp",
        flags: CPP,
        scope: "sync",
        kind: None,
        schedules: 10323,
        traces: 14,
        states: 38,
    },
];

/// Those that run one execution for each trace.
const REDUCTIONS: [&str; 5] = ["optimal", "source", "dpor", "epor", "epor-sh"];
const STATES: [&str; 3] = ["nsb", "nsb=4", "nsb,superstep"];
/// What is found with at most one preemption.
const BOUNDED: [&str; 3] = ["bpor=1", "source-bpor=1", "lazy-bpor=1"];

#[test]
fn drivers_of_libraries_lose_nothing() {
    provide("/usr/include/sqlite3.h", "libsqlite3-dev");
    let scratch = Scratch::new(env!("CARGO_TARGET_TMPDIR"));
    for driver in &DRIVERS {
        let executable = scratch.file("driver");
        let source = workspace().join("tests/real").join(driver.source);
        compile(&source, &executable, &[&["-O1"], driver.flags].concat()).expect("the driver compiles");
        let explore = |filters| explore(&scratch, &[&executable.to_string_lossy()], driver.scope, filters);
        let everything = explore("");
        let what = |filters: &str| format!("{}, {}, {filters:?}", driver.source, driver.scope);
        assert_eq!(everything.number("executions"), Some(driver.schedules), "{}", what(""));
        assert_eq!(kinds(&everything), driver.kind.into_iter().map(str::to_owned).collect(), "{}", what(""));
        let pinned = REDUCTIONS.map(|filters| (filters, Some(driver.traces)));
        let states = STATES.map(|filters| (filters, Some(driver.states)));
        for (filters, executions) in pinned.into_iter().chain(states).chain([("superstep", None)]) {
            let filtered = explore(filters);
            expect_same(&everything, &filtered, &what(filters));
            if executions.is_some() {
                assert_eq!(filtered.number("executions"), executions, "{}", what(filters));
            }
        }
    }
}

/// A program of the distribution with a small input, and how many traces it has in this version.
struct Installed {
    line: &'static str,
    version: &'static str,
    traces: u64,
    states: u64,
    /// Whether it takes too long for the test suite.
    is_long: bool,
}

const INSTALLED: [Installed; 7] = [
    Installed { line: "zstd -T1 -c -k text", version: "v1.5.4", traces: 9, states: 9, is_long: false },
    Installed { line: "pbzip2 -p2 -c -k text", version: "v1.1.13", traces: 22, states: 22, is_long: false },
    Installed { line: "pbzip2 -t text", version: "v1.1.13", traces: 16, states: 16, is_long: false },
    Installed { line: "lbzip2 -n1 -c -k empty", version: "version 2.5", traces: 8, states: 8, is_long: false },
    Installed { line: "pigz -p 2 -dc empty.gz", version: "pigz 2.6", traces: 24, states: 48, is_long: false },
    Installed { line: "pbzip2 -dc -k damaged.bz2", version: "v1.1.13", traces: 808, states: 808, is_long: true },
    Installed { line: "lbzip2 -n1 -t damaged.bz2", version: "version 2.5", traces: 3200, states: 3200, is_long: true },
];

/// `hello hello hello` with a wrong byte in the middle, and nothing, compressed.
const DAMAGED: [u8; 47] = [
    0x42, 0x5a, 0x68, 0x39, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, 0xe5, 0xb5, 0x0c, 0x09, 0x00, 0x00, 0x04, 0x51, 0x00,
    0x00, 0x10, 0x40, 0x00, 0x02, 0x44, 0xa0, 0x00, 0x21, 0xb5, 0x18, 0x0c, 0x02, 0x90, 0x69, 0xc2, 0xa3, 0x0b, 0xb9,
    0x22, 0x9c, 0x28, 0x48, 0x72, 0xda, 0xf9, 0x84, 0x80,
];
const EMPTY: [u8; 20] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0];

#[test]
fn reductions_agree_on_installed_programs() {
    let takes_all = env::var("RSCALE_CONFORMANCE").is_ok_and(|value| value == "all");
    let scratch = Scratch::new(env!("CARGO_TARGET_TMPDIR"));
    scratch.write("text", "hello hello hello\n");
    scratch.write("empty", "");
    scratch.write("empty.gz", EMPTY);
    scratch.write("damaged.bz2", DAMAGED);
    for installed in INSTALLED.iter().filter(|installed| takes_all || !installed.is_long) {
        let mut words: Vec<&str> = installed.line.split(' ').collect();
        let program = format!("/usr/bin/{}", words[0]);
        provide(&program, words[0]);
        let is_version = version_of(&program).contains(installed.version);
        words[0] = &program;
        let explore = |filters: &str| explore(&scratch, &words, "sync", filters);
        let what = |filters: &str| format!("{}, {filters}", installed.line);
        let reduced = explore("optimal");
        let traces = if is_version { Some(installed.traces) } else { reduced.number("executions") };
        let states = is_version.then_some(installed.states);
        for (filters, executions) in
            REDUCTIONS.iter().map(|&filters| (filters, traces)).chain(STATES.map(|filters| (filters, states)))
        {
            let other = explore(filters);
            expect_same(&reduced, &other, &what(filters));
            assert!(executions.is_none() || other.number("executions") == executions, "{}: {other:?}", what(filters));
        }
        let bounded = explore("pb=1");
        assert!(bounded.outcomes().is_subset(&reduced.outcomes()), "{}", what("pb=1"));
        assert!(kinds(&bounded).is_subset(&kinds(&reduced)), "{}", what("pb=1"));
        for filters in BOUNDED {
            let other = explore(filters);
            assert_eq!((other.outcomes(), kinds(&other)), (bounded.outcomes(), kinds(&bounded)), "{}", what(filters));
        }
    }
}

/// What a search finds; the words are the program and its arguments.
fn explore(scratch: &Scratch, words: &[&str], scope: &str, filters: &str) -> Summary {
    let mut command = Command::new(rscale());
    command.args([
        "run",
        words[0],
        "--scope",
        scope,
        "--filters",
        filters,
        "--keep-going",
        "--outcomes",
        "--jobs",
        "1",
    ]);
    command.args(["--minimize", "off", "--quiet", "--no-progress", "--json", "-", "--"]).args(&words[1..]);
    let finished = process::run(command.current_dir(scratch.path())).expect("it ends");
    Summary::parse(&finished.stdout)
        .unwrap_or_else(|problem| panic!("{words:?}, {filters}: {problem}\n{}", finished.err()))
}

#[track_caller]
fn expect_same(one: &Summary, other: &Summary, what: &str) {
    assert_eq!(other.0["complete"], true, "{what}: {}", other.text("guarantee"));
    assert_eq!(one.outcomes(), other.outcomes(), "{what}");
    assert_eq!(findings(one), findings(other), "{what}");
}

fn kinds(summary: &Summary) -> BTreeSet<String> {
    summary.findings().iter().filter_map(|finding| finding["kind"].as_str()).map(str::to_owned).collect()
}

/// What is found, and where.
fn findings(summary: &Summary) -> BTreeSet<[String; 3]> {
    let text = |finding: &serde_json::Value| ["kind", "message", "location"].map(|field| finding[field].to_string());
    summary.findings().iter().map(text).collect()
}

/// Installs a package that is missing: without it nothing would be tested.
fn provide(file: &str, package: &str) {
    if !Path::new(file).exists() {
        let install = format!("apt-get update -qq && apt-get install -y -qq {package}");
        let _ = Command::new("sh").args(["-c", &install]).output();
    }
    assert!(fs::metadata(file).is_ok(), "{file} of the package {package} is needed");
}

fn version_of(program: &str) -> String {
    let output = Command::new(program).arg("--version").output().expect("it starts");
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}
