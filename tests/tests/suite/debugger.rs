//! `rscale replay --gdb` and `--gdbserver`: what gdb shows of a replay, and that nothing is left of it.
//!
//! gdb is not optional here: the CI installs it, and without it these tests fail.

mod place;

use place::{CRASH, DEADLOCK, LOST, Place};
use rscale_tests::binary::rscale;
use rscale_tests::process::{self, Finished, Running};
use std::fs;
use std::net::TcpListener;
use std::process::Command;

/// The text has these parts, in this order.
fn expect_parts(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        let at = rest.find(part).unwrap_or_else(|| panic!("{part:?} is missing behind the others:\n{text}"));
        rest = &rest[at + part.len()..];
    }
}

#[test]
fn a_deadlock_with_names_states_and_stacks() {
    let place = Place::recorded(DEADLOCK, &["-O0"]);
    let said = place.gdb("", &["info threads", "thread apply all -s backtrace"]);
    expect_parts(
        &said,
        &[
            "step 6 of 6: thread 2 (back) lock b at program.c:6\n",
            "the execution has ended: deadlock: no thread can go on\n",
            " in both (first=0x",
            " at program.c:7\n7\t    pthread_mutex_lock(second);\n",
            "\"0 main: waits to join thread 1 (forth) (program.c:18)\"",
            "\"1 forth: waits to lock b, held by thread 2 (program.c:7)\"",
            "\"2 back: waits to lock a, held by thread 1 (program.c:7)\"",
            " in both (first=0x",
            " <b>, second=0x",
            " <a>) at program.c:7\n",
            " in back (unused=0x0) at program.c:12\n",
            " <a>, second=0x",
            " <b>) at program.c:7\n",
            " in forth (unused=0x0) at program.c:11\n",
            " in main () at program.c:18\n",
        ],
    );
    let backtraces = &said[said.find("\nThread 4").expect("all threads are shown")..];
    assert!(!backtraces.contains("preload"), "frames of the shim are left out: {backtraces}");
}

#[test]
fn steps_forth_and_back() {
    let place = Place::recorded(DEADLOCK, &["-O1"]);
    let commands = ["rscale-step", "rscale-back 2", "rscale-step 2", "info threads", "rscale-step 9", "rscale-step"];
    let said = place.gdb("--break 4", &[&commands[..], &["continue", "rscale-back 7", "rscale-step x"]].concat());
    expect_parts(
        &said,
        &[
            "step 4 of 6: thread 1 (forth) lock a at program.c:6\n",
            "7\t    pthread_mutex_lock(second);\n",
            "step 5 of 6: thread 2 (back) thread start\n",
            "6\t    pthread_mutex_lock(first);\n",
            "step 3 of 6: thread 1 (forth) thread start\n",
            "step 5 of 6: thread 2 (back) thread start\n",
            "\"1 forth: about to lock b (program.c:7)\"",
            "\"2 back: about to lock b (program.c:6)\"",
            "step 6 of 6: thread 2 (back) lock b at program.c:6\n",
            "the execution has ended: deadlock: no thread can go on\n",
            "rscale: the execution has ended: there is no further step\n",
            "the execution has ended: deadlock: no thread can go on\n",
            "rscale: only 6 steps have been taken\n",
            "rscale: how many steps? 'x' is no such number\n",
        ],
    );
}

#[test]
fn the_beginning_is_before_the_first_step() {
    let place = Place::recorded(DEADLOCK, &["-O1"]);
    let said = place.gdb("--break 0", &["rscale-back", "info threads", "rscale-step"]);
    expect_parts(
        &said,
        &[
            "before the first of 6 steps\n",
            "rscale: this is the beginning: no step has been taken\n",
            "\"0 main: about to create thread 1",
            "step 1 of 6: thread 0 (main) create thread 1",
        ],
    );
}

/// The schedule that loses an update is `0 0 1 1 2 2 2 2 1 1 0 0`: thread 1 has read, and thread 2 does all of its
/// work.
#[test]
fn instrumented_code_shows_lines_and_variables() {
    for optimisation in ["-O0", "-O2"] {
        let place = Place::recorded(LOST, &[optimisation]);
        let first = ["backtrace", "print before", "print after", "print counter", "up", "print amount"];
        let second = ["rscale-step 3", "print counter", "rscale-back", "print counter", "backtrace", "print after"];
        let third = ["info threads", "rscale-step 3", "print counter", "continue"];
        let said = place.gdb("--break 4", &[&first[..], &second, &third].concat());
        expect_parts(
            &said,
            &[
                "step 4 of 12: thread 1 (worker) read counter: 0 at program.c:",
                "9\t    counter = after;\n",
                " in add (amount=",
                "1) at program.c:9\n",
                " in worker (argument=",
                ") at program.c:15\n",
                "$1 = 0\n",
                "$2 = 1\n",
                "$3 = 0\n",
                "$4 = 1\n",
                "step 7 of 12: thread 2 (worker) write counter: 0 -> 2 at program.c:9\n",
                "$5 = 2\n",
                "step 6 of 12: thread 2 (worker) read counter: 0 at program.c:",
                "$6 = 0\n",
                " in add (amount=",
                "2) at program.c:9\n",
                " in worker (argument=",
                "$7 = 2\n",
                "\"1 worker: about to write counter (program.c:9)\"",
                "\"2 worker: about to write counter (program.c:9)\"",
                "step 9 of 12: thread 1 (worker) write counter: 2 -> 1 at program.c:9\n",
                "$8 = 1\n",
                "the execution has ended: assertion: counter == 3 failed\n",
                " in main () at program.c:26\n",
            ],
        );
    }
}

#[test]
fn a_crash_in_instrumented_code_is_where_the_original_is() {
    for optimisation in ["-O0", "-O2"] {
        let place = Place::recorded(CRASH, &[optimisation]);
        let said = place.gdb("", &["backtrace", "print factor", "rscale-back", "rscale-step", "print factor"]);
        expect_parts(
            &said,
            &[
                "the execution has ended: crash: SIGSEGV (null pointer)\n",
                "10\t        product *= *place;\n",
                "<signal handler called>",
                " in times (factor=",
                "3) at program.c:10\n",
                " in reader (argument=",
                " at program.c:13\n",
                "$1 = 3\n",
                "the execution has ended: crash: SIGSEGV (null pointer)\n",
                "$2 = 3\n",
            ],
        );
    }
}

/// Code that is not instrumented runs as it is: breakpoints of the user are where they always are.
#[test]
fn breakpoints_and_the_end_of_a_hand_written_schedule() {
    let place = Place::recorded(DEADLOCK, &["-O0"]);
    place.0.write("trace.txt", "# rscale trace 1\n# option: scope sync\n# steps: 9\n0 0 1 1 1 1 1 1 2\n");
    let options = "--program ./program";
    let said = place.gdb(options, &["break both", "rscale-back", "rscale-step", "delete", "rscale-step", "continue"]);
    expect_parts(
        &said,
        &[
            "step 9 of 9: thread 2 (back) thread start\n",
            "step 8 of 9: thread 1 (forth) thread exit\n",
            "hit Breakpoint 1, both (first=0x",
            " <b>, second=0x",
            " <a>) at program.c:6\n",
            "step 9 of 9: thread 2 (back) thread start\n",
            "step 16: the schedule ended with step 9, the program goes on\n",
            "the execution has ended: nothing is wrong\n",
        ],
    );
}

/// Copies of the code run in place of it: breakpoints on them show the original.
#[test]
fn breakpoints_in_instrumented_code() {
    let place = Place::recorded(LOST, &["-O0"]);
    let first = ["rscale-break add", "rscale-step", "print amount", "backtrace", "delete"];
    let second = ["rscale-break program.c:10", "continue", "continue", "print after", "rscale-break nowhere"];
    let said = place.gdb("--break 4", &[&first[..], &second].concat());
    expect_parts(
        &said,
        &[
            "Breakpoint 1 at 0x",
            "hit Breakpoint 1, ",
            " in add (amount=2) at program.c:7\n7\t    int before = counter;\n",
            "$1 = 2\n",
            " in add (amount=2) at program.c:7\n",
            " in worker (argument=0x",
            "step 5 of 12: thread 2 (worker) thread start\n",
            "hit Breakpoint 2, ",
            " in add (amount=2) at program.c:10\n10\t    return after;\n",
            "$2 = 2\n",
            "(gdb) rscale: Function \"nowhere\" not defined.",
        ],
    );
}

fn free_port() -> u16 {
    TcpListener::bind("localhost:0").and_then(|listener| listener.local_addr()).expect("there is a port").port()
}

#[test]
fn another_gdb_connects_to_gdbserver() {
    let place = Place::recorded(LOST, &["-O2"]);
    let port = free_port().to_string();
    let log = place.0.file("server.log");
    let serve = format!("exec '{}' replay trace.txt --gdbserver {port} > '{}'", rscale().display(), log.display());
    let mut server = place.with_temporary(Command::new("sh"));
    let server = Running::start(server.args(["-c", &serve])).expect("it starts");
    let told = process::wait_for(|| fs::read_to_string(&log).ok().filter(|told| told.contains("source ")));
    let told = told.expect("it says what to do");
    let commands: Vec<&str> = told.lines().skip(1).map(str::trim).collect();
    assert_eq!(commands[0], format!("target remote localhost:{port}"), "{told}");
    let rest = ["info threads", "rscale-back 6", "print counter", "rscale-step", "print counter", "backtrace", "kill"];
    place.0.write("input", [&commands[..], &rest].concat().join("\n") + "\n");
    let mut client = place.with_temporary(Command::new("sh"));
    client.args(["-c", "cat input | gdb -nx -q ./program 2>&1"]).env("COLUMNS", "1000");
    let said = process::run(&mut client).expect("it ends").out();
    expect_parts(
        &said,
        &[
            "the execution has ended: assertion: counter == 3 failed\n",
            "\"0 main: running (program.c:26)\"",
            "step 6 of 12: thread 2 (worker) read counter: 0",
            "$1 = 0\n",
            "step 7 of 12: thread 2 (worker) write counter: 0 -> 2 at program.c:9\n",
            "$2 = 2\n",
        ],
    );
    let finished = server.finish().expect("it ends with its client");
    assert_eq!(finished.code(), Some(0), "{}", finished.describe());
    place.expect_nothing_left(&said);
}

#[test]
fn an_interrupted_server_leaves_nothing() {
    let place = Place::recorded(DEADLOCK, &["-O1"]);
    let log = place.0.file("server.log");
    let options = format!("replay trace.txt --gdbserver {}", free_port());
    let serve = format!("exec '{}' {options} > '{}'", rscale().display(), log.display());
    let mut command = place.with_temporary(Command::new("sh"));
    let server = Running::start(command.args(["-c", &serve])).expect("it starts");
    process::wait_for(|| fs::read_to_string(&log).ok().filter(|told| told.contains("source "))).expect("it is ready");
    let pid = nix::unistd::Pid::from_raw(server.id() as i32);
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).expect("it runs");
    let finished = server.finish().expect("it ends");
    assert_eq!(finished.code(), Some(3), "{}", finished.describe());
    place.expect_nothing_left(&finished.describe());
}

/// It fails with status 2 and these words.
fn expect_refusal(finished: &Finished, words: &str) {
    assert_eq!(finished.code(), Some(2), "{}", finished.describe());
    let said = finished.err().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains(words), "{words:?} is missing: {}", finished.describe());
}

#[test]
fn what_can_not_be_debugged_is_said() {
    let place = Place::recorded(DEADLOCK, &["-O1"]);
    let replay = |options: &[&str]| {
        let mut command = place.rscale();
        command.args(["replay", "trace.txt"]).args(options);
        command
    };
    let run = |command: &mut Command| process::run(command).expect("it ends");
    let nowhere = place.0.file("temporary");
    let missing = "can not run gdb: No such file or directory (os error 2); install it (package gdb)";
    expect_refusal(&run(replay(&["--gdb"]).env("PATH", &nowhere)), missing);
    let missing = "can not run gdbserver: No such file or directory (os error 2); install it (package gdbserver)";
    expect_refusal(&run(replay(&["--gdbserver", "2345"]).env("PATH", &nowhere)), missing);
    expect_refusal(&run(&mut replay(&["--gdb", "--break", "7"])), "--break 7: the schedule of trace.txt has 6 steps");
    expect_refusal(&run(&mut replay(&["--gdbserver", "0"])), "give a port between 1 and 65535, or HOST:PORT");
    expect_refusal(&run(&mut replay(&["--gdb", "--engine", "fibers"])), "cannot be used with");
    let other = run(replay(&["--gdb"]).env("RSCALE_GDB", "/bin/false"));
    expect_refusal(&other, "/bin/false could not attach to the program (exit status: 1)");
    place.0.write("trace.txt", "0 0 1 2 0");
    let other = run(&mut replay(&["--program", "./program", "--gdb"]));
    expect_refusal(&other, "trace.txt: line 1, column 9: thread 0 can not join here: it is not enabled");
    place.expect_nothing_left("after refusals");
}
