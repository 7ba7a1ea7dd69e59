//! Whole reports, compared letter by letter.

use super::*;
use crate::config::RunConfig;
use crate::finding::samples;
use crate::summary::Outcome;

const LOOK: Look = Look { color: false, width: 80 };

fn summary(verdict: Verdict) -> Summary {
    Summary {
        verdict,
        guarantee: "every schedule with at most 5 steps was executed".into(),
        executions: 10,
        blocked: 2,
        states: 340,
        transitions: 1,
        max_depth: 41,
        elapsed_s: 0.01,
        executions_per_s: 1000.0,
        peak_rss_kib: 5120,
        ..Summary::new(&RunConfig::sample())
    }
}

const COUNTS: &str = "\
10 executions and 2 cut short, 340 states, 1 transition, depth 41
0.01 s, 1000 executions per second, 1 worker, 5.0 MiB, isolation snapshot
filters: nsb,db=5
guarantee: every schedule with at most 5 steps was executed
";

#[test]
fn a_clean_run() {
    let expected = format!("clean: nothing found in ./a.out\n\n{COUNTS}");
    assert_eq!(render(&summary(Verdict::Clean), &LOOK), expected);
    assert_eq!(render_quiet(&summary(Verdict::Clean), &LOOK), "");
}

#[test]
fn a_clean_run_of_code_that_is_not_all_watched_says_so() {
    let summary = Summary { unwatched: vec!["weird (undecodable bytes at +0x8)".into()], ..summary(Verdict::Clean) };
    let report = render(&summary, &LOOK);
    assert!(report.starts_with("clean: nothing found in ./a.out, as far as its code is watched\n"), "{report}");
}

#[test]
fn what_was_compared_has_a_line() {
    let summary =
        Summary { race_checks: 1, dependence_checks: 20, unsatisfiable_systems: 3, ..summary(Verdict::Clean) };
    let report = render(&summary, &LOOK);
    let line = "snapshot\n1 race check, 20 dependence checks, 3 unsatisfiable constraint systems\nfilters: ";
    assert!(report.contains(line), "{report}");
}

#[test]
fn every_bound_has_its_line() {
    let mut summary = summary(Verdict::Incomplete);
    summary.levels.push(Level { bound: 0, executions: 1, findings: 0, complete: true });
    summary.levels.push(Level { bound: 1, executions: 12, findings: 1, complete: false });
    let report = render(&summary, &LOOK);
    let lines = "bound 0: 1 execution, 0 findings\nbound 1: 12 executions, 1 finding, not complete\nfilters: ";
    assert!(report.contains(lines), "{report}");
}

#[test]
fn an_incomplete_run_is_never_called_clean() {
    let mut summary = summary(Verdict::Incomplete);
    summary.notes.push("stopped after 10 executions".into());
    let expected = format!(
        "incomplete: nothing found in ./a.out, but not every schedule was tried\n\n{COUNTS}note: stopped after 10 executions\n"
    );
    assert_eq!(render(&summary, &LOOK), expected);
}

#[test]
fn a_deadlock() {
    let mut summary = summary(Verdict::Bug);
    summary.findings.push(samples::deadlock());
    let expected = format!(
        "\
bug: 1 finding in ./a.out

deadlock: 2 threads wait for each other
  at ab.c:8
  thread 1 holds a and waits for b
  thread 2 holds b and waits for a

threads
  0 main: waits for the end of thread 1
      main at ab.c:22
  1 left: waits for mutex b, held by thread 2
      left at ab.c:8
  2 right: waits for mutex a, held by thread 1
      right at ab.c:13

schedule: 4 steps, 1 preemption
  step  0 main           1 left  2 right  where
     1  create thread 1                   ab.c:20
     2  create thread 2                   ab.c:21
     3                   lock a           ab.c:7
     4                           lock b   ab.c:12

output of the program
  stdout | go

trace   trace.txt
replay  rscale replay trace.txt

{COUNTS}"
    );
    assert_eq!(render(&summary, &LOOK), expected);
    assert_eq!(
        render_quiet(&summary, &LOOK),
        "bug: 1 finding in ./a.out\ndeadlock: 2 threads wait for each other\n\
         trace   trace.txt\nreplay  rscale replay trace.txt\n"
    );
}

#[test]
fn several_findings_are_numbered() {
    let mut summary = summary(Verdict::Bug);
    summary.findings = vec![samples::deadlock(), samples::deadlock()];
    let report = render(&summary, &LOOK);
    assert!(report.starts_with("bug: 2 findings in ./a.out\n\nfinding 1 of 2\ndeadlock:"), "{report}");
    assert!(report.contains("\nfinding 2 of 2\n"), "{report}");
}

#[test]
fn outcomes_are_tabulated() {
    let mut summary = summary(Verdict::Clean);
    summary.outcomes = vec![
        Outcome { exit: 0, stdout: "ab\n".into(), executions: 5, stdout_base64: None },
        Outcome { exit: 134, stdout: String::new(), executions: 123, stdout_base64: None },
    ];
    let expected = "\
outcomes
  executions  exit  stdout
           5  0     \"ab\\n\"
         123  134   \"\"
";
    let report = render(&summary, &LOOK);
    assert!(report.contains(expected), "{report}");
}

#[test]
fn everything_fits_the_width_and_nothing_escapes() {
    let mut summary = summary(Verdict::Bug);
    summary.guarantee = "word ".repeat(60);
    summary.notes.push("\x1b]0;title\x07".into());
    let mut finding = samples::deadlock();
    finding.message = "\x1b[2J".into();
    finding.threads[1].name = "\u{202e}evil\n".into();
    finding.stdout = b"\x1b[31m\xff\n".repeat(50);
    finding.stderr = b"x".repeat(100_000);
    finding.steps = (0..500).map(|i| samples::step(i % 3, &"op".repeat(40), &["v"], &"path/".repeat(30))).collect();
    summary.findings.push(finding);
    let report = render(&summary, &LOOK);
    assert!(report.lines().all(|line| line.chars().count() <= 80), "{report}");
    assert!(!report.chars().any(|character| character != '\n' && escape::is_harmful(character)), "{report}");
    assert!(report.contains("... 30 more lines of stdout"), "{report}");
    assert!(report.contains("... 350 steps ...") && report.contains("the trace file has all steps"), "{report}");
}

#[test]
fn colours_touch_the_words_only() {
    let colored = render(&summary(Verdict::Clean), &Look { color: true, ..LOOK });
    assert!(colored.starts_with("\x1b[32mclean:\x1b[0m nothing found"), "{colored}");
    let plain = colored.replace("\x1b[32m", "").replace("\x1b[0m", "");
    assert_eq!(plain, render(&summary(Verdict::Clean), &LOOK));
}

#[test]
fn the_replay_command_can_be_copied() {
    assert_eq!(replay_command(Path::new("a b.txt")), "rscale replay 'a b.txt'");
    assert_eq!(replay_command(Path::new("-x")), "rscale replay ./-x");
}

#[test]
fn a_frame_that_is_too_long_has_a_line_for_each_function_in_it() {
    let frame = "add at ab.c:3, inlined into left at ab.c:8";
    assert_eq!(frame_lines(frame, 80), [format!("      {frame}")]);
    assert_eq!(frame_lines(frame, 40), ["      add at ab.c:3", "        inlined into left at ab.c:8"]);
}
