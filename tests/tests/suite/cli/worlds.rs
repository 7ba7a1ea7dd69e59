//! What several workers do while it is not yet known what the threads share: each time that more of it turns up, what a
//! step is changes, and the search begins anew in another world.

use crate::cli::subjects::{Place, expect_status, summary};
use rscale_tests::binary::workspace;
use rscale_tests::summary::Summary;
use std::collections::BTreeSet;
use std::fs;

/// The example whose slots turn out to be shared one after the other.
fn queue() -> Place {
    let place = Place::new();
    let source = fs::read_to_string(workspace().join("examples/nbqueue.c")).expect("an example");
    place.compile("queue", &source, &["-O1", "-g", "-DN=3"]);
    place
}

fn search(place: &Place, filters: &str, jobs: &str, options: &[&str]) -> Summary {
    let line = ["run", "./queue", "--filters", filters, "--jobs", jobs, "--alone", "0", "--keep-going", "--quiet"];
    let output = ["--minimize", "off", "--json", "result.json"];
    let finished = place.rscale(&[&line[..], &output, options].concat());
    // A few executions may show nothing.
    expect_status(&finished, if finished.code() == Some(3) && !options.is_empty() { 3 } else { 1 });
    assert_eq!(summary(place).number("jobs"), jobs.parse().ok());
    assert!(summary(place).number("discarded") > Some(0), "the search has begun anew");
    summary(place)
}

/// The kinds of the findings that do not lie beyond the bound.
fn within_bound(summary: &Summary) -> BTreeSet<String> {
    let notes = summary.0["notes"].to_string();
    let headline =
        |finding: &serde_json::Value| format!("{} at {}", finding["message"], finding["location"]).replace('"', "");
    let is_beyond = |finding: &serde_json::Value| notes.contains(&format!("{} was found before", headline(finding)));
    summary.findings().iter().filter(|finding| !is_beyond(finding)).map(|finding| finding["kind"].to_string()).collect()
}

/// With one preemption an item is lost. The consumer that waits for ever takes two, but one where accesses to some
/// slots are no steps yet: whoever runs into that reports it, and says that the search need not come there.
#[test]
fn what_is_found_within_the_bound_is_what_one_worker_finds() {
    let place = queue();
    let alone = search(&place, "bpor=1", "1", &[]);
    assert_eq!(alone.findings().len(), 2);
    assert_eq!(within_bound(&alone), BTreeSet::from(["\"assertion\"".to_owned()]));
    for jobs in ["2", "8", "8", "8"] {
        let together = search(&place, "bpor=1", jobs, &[]);
        assert_eq!(within_bound(&together), within_bound(&alone), "{jobs} workers");
        assert_eq!(together.number("executions"), alone.number("executions"), "{jobs} workers");
    }
    let more = search(&place, "bpor=2", "3", &[]);
    assert!(within_bound(&more).contains("\"livelock\""), "{:?}", more.0["notes"]);
}

/// Executions of a world that was left do not count.
#[test]
fn as_many_executions_are_made_as_allowed_in_the_last_world() {
    let place = queue();
    for filters in ["optimal", "bpor=2", "pb=2", "pb=0..2", ""] {
        for jobs in ["1", "2", "6"] {
            let summary = search(&place, filters, jobs, &["--max-executions", "150"]);
            assert_eq!(summary.number("executions"), Some(150), "{filters:?} with {jobs} workers");
            assert!(summary.text("guarantee").contains("stopped after 150"), "{filters:?} with {jobs} workers");
        }
    }
}
