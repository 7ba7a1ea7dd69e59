//! The page: what it shows, and that nothing in it can become more than text.

use super::*;
use crate::finding::{Ordering, StepView, samples};
use crate::picture::{Arrow, Buffered, Hold};
use rscale_protocol::{ThreadId, Variable};

const HOSTILE: &str = "<script>alert('1')</script>\"><img src=x onerror=\"alert(1)\">";

fn depicted(finding: Finding) -> Depicted {
    let replay = Replay {
        program: "./a.out".into(),
        args: vec![HOSTILE.into()],
        trace: "trace.txt".into(),
        threads: finding.threads.clone(),
        steps: finding.steps.clone(),
        stdout: HOSTILE.as_bytes().to_vec(),
        stderr: b"\x1b[31m".to_vec(),
        expected: None,
        answers: Vec::new(),
        stacks: Vec::new(),
        end: ReplayEnd::Found(Box::new(finding)),
    };
    let hold = Hold { thread: ThreadId(1), lock: Variable(64), from: 2, to: None };
    let arrows = vec![Arrow { from: 0, to: 2, is_wake_up: true }, Arrow { from: 1, to: 3, is_wake_up: false }];
    let store = Buffered { thread: ThreadId(2), from: 1, to: Some(3) };
    Depicted { replay, arrows, holds: vec![(hold, HOSTILE.into())], buffers: vec![(store, HOSTILE.into())] }
}

fn decisive() -> Finding {
    let text = "thread 1 locked `a` before thread 2 locked it".into();
    Finding {
        orderings: vec![Ordering { text, first: 2, second: Some(3), second_thread: ThreadId(2) }],
        ..samples::deadlock()
    }
}

#[test]
fn every_step_is_a_row_in_the_lane_of_its_thread() {
    let page = render(&depicted(decisive()));
    assert!(page.starts_with("<!DOCTYPE html>\n") && page.ends_with("</html>\n"));
    assert!(page.contains("<h1><span class=\"kind\">deadlock</span> 2 threads wait for each other</h1>"), "{page}");
    assert_eq!(page.matches("<tr id=\"s").count(), 4);
    let third = "<tr id=\"s3\"><td class=\"n\">3</td><td colspan=\"1\"></td><td><div class=\"s t1 decisive\" \
                 title=\"lock a  ab.c:7\"><b>lock a</b><small>:7</small></div></td><td colspan=\"1\"></td></tr>";
    assert!(page.contains(third), "{page}");
    assert!(page.contains("class=\"e t1 stuck\" title=\"waits for mutex b, held by thread 2\""), "{page}");
    assert!(page.contains("<li><a href=\"#s3\">thread 1 locked <code>a</code> before thread 2 locked it</a></li>"));
}

#[test]
fn arrows_and_bars_are_drawn() {
    let page = render(&depicted(decisive()));
    for path in [
        "<path class=\"wake\" data-a=\"1\" data-b=\"3\" d=\"M296 42C324 42 298 98 326 98\" marker-end=\"url(#m-wake)\"/>",
        "<path class=\"order\" data-a=\"2\" data-b=\"4\"",
        "<path class=\"decisive\" data-a=\"3\" data-b=\"4\"",
        "<rect class=\"k0\" x=\"306\" y=\"98\" width=\"5\"",
        "<rect class=\"buffer\" x=\"796\" y=\"79\" width=\"5\" height=\"47\" rx=\"2\"><title>store to &lt;script&gt;",
        "<span class=\"l-buffer\">store that is not visible yet</span>",
    ] {
        assert!(page.contains(path), "{path} is missing: {page}");
    }
}

#[test]
fn nothing_is_fetched_from_elsewhere() {
    let page = render(&depicted(decisive()));
    let links = ["http:", "https:", " src=", "@import", "url(http", "<link"];
    assert!(links.iter().all(|link| !page.contains(link) || *link == " src="), "{page}");
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn what_the_program_says_is_text() {
    let mut finding = decisive();
    finding.message = HOSTILE.into();
    finding.location = Some(format!("{HOSTILE}.c:3"));
    finding.explanation = vec![HOSTILE.into()];
    for thread in &mut finding.threads {
        (thread.name, thread.state) = (HOSTILE.into(), HOSTILE.into());
        thread.stack = vec![format!("{HOSTILE} at x.c:1")];
    }
    for step in &mut finding.steps {
        let hostile = StepView { variables: vec![HOSTILE.into()], value: HOSTILE.into(), ..step.clone() };
        *step = StepView { location: format!("{HOSTILE}:9"), operation: HOSTILE.into(), ..hostile };
    }
    finding.orderings[0].text = format!("`{HOSTILE}` ` </ol>");
    let page = render(&depicted(finding));
    assert_eq!(page.matches("<script>").count(), 1, "the page's own");
    assert!(!page.contains("<img") && !page.contains("onerror=\""), "{page}");
    assert_eq!(page.matches("</ol>").count(), 1);
    assert!(!page.contains('\x1b'));
}

#[test]
fn a_schedule_without_a_finding_is_drawn_too() {
    let mut quiet = depicted(samples::deadlock());
    quiet.replay.end = ReplayEnd::NothingFound;
    let page = render(&quiet);
    assert!(page.contains("The schedule ends without a finding") && page.matches("<tr id=\"s").count() == 4);
    quiet.replay.steps.clear();
    quiet.arrows.clear();
    quiet.holds.clear();
    assert!(render(&quiet).contains("No source is known") || render(&quiet).contains("this file is not here"));
}

#[test]
fn names_are_code() {
    assert_eq!(code("a `b` c"), "a <code>b</code> c");
    assert_eq!(code("a `b c"), "a `b c");
}
