//! Progress and colours: on a terminal only.

use crate::cli::subjects::{DEADLOCK, ENDLESS, Place, expect_status};

/// The line on which progress is shown is erased like this.
const ERASE: &str = "\r\u{1b}[K";

/// Runs a line of shell with a terminal as its standard streams; what it writes comes back as our output.
fn on_terminal(place: &Place, line: &str) -> String {
    let finished = place.shell(&format!("TERM=xterm script -qec \"{line}\" /dev/null"));
    finished.out()
}

#[test]
fn a_pipe_gets_no_control_characters() {
    let place = Place::with("program", DEADLOCK);
    place.compile("endless", ENDLESS, &[]);
    for arguments in [
        &["run", "./program"][..],
        &["run", "./endless", "--filters", "", "--time-limit", "500ms"],
        &["run", "./missing"],
        &["replay", "trace.txt"],
        &["list"],
        &["doctor"],
        &["--help"],
    ] {
        let finished = place.rscale(arguments);
        let is_plain = |bytes: &[u8]| bytes.iter().all(|&byte| byte == b'\n' || byte >= b' ' && byte != 0x7f);
        assert!(is_plain(&finished.stdout) && is_plain(&finished.stderr), "{arguments:?}: {}", finished.describe());
        assert!(!finished.out().contains("/s, depth"), "{arguments:?}: progress in a pipe");
        assert!(!(finished.stdout.is_empty() && finished.stderr.is_empty()), "{arguments:?}");
    }
}

#[test]
fn colours_can_be_asked_for() {
    let place = Place::with("program", DEADLOCK);
    let finished = place.rscale(&["run", "./program", "--color", "always"]);
    expect_status(&finished, 1);
    assert!(finished.out().starts_with("\u{1b}[31mbug:\u{1b}[0m 1 finding"), "{:?}", finished.out());
    let finished = place.rscale(&["run", "./program", "--color", "never"]);
    expect_status(&finished, 1);
    assert!(finished.out().starts_with("bug: 1 finding"), "{}", finished.out());
}

#[test]
fn a_terminal_shows_progress() {
    let place = Place::with("endless", ENDLESS);
    let shown = on_terminal(&place, "$RSCALE run ./endless --filters '' --time-limit 2s");
    assert!(shown.contains(ERASE) && shown.contains("/s, depth "), "{shown:?}");
    let last = shown.rfind(ERASE).map(|at| &shown[at + ERASE.len()..]).expect("it is erased");
    assert!(!last.contains("/s, depth"), "the report follows the erased line: {last:?}");
    for option in ["--no-progress", "--quiet"] {
        let shown = on_terminal(&place, &format!("$RSCALE run ./endless --filters '' --time-limit 500ms {option}"));
        assert!(!shown.contains(ERASE) && shown.contains("incomplete"), "{option}: {shown:?}");
    }
}

#[test]
fn a_log_gets_lines_of_progress() {
    let place = Place::with("endless", ENDLESS);
    for jobs in ["1", "2"] {
        let line =
            ["run", "./endless", "--jobs", jobs, "--alone", "0", "--time-limit", "2s", "--log-interval", "200ms"];
        let finished = place.rscale(&line);
        expect_status(&finished, 3);
        let err = finished.err();
        let lines: Vec<&str> = err.lines().filter(|line| line.contains("/s, depth")).collect();
        assert!(lines.len() >= 2, "{}", finished.describe());
        assert!(lines.iter().all(|line| line.starts_with("rscale: ") && line.contains(" executions, ")), "{lines:?}");
        assert!(!err.contains(ERASE) && !finished.out().contains("/s, depth"), "{}", finished.describe());
    }
}
