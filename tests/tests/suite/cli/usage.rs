//! Command lines that make no sense: status 2, and what would make sense.

use crate::cli::subjects::{CLEAN, DEADLOCK, Place, expect_status};

#[test]
fn nothing_and_nonsense() {
    let place = Place::new();
    for (arguments, words) in [
        (&[][..], "Usage:"),
        (&["walk"][..], "unrecognized subcommand 'walk'"),
        (&["run"][..], "required arguments were not provided"),
        (&["replay"][..], "required arguments were not provided"),
        (&["run", "x", "--frobnicate"][..], "unexpected argument '--frobnicate'"),
    ] {
        let finished = place.rscale(arguments);
        expect_status(&finished, 2);
        assert!(finished.err().contains(words), "{arguments:?}: {}", finished.describe());
    }
}

#[test]
fn filters_that_are_not_there() {
    let place = Place::with("program", CLEAN);
    for (filters, words) in [
        ("nbs", "there is no filter \"nbs\"; did you mean nsb?"),
        ("magic", "there is no filter \"magic\"; `rscale list` names them all"),
        ("db", "filter db needs a number, as in db=2"),
        ("db=x", "filter db needs a whole number that fits 64 bits, not \"x\""),
        ("bpor", "filter bpor needs a number, as in bpor=2"),
        ("bpor=2..1", "filter bpor: the range 2..1 is empty; write the lower bound first"),
        ("naive-bpor=0..1", "filter naive-bpor needs a whole number that fits 64 bits, not \"0..1\""),
        ("source-bpor=few", "filter source-bpor needs a whole number that fits 64 bits, not \"few\""),
        ("naive-bpor=-1", "filter naive-bpor needs a whole number that fits 64 bits, not \"-1\""),
        ("lazy-bpor=", "filter lazy-bpor needs a whole number that fits 64 bits, not \"\""),
        ("lcd=3", "filter lcd takes no value; write lcd"),
        ("nsb=0", "filter nsb takes a number from 1 to 268435456, not 0"),
        ("supersetp", "there is no filter \"supersetp\"; did you mean superstep?"),
        ("nsb,nsb", "filter nsb stands there twice; name it once"),
        ("nsb,,db=1", "a filter name is missing between the commas"),
    ] {
        place.refuses(&["run", "./program", "--filters", filters], words);
    }
}

#[test]
fn filters_that_do_not_go_together() {
    let place = Place::with("program", CLEAN);
    for strategy in ["dpor", "source", "optimal"] {
        let words = format!("{strategy} decides by itself what is explored, and can not be combined with nsb");
        place.refuses(&["run", "./program", "--filters", &format!("{strategy},nsb")], &words);
        place.refuses(&["run", "./program", "--filters", &format!("nsb,{strategy}")], &words);
        let words = "all threads share the number of spurious wake-ups";
        place.refuses(&["run", "./program", "--filters", strategy, "--spurious", "1"], words);
        expect_status(&place.rscale(&["run", "./program", "--filters", strategy, "--spurious", "0"]), 0);
    }
    expect_status(&place.rscale(&["run", "./program", "--filters", "nsb", "--spurious", "1"]), 0);
    for (filters, words) in [
        ("pb=2,nsb", "pb can not be combined with nsb: nsb explores what several paths have in common once"),
        ("superstep,delay=2", "delay can not be combined with superstep"),
        ("pb=0..2,delay=0..2", "pb=0..2 and delay=0..2 are two ranges; give one of them a single number"),
        ("pb=2..0", "filter pb: the range 2..0 is empty; write the lower bound first"),
        ("pb", "filter pb needs a number, as in pb=2"),
        ("db=0..2", "filter db needs a whole number"),
    ] {
        place.refuses(&["run", "./program", "--filters", filters], words);
    }
}

#[test]
fn values_that_are_wrong() {
    let place = Place::with("program", CLEAN);
    for (option, value, words) in [
        ("--time-limit", "5", "write a whole number and a unit: 500ms, 30s, 5m or 1h"),
        ("--max-executions", "0", "0 is not in"),
        ("--max-steps", "0", "0 is not in"),
        ("--max-executions", "many", "invalid value 'many'"),
        ("--seed", "x", "invalid value 'x'"),
        ("--spurious", "-1", "invalid value '-1' for '--spurious <N>'"),
        ("--isolation", "none", "invalid value 'none'"),
        ("--scope", "some", "invalid value 'some'"),
        ("--color", "red", "invalid value 'red'"),
    ] {
        place.refuses(&["run", "./program", option, value], words);
    }
}

#[test]
fn what_is_not_there_yet() {
    let place = Place::with("program", CLEAN);
    for (option, value, words) in [
        ("--buffer", "2", "--buffer bounds store buffers, which only --memory tso and pso have"),
        ("--engine", "ptrace", "--engine ptrace is not there yet; use --engine fibers"),
        ("--engine", "threads", "--engine threads is for `rscale replay` only; a search needs --engine fibers"),
    ] {
        place.refuses(&["run", "./program", option, value], words);
    }
}

#[test]
fn results_that_can_not_be_written() {
    let place = Place::with("program", DEADLOCK);
    for (option, path, words) in [
        ("--trace", "/etc/passwd/x", "--trace /etc/passwd/x: there is no directory /etc/passwd"),
        ("--json", "/etc/passwd/x", "--json /etc/passwd/x: there is no directory /etc/passwd"),
        ("--trace", "nowhere/x", "--trace nowhere/x: there is no directory nowhere"),
        ("--json", ".", "--json .: that is a directory; name a file in it"),
        ("--trace", "/dev/full", ", but can not write the trace /dev/full: No space left on device"),
    ] {
        place.refuses(&["run", "./program", option, path], words);
    }
}

#[test]
fn a_summary_that_finds_no_room() {
    let place = Place::with("program", DEADLOCK);
    let finished = place.rscale(&["run", "./program", "--json", "/dev/full"]);
    expect_status(&finished, 2);
    assert!(finished.err().contains("can not write the summary /dev/full: No space left on device"));
    assert!(finished.out().contains("deadlock: no thread can go on"), "the report is not lost");
    let finished = place.shell("$RSCALE run ./program > /dev/full");
    expect_status(&finished, 2);
    assert!(finished.err().contains("can not write the report: No space left on device"), "{}", finished.describe());
}

/// A limit on the size of files hits rscale's own memory files first; it must not die silently of the signal.
#[test]
fn a_limit_on_the_size_of_files() {
    let place = Place::with("program", DEADLOCK);
    let finished = place.shell("ulimit -f 0; exec $RSCALE run ./program");
    expect_status(&finished, 2);
    assert!(finished.err().contains("File too large"), "{}", finished.describe());
    assert_eq!(place.scratch.names(), ["program", "program.c"], "nothing is left behind");
}
