//! `rscale replay`: of good traces, and of everything that can be wrong with one.

use crate::cli::subjects::{CLEAN, DEADLOCK, Place, expect_status, one_line};
use std::fs;

/// A directory with a program that deadlocks, and the trace of that.
fn recorded() -> (Place, String) {
    let place = Place::with("program", DEADLOCK);
    expect_status(&place.rscale(&["run", "./program", "--quiet"]), 1);
    let trace = fs::read_to_string(place.scratch.file("trace.txt")).expect("written");
    (place, trace)
}

/// The replay of these bytes stops with status 2 and these words.
fn expect_stop(place: &Place, bytes: &[u8], words: &str) {
    place.scratch.write("changed.txt", bytes);
    let finished = place.rscale(&["replay", "changed.txt", "--program", "./program", "--color", "never"]);
    expect_status(&finished, 2);
    let said = one_line(&(finished.out() + &finished.err()));
    assert!(said.contains(words), "{words:?} is missing: {}", finished.describe());
}

#[test]
fn three_replays_are_the_same() {
    let (place, _) = recorded();
    let replays: Vec<_> = (0..3).map(|_| place.rscale(&["replay", "trace.txt"])).collect();
    for replay in &replays {
        expect_status(replay, 1);
        assert_eq!((&replay.stdout, &replay.stderr), (&replays[0].stdout, &replays[0].stderr));
    }
    let text = replays[0].out();
    for part in ["replay of trace.txt: ./program\n", "program.c:7", "thread start", "deadlock: no thread can go on\n"] {
        assert!(text.contains(part), "{part:?} is missing: {text}");
    }
}

#[test]
fn a_trace_says_what_it_is() {
    let (_, trace) = recorded();
    assert!(trace.starts_with("# rscale trace 1\n# version: "), "{trace}");
    for line in
        ["# program: ./program\n", "# finding: \"deadlock: no thread can go on\"\n", "# steps: 6\n0 0 1 1 2 2\n"]
    {
        assert!(trace.contains(line), "{line:?} is missing: {trace}");
    }
    let hash = trace.lines().find_map(|line| line.strip_prefix("# hash: ")).expect("there is a hash");
    assert!(hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{hash}");
}

#[test]
fn kernel_threads_show_the_same_finding() {
    let (place, _) = recorded();
    let finished = place.rscale(&["replay", "trace.txt", "--engine", "threads", "--quiet"]);
    expect_status(&finished, 1);
    assert_eq!(finished.out(), "deadlock: no thread can go on\n");
}

#[test]
fn bare_numbers_replay() {
    let (place, _) = recorded();
    place.scratch.write("bare.txt", "0 0 1 1\n2 2");
    let finished = place.rscale(&["replay", "bare.txt", "--program", "./program", "--quiet"]);
    expect_status(&finished, 1);
    assert_eq!(finished.out(), "deadlock: no thread can go on\n");
    place.scratch.write("short.txt", "# a comment\n0 0 1 1");
    let finished = place.rscale(&["replay", "short.txt", "--program", "./program", "--quiet"]);
    expect_status(&finished, 0);
    assert_eq!(finished.out(), "the schedule ends without a finding, after 4 steps\n");
    place.refuses(&["replay", "bare.txt"], "does not say which program it is a trace of; add --program PATH");
}

#[test]
fn steps_that_can_not_be_taken() {
    let (place, _) = recorded();
    expect_stop(&place, b"0 0 7", "changed.txt: line 1, column 5: thread 7 does not exist here");
    expect_stop(&place, b"1", "changed.txt: line 1, column 1: thread 1 does not exist here");
    expect_stop(&place, b"0 0\n0", "changed.txt: line 2, column 1: thread 0 can not join here: it is not enabled");
    expect_stop(
        &place,
        b"0 0 1 1 1 2\n2",
        "changed.txt: line 2, column 1: thread 2 can not lock here: it is not enabled",
    );
    expect_stop(&place, b"0 0 1 1 2 2\n2", "changed.txt: line 2, column 1: the execution has ended before this step");
    let ended = b"0 0 1 1 1 1 1 1 1";
    expect_stop(&place, ended, "changed.txt: line 1, column 17: thread 1 has ended");
    expect_stop(&place, b"0 0 1t", "changed.txt: line 1, column 5: thread 1 can not");
    expect_stop(&place, b"0 0 1s", "changed.txt: line 1, column 5: thread 1 can not");
}

#[test]
fn files_that_are_no_traces() {
    let (place, trace) = recorded();
    let garbage: Vec<u8> = (0..=255).cycle().skip(128).take(500).collect();
    expect_stop(&place, &garbage, "changed.txt: line 1, column 1: \"\\x80");
    expect_stop(&place, b"", "changed.txt: line 1, column 1: the file holds no schedule");
    expect_stop(&place, b"0 1 two", "line 1, column 5: \"two\" is not a step");
    expect_stop(&place, b"0 1x", "line 1, column 3: \"1x\" carries an unknown mark");
    expect_stop(&place, b"0 1!", "\"1!\" flushes a buffered store; that needs the line \"# option: memory tso\"");
    expect_stop(&place, b"0 300", "line 1, column 3: \"300\" names no thread");
    expect_stop(&place, b"0 99999999999999999999", "names no thread");
    expect_stop(&place, trace.replace("trace 1", "trace 9").as_bytes(), "this is format \"9\"");
    expect_stop(&place, trace.replace("scope all", "scope everything").as_bytes(), "does not know the option");
    let cut = &trace[..trace.len() - 4];
    expect_stop(&place, cut.as_bytes(), "the file ends here, after 4 of 6 steps: it was cut off");
    let header = &trace[..trace.find("# option: memory").expect("in the header")];
    expect_stop(&place, header.as_bytes(), "the file ends inside its header: it was cut off");
    let longer = format!("{trace}1 2\n");
    expect_stop(&place, longer.as_bytes(), "8 steps, but the header says 6");
}

/// Wherever a trace is cut off, it is noticed; nothing is replayed that was not recorded.
#[test]
fn every_truncation_is_noticed() {
    let (place, trace) = recorded();
    let first_line = trace.find('\n').expect("there are lines") + 1;
    for end in (first_line..trace.len()).step_by(23).chain([trace.len() - 1]) {
        expect_stop(&place, &trace.as_bytes()[..end], "changed.txt: line");
    }
}

#[test]
fn a_program_that_changed() {
    let (place, _) = recorded();
    place.compile("program", CLEAN, &[]);
    place.refuses(
        &["replay", "trace.txt"],
        "./program is not the program that trace.txt was recorded with: it has changed",
    );
    fs::remove_file(place.scratch.file("program")).expect("removable");
    place.refuses(&["replay", "trace.txt"], "./program: No such file or directory");
}

#[test]
fn a_trace_that_is_not_there() {
    Place::new().refuses(&["replay", "missing.txt"], "can not read the trace missing.txt: No such file or directory");
    Place::new().refuses(&["replay", "."], "can not read the trace .: Is a directory");
}
