//! Commands that only tell something.

use crate::cli::subjects::{Place, expect_status};
use rscale_tests::process;
use std::process::Command;

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
    for option in ["--program", "--engine", "--break", "--eval", "--backtrace", "--gdb", "--gdbserver"] {
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

/// The manual has a page for rscale and for each of its commands, and nothing in them puzzles man.
#[test]
fn the_manual_can_be_read() {
    let help = told(&["--help"]);
    let (_, commands) = help.split_once("Commands:\n").expect("it lists the commands");
    let commands: Vec<&str> = commands.lines().map_while(|line| line.split_whitespace().next()).collect();
    assert!(commands.len() > 8, "{commands:?}");
    let place = Place::new();
    for arguments in std::iter::once(vec!["man"]).chain(commands.iter().map(|&command| vec!["man", command])) {
        place.scratch.write("page.1", told(&arguments));
        let mut reader = Command::new("man");
        reader.args(["--warnings", "-l", "page.1"]).current_dir(place.scratch.path()).env("MANWIDTH", "80");
        // Where manuals are left out of the system, a script says so in place of man.
        let read = process::run(&mut reader).expect("man is installed");
        assert!(read.status.success() && read.err().is_empty(), "{arguments:?}: {}", read.describe());
        let name = arguments.join("-").replacen("man", "rscale", 1);
        assert!(read.out().contains(&format!("{name}(1)")), "{}", read.describe());
    }
    assert!(told(&["man"]).contains("rscale replay trace.txt \\-\\-gdb          look at it in gdb\n"));
    place.refuses(&["man", "reply"], "man reply: there is no such command; did you mean replay?");
}

#[test]
fn completions_are_scripts() {
    let place = Place::new();
    place.scratch.write("completions.bash", told(&["completions", "bash"]));
    let complete = "source ./completions.bash && COMP_WORDS=(rscale replay --g) COMP_CWORD=2 && _rscale rscale --g replay \
                    && echo ${COMPREPLY[@]}";
    let mut shell = Command::new("bash");
    let finished = process::run(shell.args(["-ec", complete]).current_dir(place.scratch.path())).expect("it ends");
    assert_eq!(finished.out(), "--gdb --gdbserver\n", "{}", finished.describe());
    assert!(told(&["completions", "zsh"]).starts_with("#compdef rscale\n"));
    assert!(told(&["completions", "fish"]).contains("complete -c rscale "));
}
