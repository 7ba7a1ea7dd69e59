//! What a run prints and writes.

use crate::cli::subjects::{CLEAN, DEADLOCK, Place, TWO_BUGS, expect_status};
use rscale_tests::summary::Summary;
use std::collections::BTreeSet;
use std::fs;

/// The fields of CLI.md, in their order, and those that were added behind them.
const FIELDS: &str = "rscale program args filters memory verdict complete guarantee runs executions blocked \
                      discarded states transitions max_depth race_checks dependence_checks elapsed_s executions_per_s \
                      peak_rss_kib jobs findings outcomes isolation engine notes levels unsatisfiable_systems search_bytes unwatched";

#[test]
fn json_has_all_fields_in_order() {
    let place = Place::with("program", DEADLOCK);
    let finished = place.rscale(&["run", "./program", "--json", "-", "--", "an argument"]);
    expect_status(&finished, 1);
    let summary = Summary::parse(&finished.stdout).expect("nothing but JSON on the standard output");
    let text = finished.out();
    let names: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("  \"")?.split('"').next()).collect();
    assert_eq!(names, FIELDS.split_whitespace().collect::<Vec<_>>());
    assert_eq!((summary.text("program"), summary.text("verdict")), ("./program", "bug"));
    assert_eq!(summary.0["args"], serde_json::json!(["an argument"]));
    assert_eq!(
        summary.number("runs"),
        Some(summary.number("executions").unwrap() + summary.number("blocked").unwrap())
    );
    let finding = &summary.findings()[0];
    assert_eq!((&finding["kind"], &finding["trace"]), (&"deadlock".into(), &"trace.txt".into()));
    assert!(finished.err().contains("deadlock: no thread can go on"), "the report makes way for the JSON");
}

#[test]
fn json_goes_to_a_file() {
    let place = Place::with("program", CLEAN);
    let finished = place.rscale(&["run", "./program", "--json", "result.json"]);
    expect_status(&finished, 0);
    let summary = Summary::parse(&fs::read(place.scratch.file("result.json")).expect("written")).expect("JSON");
    assert_eq!((summary.text("verdict"), &summary.0["complete"]), ("clean", &true.into()));
    assert!(finished.out().starts_with("clean: nothing found in ./program\n"), "{}", finished.out());
}

#[test]
fn a_failed_run_has_json_too() {
    let place = Place::new();
    place.compile("library", "int answer(void) { return 42; }\n", &["-shared", "-fPIC"]);
    let finished = place.rscale(&["run", "./library", "--json", "-"]);
    expect_status(&finished, 2);
    let summary = Summary::parse(&finished.stdout).expect("JSON");
    assert_eq!(summary.text("verdict"), "error");
    assert!(summary.0["notes"].to_string().contains("is a shared library"), "{}", finished.describe());
}

#[test]
fn quiet_says_only_what_is_wrong() {
    let place = Place::with("clean", CLEAN);
    place.compile("bad", DEADLOCK, &[]);
    let finished = place.rscale(&["run", "./clean", "--quiet"]);
    expect_status(&finished, 0);
    assert_eq!((finished.out(), finished.err()), (String::new(), String::new()));
    let finished = place.rscale(&["run", "./bad", "--quiet"]);
    expect_status(&finished, 1);
    let expected = "bug: 1 finding in ./bad\ndeadlock: no thread can go on\ntrace   trace.txt\n\
                    replay  rscale replay trace.txt\n";
    assert_eq!((finished.out().as_str(), finished.err().as_str()), (expected, ""));
    let finished = place.rscale(&["run", "./bad", "--quiet", "--max-executions", "1"]);
    expect_status(&finished, 3);
    assert_eq!(finished.out(), "incomplete: nothing found in ./bad, but not every schedule was tried\n");
}

#[test]
fn a_finding_says_what_and_where() {
    let place = Place::with("program", DEADLOCK);
    let finished = place.rscale(&["run", "./program"]);
    expect_status(&finished, 1);
    for part in [
        "bug: 1 finding in ./program\n",
        "thread 1 (forth) waits to lock b, held by thread 2",
        "thread 2 (back) waits to lock a, held by thread 1",
        "wait-for cycle: thread 1 -> thread 2 -> thread 1",
        "both at ", // and the path that the compiler was given
        "/program.c:8\n",
        "schedule: 6 steps, 1 preemption",
        "replay  rscale replay trace.txt\n",
    ] {
        assert!(finished.out().contains(part), "{part:?} is missing: {}", finished.out());
    }
}

#[test]
fn outcomes_are_tabulated() {
    let place = Place::with("program", CLEAN);
    let finished = place.rscale(&["run", "./program", "--outcomes", "--json", "x.json"]);
    expect_status(&finished, 0);
    for part in ["\noutcomes\n", "\"ab\\n\"", "\"ba\\n\""] {
        assert!(finished.out().contains(part), "{part:?} is missing: {}", finished.out());
    }
    let summary = Summary::parse(&fs::read(place.scratch.file("x.json")).expect("written")).expect("JSON");
    assert_eq!(summary.outcomes(), BTreeSet::from([(0, "ab\n".into()), (0, "ba\n".into())]));
    let without = place.rscale(&["run", "./program", "--json", "-"]);
    assert_eq!(Summary::parse(&without.stdout).expect("JSON").outcomes(), BTreeSet::new());
}

/// There is nothing beside a device: `/dev/null-2` can not be written by everybody, and ended the search.
#[test]
fn a_device_takes_all_traces() {
    let place = Place::with("program", TWO_BUGS);
    std::os::unix::fs::symlink("/dev/null", place.scratch.file("nowhere.txt")).expect("a link");
    let finished = place.rscale(&["run", "./program", "--keep-going", "--trace", "nowhere.txt", "--json", "-"]);
    expect_status(&finished, 1);
    let summary = Summary::parse(&finished.stdout).expect("JSON");
    let traces: Vec<&str> = summary.findings().iter().filter_map(|finding| finding["trace"].as_str()).collect();
    assert_eq!(traces, ["nowhere.txt", "nowhere.txt"]);
    assert_eq!(place.scratch.names(), ["nowhere.txt", "program", "program.c"]);
}

#[test]
fn every_finding_has_its_trace() {
    let place = Place::with("program", TWO_BUGS);
    let finished = place.rscale(&["run", "./program", "--keep-going", "--trace", "found.txt", "--json", "-"]);
    expect_status(&finished, 1);
    let summary = Summary::parse(&finished.stdout).expect("JSON");
    let traces: Vec<&str> = summary.findings().iter().filter_map(|finding| finding["trace"].as_str()).collect();
    assert_eq!(traces, ["found.txt", "found-2.txt"]);
    assert_eq!(place.scratch.names(), ["found-2.txt", "found.txt", "program", "program.c"]);
    let messages: Vec<String> = summary.findings().iter().map(|finding| finding["message"].to_string()).collect();
    for (trace, message) in traces.iter().zip(&messages) {
        let replayed = place.rscale(&["replay", trace, "--json", "-"]);
        expect_status(&replayed, 1);
        let shown = Summary::parse(&replayed.stdout).expect("JSON").findings()[0]["message"].to_string();
        assert_eq!(shown, *message);
    }
    assert_ne!(messages[0], messages[1]);
    let first_only = place.rscale(&["run", "./program", "--trace", "one.txt", "--quiet"]);
    expect_status(&first_only, 1);
    assert!(!place.scratch.names().contains(&"one-2.txt".to_owned()));
}

#[test]
fn bounds_are_never_called_clean() {
    let place = Place::with("program", CLEAN);
    for (option, value, words) in [
        ("--max-executions", "1", "stopped after 1 executions, as asked"),
        ("--filters", "db=3", "nothing was explored beyond 3 steps"),
        ("--filters", "bpor=0", "no bug with at most 0 preemptions"),
        ("--filters", "naive-bpor=0", "only part of what can happen with at most 0 preemptions was explored"),
        ("--max-steps", "3", "were cut at 3 steps (--max-steps)"),
    ] {
        let finished = place.rscale(&["run", "./program", option, value, "--json", "-"]);
        expect_status(&finished, 3);
        let summary = Summary::parse(&finished.stdout).expect("JSON");
        assert_eq!((summary.text("verdict"), &summary.0["complete"]), ("incomplete", &false.into()));
        assert!(summary.text("guarantee").contains(words), "{option}: {}", summary.text("guarantee"));
    }
}

#[test]
fn a_source_file_is_compiled_first() {
    let place = Place::new();
    place.scratch.write("program.c", DEADLOCK);
    let finished = place.rscale(&["run", "program.c", "--quiet"]);
    expect_status(&finished, 1);
    assert_eq!(place.scratch.names(), ["program.c", "trace.txt"], "the executable goes away");
    expect_status(&place.rscale(&["replay", "trace.txt", "--quiet"]), 1);
}
