//! Results for CI servers: JUnit, SARIF, annotations.

use crate::cli::subjects::{CLEAN, DEADLOCK, Place, TWO_BUGS, expect_status};
use serde_json::Value;
use std::fs;

fn read(place: &Place, name: &str) -> String {
    fs::read_to_string(place.scratch.file(name)).expect("written")
}

fn list<'a>(value: &'a Value, place: &str) -> &'a [Value] {
    value.as_array().unwrap_or_else(|| panic!("{place} is no list: {value}"))
}

/// What the standard requires of a location (3.28 to 3.30): a reference, and a line from 1 on.
fn expect_location(location: &Value) {
    let Some(physical) = location.get("physicalLocation") else { return };
    let uri = physical["artifactLocation"]["uri"].as_str().expect("a reference");
    assert!(
        !uri.is_empty() && uri.bytes().all(|byte| byte.is_ascii_graphic() && !b"<>\"{}|\\^`".contains(&byte)),
        "{uri}"
    );
    assert!(physical["region"]["startLine"].as_u64().is_some_and(|line| line >= 1), "{physical}");
}

/// The properties that SARIF 2.1.0 requires, wherever they are required; `scripts/sarif` compares with the schema
/// itself.
fn expect_sarif(document: &Value) {
    assert_eq!(document["version"], "2.1.0");
    for run in list(&document["runs"], "runs") {
        let driver = &run["tool"]["driver"];
        assert_eq!(driver["name"], "rscale");
        let rules: Vec<&str> = list(&driver["rules"], "rules").iter().filter_map(|rule| rule["id"].as_str()).collect();
        for invocation in list(&run["invocations"], "invocations") {
            assert!(invocation["executionSuccessful"].is_boolean(), "{invocation}");
            for note in list(&invocation["toolExecutionNotifications"], "notifications") {
                assert!(note["message"]["text"].is_string(), "{note}");
            }
        }
        for result in list(&run["results"], "results") {
            assert!(result["message"]["text"].as_str().is_some_and(|text| !text.is_empty()), "{result}");
            let index = result["ruleIndex"].as_u64().expect("every kind is a rule") as usize;
            assert_eq!(result["ruleId"], rules[index]);
            assert!(["none", "note", "warning", "error"].contains(&result["level"].as_str().expect("a level")));
            list(&result["locations"], "locations").iter().for_each(expect_location);
            for stack in list(&result["stacks"], "stacks") {
                list(&stack["frames"], "frames").iter().for_each(|frame| expect_location(&frame["location"]));
            }
            list(&result["codeFlows"], "codeFlows").iter().for_each(expect_code_flow);
        }
    }
}

/// Every step once, each in the flow of its thread, in order.
fn expect_code_flow(flow: &Value) {
    let flows = list(&flow["threadFlows"], "threadFlows");
    let mut orders = Vec::new();
    for flow in flows {
        let locations = list(&flow["locations"], "locations");
        let own: Vec<u64> = locations.iter().map(|step| step["executionOrder"].as_u64().expect("a number")).collect();
        assert!(!own.is_empty() && own.is_sorted(), "{own:?}");
        orders.extend(own);
        for step in locations {
            expect_location(&step["location"]);
            assert!(
                ["important", "essential", "unimportant"].contains(&step["importance"].as_str().expect("one of three"))
            );
        }
    }
    orders.sort_unstable();
    assert_eq!(orders, (1..=orders.len() as u64).collect::<Vec<_>>());
}

#[test]
fn sarif_has_what_the_standard_requires() {
    let place = Place::with("program", TWO_BUGS);
    let finished = place.rscale(&["run", "./program", "--keep-going", "--sarif", "found.sarif", "--quiet"]);
    expect_status(&finished, 1);
    let document: Value = serde_json::from_str(&read(&place, "found.sarif")).expect("JSON");
    expect_sarif(&document);
    let results = list(&document["runs"][0]["results"], "results");
    assert_eq!(results.len(), 2);
    assert_ne!(results[0]["partialFingerprints"], results[1]["partialFingerprints"]);
    let flows = list(&results[0]["codeFlows"][0]["threadFlows"], "threadFlows");
    assert!(flows.len() >= 2, "one for each thread");
    place.compile("clean", CLEAN, &[]);
    expect_status(&place.rscale(&["run", "./clean", "--sarif", "clean.sarif"]), 0);
    let clean: Value = serde_json::from_str(&read(&place, "clean.sarif")).expect("JSON");
    expect_sarif(&clean);
    assert_eq!(clean["runs"][0]["results"], serde_json::json!([]));
}

#[test]
fn junit_counts_findings_as_failures() {
    let place = Place::with("program", TWO_BUGS);
    let finished = place.rscale(&["run", "./program", "--keep-going", "--junit", "x.xml", "--quiet"]);
    expect_status(&finished, 1);
    let xml = read(&place, "x.xml");
    assert!(
        xml.starts_with(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"rscale\" tests=\"2\" failures=\"2\""
        ),
        "{xml}"
    );
    assert_eq!(
        (xml.matches("<testcase ").count(), xml.matches("<failure type=\"assertion\"").count()),
        (2, 2),
        "{xml}"
    );
    place.compile("clean", CLEAN, &[]);
    expect_status(&place.rscale(&["run", "./clean", "--junit", "x.xml", "--quiet"]), 0);
    assert!(read(&place, "x.xml").contains("tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\""));
    expect_status(&place.rscale(&["run", "./clean", "--junit", "x.xml", "--quiet", "--max-executions", "1"]), 3);
    assert!(read(&place, "x.xml").contains("<skipped message=\"incomplete: "), "{}", read(&place, "x.xml"));
}

#[test]
fn a_workflow_gets_annotations() {
    let place = Place::with("program", DEADLOCK);
    let finished = place.rscale(&["run", "./program", "--quiet", "--annotations", "github"]);
    expect_status(&finished, 1);
    let line =
        finished.out().lines().find(|line| line.starts_with("::error ")).map(str::to_owned).expect("there is one");
    assert!(line.contains("line=8,title=rscale%3A deadlock::deadlock: no thread can go on%0A"), "{line}");
    let finished = place.rscale(&["run", "./program", "--quiet", "--annotations", "github", "--json", "-"]);
    assert!(serde_json::from_slice::<Value>(&finished.stdout).is_ok(), "JSON has the standard output alone");
    assert!(finished.err().contains("\n::error "), "{}", finished.describe());
}

#[test]
fn what_is_no_program_leaves_no_files() {
    let place = Place::new();
    place.scratch.write("broken", "#!/bin/sh\n");
    let finished = place.rscale(&["run", "./broken", "--junit", "x.xml", "--sarif", "x.sarif"]);
    expect_status(&finished, 2);
    // Programs that are no programs are refused before there is a run to speak of.
    assert_eq!(place.scratch.names(), ["broken"]);
}

#[test]
fn files_that_can_not_be_written_are_refused_first() {
    let place = Place::with("program", DEADLOCK);
    for option in ["--junit", "--sarif", "--json", "--trace"] {
        let missing = format!("{option} no/such/x: there is no directory no/such");
        place.refuses(&["run", "./program", option, "no/such/x"], &missing);
        place.refuses(&["run", "./program", option, "/proc/x"], &format!("{option} /proc/x: it can not be written: "));
    }
    assert_eq!(place.scratch.names(), ["program", "program.c"]);
    let full = place.rscale(&["run", "./program", "--quiet", "--junit", "/dev/full"]);
    expect_status(&full, 2);
    assert!(full.err().contains("can not write /dev/full: No space left on device"), "{}", full.describe());
}
