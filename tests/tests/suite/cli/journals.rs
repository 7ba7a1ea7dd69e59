//! `--journal` and `rscale resume`: a search that is interrupted in any way ends like one that is not.

use crate::cli::subjects::{CLEAN, ENDLESS, INCREMENTS, Place, TWO_BUGS, expect_status, readers, summary};
use rscale_tests::process::{Running, wait_for};
use rscale_tests::summary::Summary;
use std::fs;
use std::path::{Path, PathBuf};

/// What must not depend on interruptions.
fn totals(summary: &Summary) -> Vec<String> {
    let fields = [
        "runs",
        "executions",
        "blocked",
        "discarded",
        "states",
        "transitions",
        "max_depth",
        "outcomes",
        "levels",
        "guarantee",
    ];
    fields.iter().map(|field| format!("{field} {}", summary.0[*field])).collect()
}

#[test]
fn a_search_in_three_parts_is_one_search() {
    let place = readers(7);
    for filter in ["optimal", "source", "dpor", "epor", "epor-sh"] {
        // Several workers may cut another number of runs.
        let options = ["--outcomes", "--quiet", "--json", "result.json", "--jobs", "1"];
        let line = [&["run", "./readers", "--filters", filter][..], &options].concat();
        expect_status(&place.rscale(&line), 0);
        let whole = totals(&summary(&place));
        expect_status(&place.rscale(&[&line[..], &["--journal", filter, "--max-executions", "30"]].concat()), 3);
        let resume = ["resume", filter, "--quiet", "--json", "result.json", "--max-executions"];
        expect_status(&place.rscale(&[&resume[..], &["77"]].concat()), 3);
        assert_eq!(summary(&place).number("executions"), Some(77));
        for _ in 0..2 {
            // The second time there is nothing left to do.
            expect_status(&place.rscale(&[&resume[..], &["1000000"]].concat()), 0);
            assert_eq!(totals(&summary(&place)), whole, "{filter}");
        }
    }
}

#[test]
fn searches_in_depth_go_on_too() {
    let (small, place) = (readers(1), readers(4));
    for (filters, status) in [
        ("", 0),
        ("nsb", 0),
        ("nsb=20", 0),
        ("nsb,superstep", 0),
        ("nsb,lcd,superstep", 0),
        ("superstep", 0),
        ("lcd", 0),
        ("pb=1", 3),
        ("delay=2", 3),
        ("pb=0..2", 3),
        ("delay=1..2", 3),
    ] {
        let place = if filters.contains("nsb") || filters == "superstep" { &place } else { &small };
        let line = ["run", "./readers", "--filters", filters, "--outcomes", "--quiet", "--json", "result.json"];
        for seed in ["0", "3"] {
            let line = [&line[..], &["--jobs", "1", "--seed", seed]].concat();
            expect_status(&place.rscale(&line), status);
            let whole = totals(&summary(place));
            let journal = format!("journal of {filters} {seed}");
            expect_status(&place.rscale(&[&line[..], &["--journal", &journal, "--max-executions", "1"]].concat()), 3);
            let resume = ["resume", &journal, "--quiet", "--json", "result.json", "--max-executions"];
            for most in 2..5 {
                let finished = place.rscale(&[&resume[..], &[&most.to_string()]].concat());
                assert_eq!(finished.status.code(), Some(3), "{filters} after {most}: {}", finished.out());
                assert_eq!(summary(place).number("executions"), Some(most), "{filters}");
            }
            for _ in 0..2 {
                expect_status(&place.rscale(&[&resume[..], &["1000000"]].concat()), status);
                assert_eq!(totals(&summary(place)), whole, "{filters} with seed {seed}");
            }
        }
    }
}

/// What was cut behind which event is part of what is written down.
#[test]
fn bounded_reductions_go_on_too() {
    let place = Place::with("program", INCREMENTS);
    for filters in ["bpor=1", "source-bpor=1", "naive-bpor=1", "lazy-bpor=1", "bpor=0..1", "lazy-bpor=0..1"] {
        let line = ["run", "./program", "--filters", filters, "--outcomes", "--quiet", "--json", "result.json"];
        let line = [&line[..], &["--jobs", "1"]].concat();
        expect_status(&place.rscale(&line), 3);
        let (whole, executions) = (totals(&summary(&place)), summary(&place).number("executions"));
        let journal = format!("journal of {filters}");
        place.rscale(&[&line[..], &["--journal", &journal, "--max-executions", "1"]].concat());
        let resume = ["resume", &journal, "--quiet", "--json", "result.json", "--max-executions"];
        for most in (2..executions.expect("a number")).step_by(7) {
            place.rscale(&[&resume[..], &[&most.to_string()]].concat());
            assert_eq!(summary(&place).number("executions"), Some(most), "{filters}");
        }
        for _ in 0..2 {
            expect_status(&place.rscale(&[&resume[..], &["1000000"]].concat()), 3);
            assert_eq!(totals(&summary(&place)), whole, "{filters}");
        }
    }
}

/// What was planned ahead, what has been left to it, and where the program turned out to do something else are part of
/// what is written down.
#[test]
fn eager_reductions_go_on_too() {
    let place = Place::new();
    let programs = [("branching", "-DN=4"), ("last_zero", "-DN=5"), ("increments", "-DTIMES=2"), ("seqlock", "-g")];
    for (name, option) in programs {
        let source = program_text(name);
        place.compile(name, &source, &[option]);
        for filters in ["epor", "epor-sh"] {
            let line = ["run", &format!("./{name}"), "--filters", filters, "--outcomes", "--quiet", "--keep-going"];
            let line = [&line[..], &["--json", "result.json", "--jobs", "1"]].concat();
            let status = place.rscale(&line).status.code().expect("a status");
            let (whole, executions) = (totals(&summary(&place)), summary(&place).number("executions"));
            let journal = format!("journal of {name} {filters}");
            place.rscale(&[&line[..], &["--journal", &journal, "--max-executions", "1"]].concat());
            let resume = ["resume", &journal, "--quiet", "--json", "result.json", "--max-executions"];
            for most in (2..executions.expect("a number")).step_by(7) {
                place.rscale(&[&resume[..], &[&most.to_string()]].concat());
                assert_eq!(summary(&place).number("executions"), Some(most), "{name} with {filters}");
            }
            for _ in 0..2 {
                expect_status(&place.rscale(&[&resume[..], &["1000000"]].concat()), status);
                assert_eq!(totals(&summary(&place)), whole, "{name} with {filters}");
            }
        }
    }
}

/// A program of `tests/programs/reduction`.
fn program_text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/reduction").join(format!("{name}.c"));
    fs::read_to_string(path).expect("it is there")
}

/// Several workers go on where others stopped, as often as that happens, and nothing is explored anew.
#[test]
fn what_several_workers_share_goes_on_too() {
    let (small, place) = (readers(2), readers(4));
    for (filters, status) in [
        ("optimal", 0),
        ("epor", 0),
        ("epor-sh", 0),
        ("nsb", 0),
        ("nsb,superstep", 0),
        ("superstep", 0),
        ("db=9", 3),
        ("pb=1", 3),
        ("delay=2", 3),
    ] {
        let place = if status == 0 { &place } else { &small };
        let totals = || {
            let fields = ["executions", "discarded", "states", "transitions", "max_depth", "outcomes", "guarantee"];
            fields.map(|field| format!("{field} {}", summary(place).0[field]))
        };
        let options = ["--outcomes", "--quiet", "--json", "result.json", "--alone", "0", "--jobs"];
        let line = [&["run", "./readers", "--filters", filters][..], &options].concat();
        expect_status(&place.rscale(&[&line[..], &["1"]].concat()), status);
        let whole = totals();
        let journal = format!("journal of {filters}");
        let keep = ["3", "--journal", &journal, "--max-executions", "2"];
        place.rscale(&[&line[..], &keep].concat());
        let resume = ["resume", &journal, "--quiet", "--json", "result.json", "--max-executions"];
        for most in [5, 8, 11].into_iter().filter(|_| filters != "db=9") {
            expect_status(&place.rscale(&[&resume[..], &[&most.to_string()]].concat()), 3);
            assert_eq!(summary(place).number("executions"), Some(most), "{filters}");
        }
        for _ in 0..2 {
            expect_status(&place.rscale(&[&resume[..], &["1000000"]].concat()), status);
            assert_eq!(totals(), whole, "{filters}");
        }
    }
}

#[test]
fn samples_go_on_too() {
    let place = readers(4);
    for (filters, most) in [("random", "60"), ("pct=3", "60"), ("pos", "60")] {
        let line =
            ["run", "./readers", "--filters", filters, "--outcomes", "--quiet", "--jobs", "1", "--json", "result.json"];
        place.rscale(&[&line[..], &["--max-executions", most]].concat());
        let whole = totals(&summary(&place));
        let journal = format!("journal of {filters}");
        expect_status(&place.rscale(&[&line[..], &["--journal", &journal, "--max-executions", "5"]].concat()), 3);
        let resume = ["resume", &journal, "--quiet", "--json", "result.json", "--max-executions"];
        expect_status(&place.rscale(&[&resume[..], &["9"]].concat()), 3);
        assert_eq!(summary(&place).number("executions"), Some(9), "{filters}");
        place.rscale(&[&resume[..], &[most]].concat());
        assert_eq!(totals(&summary(&place)), whole, "{filters}");
    }
}

/// The scheduler is killed as soon as it has written down something new, again and again. With several workers, too.
#[test]
fn a_search_that_is_killed_again_and_again_loses_nothing() {
    let (place, few) = (readers(14), readers(10));
    let searches = [
        (&place, "1", "optimal", 1 << 14, 0),
        (&place, "3", "optimal", 1 << 14, 0),
        (&place, "1", "epor", 1 << 14, 0),
        (&place, "3", "epor-sh", 1 << 14, 0),
        (&place, "2", "source", 1 << 14, 0),
        (&few, "3", "nsb", 1 << 10, 0),
        (&few, "3", "delay=3", 23_212, 3),
        (&few, "1", "delay=0..3", 23_212, 3),
        (&few, "3", "lazy-bpor=1", 1 << 10, 0),
    ];
    for (number, (place, jobs, filters, executions, status)) in searches.into_iter().enumerate() {
        let name = format!("journal-{number}");
        let journal = place.scratch.file(&name);
        let states = || fs::read_to_string(&journal).map_or(0, |text| text.matches("\"State\"").count());
        let start = [
            "run",
            "./readers",
            "--journal",
            &name,
            "--filters",
            filters,
            "--jobs",
            jobs,
            "--alone",
            "0",
            "--outcomes",
            "--quiet",
        ];
        let resume = ["resume", &name, "--quiet"];
        let mut running = Running::start(&mut place.command(&start)).expect("started");
        for _ in 0..3 {
            let before = states();
            wait_for(|| (states() > before || running.has_ended()).then_some(()))
                .expect("a state is written every second");
            let id = i32::try_from(running.id()).expect("a process");
            let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(id), nix::sys::signal::Signal::SIGKILL); // or it has ended
            running.finish().expect("ended");
            running = Running::start(&mut place.command(&resume)).expect("started");
        }
        running.finish().expect("ended");
        expect_status(&place.rscale(&[&resume[..], &["--json", "result.json"]].concat()), status);
        assert_eq!(summary(place).number("executions"), Some(executions), "{filters} with {jobs}");
        let outcomes =
            [(1 << 14, 15), (1 << 10, 11)].iter().find(|known| known.0 == executions).map_or(4, |known| known.1);
        assert_eq!(summary(place).0["outcomes"].as_array().map(Vec::len), Some(outcomes), "{filters} with {jobs}");
    }
}

#[test]
fn a_search_that_was_killed_goes_on() {
    let place = readers(15);
    let journal = place.scratch.file("journal");
    let line = ["run", "./readers", "--journal", "journal", "--quiet"];
    let running = Running::start(&mut place.command(&line)).expect("started");
    let has_state = || fs::read_to_string(&journal).is_ok_and(|text| text.contains("\"State\"")).then_some(());
    wait_for(has_state).expect("a state is written every second");
    let id = i32::try_from(running.id()).expect("a process");
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(id), nix::sys::signal::Signal::SIGKILL).expect("killed");
    running.finish().expect("ended");
    expect_status(&place.rscale(&["resume", "journal", "--quiet", "--json", "result.json"]), 0);
    assert_eq!((summary(&place).number("executions"), summary(&place).number("blocked")), (Some(1 << 15), Some(0)));
}

#[test]
fn findings_are_kept() {
    let place = Place::with("program", TWO_BUGS);
    let line = ["run", "./program", "--keep-going", "--quiet", "--json", "result.json"];
    expect_status(&place.rscale(&line), 1);
    let whole = summary(&place);
    expect_status(&place.rscale(&[&line[..], &["--journal", "journal", "--max-executions", "1"]].concat()), 1);
    assert_eq!(summary(&place).findings().len(), 1);
    fs::remove_file(place.scratch.file("trace.txt")).expect("written");
    expect_status(
        &place.rscale(&["resume", "journal", "--quiet", "--json", "result.json", "--max-executions", "99"]),
        1,
    );
    let messages =
        |summary: &Summary| summary.findings().iter().map(|found| found["message"].to_string()).collect::<Vec<_>>();
    assert_eq!(messages(&summary(&place)), messages(&whole));
    assert_eq!(totals(&summary(&place)), totals(&whole));
    assert!(place.scratch.file("trace.txt").exists(), "the trace is there again");
}

#[test]
fn a_search_that_stopped_at_a_finding_has_stopped() {
    let place = Place::with("program", TWO_BUGS);
    let line = ["run", "./program", "--journal", "journal", "--quiet", "--json", "result.json"];
    expect_status(&place.rscale(&line), 1);
    let stopped = summary(&place);
    expect_status(&place.rscale(&["resume", "journal", "--quiet", "--json", "result.json"]), 1);
    assert_eq!(totals(&summary(&place)), totals(&stopped));
    assert_eq!(summary(&place).of_first_finding("message"), stopped.of_first_finding("message"));
}

/// A journal of a search that was cut short, in three records at least.
fn cut_short(place: &Place) -> PathBuf {
    let line = ["run", "./readers", "--journal", "journal", "--max-executions", "20", "--quiet"];
    expect_status(&place.rscale(&line), 3);
    expect_status(&place.rscale(&["resume", "journal", "--max-executions", "40", "--quiet"]), 3);
    place.scratch.file("journal")
}

#[test]
fn a_torn_record_is_dropped_and_other_damage_is_refused() {
    let place = readers(6);
    let journal = cut_short(&place);
    let whole = fs::read(&journal).expect("written");
    let resume = ["resume", "journal", "--max-executions", "1000", "--json", "result.json"];
    fs::write(&journal, &whole[..whole.len() - 10]).expect("written");
    let finished = place.rscale(&resume);
    expect_status(&finished, 0);
    assert!(
        finished.out().contains("the last record of the journal is torn and was dropped"),
        "{}",
        finished.describe()
    );
    assert_eq!(summary(&place).number("executions"), Some(1 << 6));
    let first = whole.iter().position(|&byte| byte == b'\n').expect("lines") + 1;
    let mut damaged = whole;
    damaged[first + 200] ^= 1;
    fs::write(&journal, damaged).expect("written");
    place.refuses(&resume, &format!("the journal journal is damaged: record 1 makes no sense, at byte {first}"));
    place.refuses(&["resume", "no-such-file"], "can not open the journal no-such-file");
    place.refuses(&["resume", "readers.c"], "is damaged: record 0 makes no sense, at byte 0");
}

#[test]
fn another_program_is_refused() {
    let place = readers(6);
    cut_short(&place);
    place.compile("readers", CLEAN, &[]);
    place.refuses(&["resume", "journal"], "the program has changed since; begin anew with `rscale run`");
}

#[test]
fn what_can_not_be_kept_is_refused() {
    let place = Place::with("program", ENDLESS);
    let line = ["run", "./program", "--journal", "journal", "--filters", "swaps", "--max-executions", "9"];
    place.refuses(&line, "what these filters know of the search can not be written down");
    assert!(!Path::new(&place.scratch.file("journal")).exists(), "nothing is left behind");
    place.refuses(&["run", "./program", "--journal", "no/such/directory"], "there is no directory no/such");
    place.scratch.write("journal", "mine");
    place.refuses(
        &["run", "./program", "--journal", "journal"],
        "there is such a file; go on with it by `rscale resume journal`",
    );
    assert_eq!(fs::read_to_string(place.scratch.file("journal")).expect("there"), "mine");
}
