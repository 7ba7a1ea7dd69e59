//! Commands that only tell something.

use crate::subjects::{Place, expect_status};

fn told(arguments: &[&str]) -> String {
    let finished = Place::new().rscale(arguments);
    expect_status(&finished, 0);
    assert_eq!(finished.err(), "", "{arguments:?}");
    finished.out()
}

#[test]
fn version() {
    assert_eq!(told(&["--version"]), format!("rscale {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn help_names_commands_options_and_statuses() {
    let help = told(&["--help"]);
    for part in
        ["Usage: ", " run ", " replay ", " list ", " doctor ", "Exit status: 0 nothing found, 1 something found"]
    {
        assert!(help.contains(part), "{part:?} is missing: {help}");
    }
    let run = told(&["run", "--help"]);
    for option in
        "--filters --scope --memory --spurious --seed --jobs --keep-going --outcomes --max-executions --max-steps \
                   --invariant --properties --time-limit --isolation --engine --trace --json --quiet --color --no-progress"
            .split_whitespace()
    {
        assert!(run.contains(option), "{option} is missing: {run}");
    }
    let replay = told(&["replay", "--help"]);
    for option in ["--program", "--engine", "--break", "--eval", "--backtrace"] {
        assert!(replay.contains(option), "{option} is missing: {replay}");
    }
}

#[test]
fn list_names_everything() {
    let list = told(&["list"]);
    for title in ["filters (--filters)\n", "\nproperties\n", "\nmemory models (--memory)\n", "\nfunctions\n"] {
        assert!(list.contains(title), "{title:?} is missing: {list}");
    }
    for name in
        "nsb[=N] db=N lcd superstep deadlock assertion crash invariant misuse memory hang sc pthread_create pthread_mutex_lock sem_wait \
                 pthread_cond_wait pthread_rwlock_rdlock pthread_barrier_wait"
            .split_whitespace()
    {
        let has_line = list.lines().any(|line| line.split_whitespace().next() == Some(name));
        assert!(has_line, "{name} is missing: {list}");
    }
}

/// Whether rscale can work is what the machine says; it says so about each thing, and its status agrees.
#[test]
fn doctor_examines_the_machine() {
    let finished = Place::new().rscale(&["doctor"]);
    let text = finished.out();
    for name in ["architecture", "kernel", "libc", "ptrace", "ASLR", "FSGSBASE", "seccomp", "cores", "C compiler"] {
        assert!(text.contains(&format!("  {name} ")), "{name} is missing: {text}");
    }
    expect_status(&finished, 0);
    assert!(text.ends_with("rscale can work here\n"), "{text}");
}
