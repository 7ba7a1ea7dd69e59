//! Ends that come from outside: Ctrl-C, `kill`, readers that go away. Results are kept, and nothing is left behind.

use crate::cli::machine::{is_alive, processes_with, send, shared_memory, target_of, wait_until_exploring};
use crate::cli::subjects::{DEADLOCK, ENDLESS, Place, expect_status, one_line, summary};
use nix::sys::signal::Signal;
use rscale_tests::process::{Finished, Running, wait_for};
use rscale_tests::summary::Summary;

/// A search that does not end by itself, in a directory whose name no other process has in its command line. The
/// program is compiled by rscale, so that there is a temporary directory too.
struct Search {
    place: Place,
    running: Running,
}

impl Search {
    fn start(isolation: &str) -> Search {
        let place = Place::new();
        let source = place.scratch.write("endless.c", ENDLESS);
        std::fs::create_dir(place.scratch.file("tmp")).expect("can be made");
        let mut command = place.command(&["run", "--filters", "", "--json", "-", "--trace", "x.txt"]);
        command.args(["--isolation", isolation]).arg(source).env("TMPDIR", place.scratch.file("tmp"));
        let running = Running::start(&mut command).expect("rscale starts");
        wait_until_exploring(&running);
        Search { place, running }
    }

    fn directory(&self) -> String {
        self.place.scratch.path().display().to_string()
    }

    /// Sends a signal and waits for the end.
    fn end_with(self, signal: Signal) -> (Finished, Place) {
        send(self.running.id(), signal);
        let finished = self.running.finish().expect("rscale ends when it is told to");
        (finished, self.place)
    }
}

fn expect_nothing_left(place: &Place) {
    let directory = place.scratch.path().display().to_string();
    assert_eq!(processes_with(&directory), Vec::<u32>::new(), "no process is left");
    assert_eq!(shared_memory(), Vec::<String>::new(), "no shared memory is left");
    assert_eq!(place.scratch.names(), ["endless.c", "tmp"], "no file is left");
    let temporary = std::fs::read_dir(place.scratch.file("tmp")).expect("readable").count();
    assert_eq!(temporary, 0, "no temporary directory is left");
}

fn expect_partial_result(finished: &Finished) {
    expect_status(finished, 3);
    let summary = Summary::parse(&finished.stdout).expect("valid JSON");
    assert_eq!((summary.text("verdict"), &summary.0["complete"]), ("incomplete", &false.into()));
    assert!(summary.text("guarantee").contains("interrupted after"), "{}", summary.text("guarantee"));
    assert!(summary.number("runs").is_some_and(|runs| runs > 0), "{}", finished.describe());
    assert!(finished.err().contains("not every schedule was tried"), "{}", finished.describe());
}

#[test]
fn ctrl_c_gives_the_partial_result() {
    for isolation in ["snapshot", "fork", "exec"] {
        let (finished, place) = Search::start(isolation).end_with(Signal::SIGINT);
        expect_partial_result(&finished);
        expect_nothing_left(&place);
    }
}

#[test]
fn sigterm_and_sighup_are_like_ctrl_c() {
    for signal in [Signal::SIGTERM, Signal::SIGHUP] {
        let (finished, place) = Search::start("snapshot").end_with(signal);
        expect_partial_result(&finished);
        expect_nothing_left(&place);
    }
}

#[test]
fn the_program_dies_with_rscale() {
    for isolation in ["snapshot", "fork", "exec"] {
        let search = Search::start(isolation);
        let directory = search.directory();
        let (finished, _place) = search.end_with(Signal::SIGKILL);
        assert_eq!(finished.code(), None, "{}", finished.describe());
        let is_gone = || processes_with(&directory).is_empty().then_some(());
        wait_for(is_gone).unwrap_or_else(|| panic!("the program lives on with --isolation {isolation}"));
    }
}

/// One fork runs, others wait for their turn: whichever is killed, the search goes on with the same process.
#[test]
fn forks_that_are_killed_are_replaced() {
    let search = Search::start("fork");
    let target = target_of(&search.running);
    let forks = || std::fs::read_to_string(format!("/proc/{target}/task/{target}/children")).unwrap_or_default();
    let numbers = |forks: &str| forks.split_whitespace().filter_map(|word| word.parse().ok()).collect::<Vec<u32>>();
    let all_new = |old: &[u32]| {
        let is_new = |now: &String| !now.is_empty() && !numbers(now).iter().any(|fork| old.contains(fork));
        numbers(&wait_for(|| Some(forks()).filter(is_new)).expect("there are new ones"))
    };
    let mut forked = all_new(&[]);
    for _ in 0..5 {
        for &fork in forked.iter().filter(|&&fork| is_alive(fork)) {
            let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(fork as i32), Signal::SIGKILL); // or it just ended
        }
        // Those that took their places have made an execution each: none is lost three times in a row.
        let replaced = all_new(&forked);
        forked = all_new(&replaced);
    }
    assert_eq!(target_of(&search.running), target);
    let (finished, place) = search.end_with(Signal::SIGINT);
    expect_partial_result(&finished);
    expect_nothing_left(&place);
}

/// It may start the program again and go on, or end and say what happened; it must not hang.
#[test]
fn rscale_survives_the_death_of_the_program() {
    let search = Search::start("snapshot");
    let (target, rscale) = (target_of(&search.running), search.running.id());
    send(target, Signal::SIGKILL);
    let goes_on = wait_for(|| {
        let children = std::fs::read_to_string(format!("/proc/{rscale}/task/{rscale}/children")).unwrap_or_default();
        let is_other = |word: &str| word.parse() != Ok(target);
        let has_other = children.split_whitespace().any(is_other);
        (has_other || !is_alive(rscale)).then(|| is_alive(rscale))
    });
    if goes_on.expect("rscale does not hang") {
        send(rscale, Signal::SIGINT);
    }
    let finished = search.running.finish().expect("rscale ends when it is told to");
    if finished.code() == Some(3) {
        expect_partial_result(&finished);
    } else {
        assert!(matches!(finished.code(), Some(1 | 2 | 4)), "{}", finished.describe());
        assert!(finished.err().contains("SIGKILL"), "{}", finished.describe());
    }
}

#[test]
fn a_reader_that_goes_away_changes_nothing() {
    let place = Place::with("program", DEADLOCK);
    for line in
        ["$RSCALE run ./program | true", "$RSCALE run ./program --json - 2>/dev/null | true", "$RSCALE list | true"]
    {
        let finished = place.shell(&format!("{line}; exit ${{PIPESTATUS[0]}}"));
        expect_status(&finished, if line.contains("list") { 0 } else { 1 });
        assert_eq!(finished.err(), "", "{line}");
    }
    assert!(place.scratch.names().contains(&"trace.txt".to_owned()), "the trace was written all the same");
}

#[test]
fn closed_streams_change_nothing() {
    let place = Place::with("program", DEADLOCK);
    let finished = place.shell("$RSCALE run ./program 2>&-");
    expect_status(&finished, 1);
    assert!(finished.out().contains("deadlock: no thread can go on"), "{}", finished.describe());
    for line in ["$RSCALE run ./program >&-", "$RSCALE run ./program <&-", "$RSCALE run ./program <&- >&- 2>&-"] {
        let finished = place.shell(line);
        expect_status(&finished, 1);
        assert!(place.scratch.names().contains(&"trace.txt".to_owned()), "{line}");
        std::fs::remove_file(place.scratch.file("trace.txt")).expect("can be removed");
    }
}

/// In one order of two threads the process is gone whenever it is tried; all others are explored.
#[test]
fn what_kills_its_process_every_time_is_a_finding() {
    const PROGRAM: &str = "#include <pthread.h>\n#include <stdlib.h>\n\
        static int flag;\n\
        static void *set(void *unused) { flag = 1; return unused; }\n\
        int main(void) {\n\
            pthread_t thread;\n\
            pthread_create(&thread, NULL, set, NULL);\n\
            int seen = flag;\n\
            pthread_join(thread, NULL);\n\
            return seen ? system(\"kill -9 $PPID\") : 0;\n\
        }\n";
    let place = Place::with("program", PROGRAM);
    for options in [&["--jobs", "1"][..], &["--jobs", "2", "--alone", "0"]] {
        let line = ["run", "./program", "--keep-going", "--outcomes", "--quiet", "--json", "result.json"];
        expect_status(&place.rscale(&[&line[..], options].concat()), 1);
        let summary = summary(&place);
        let kinds: Vec<&str> = summary.findings().iter().filter_map(|finding| finding["kind"].as_str()).collect();
        assert_eq!(kinds, ["lost"], "{options:?}");
        let numbers = [summary.number("executions"), summary.number("blocked")];
        assert_eq!(numbers, [Some(1), Some(1)], "{options:?}: the other order is explored");
        let guarantee = summary.text("guarantee").to_string();
        assert!(guarantee.contains("1 execution lost"), "{options:?}: {guarantee}");
    }
}

/// Leaves a daemon and another child behind, in each execution.
const LEAVES_PROCESSES: &str = r#"
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <unistd.h>
static void *nothing(void *unused) { return unused; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, nothing, NULL);
    if (fork() == 0) {
        daemon(1, 0);
        for (;;)
            pause();
    }
    if (fork() == 0)
        for (;;)
            pause();
    pthread_join(thread, NULL);
    return 0;
}
"#;

#[test]
fn what_the_program_leaves_running_ends() {
    let place = Place::with("leaves_processes", LEAVES_PROCESSES);
    let program = place.scratch.file("leaves_processes").display().to_string();
    expect_status(&place.rscale(&["run", &program, "--jobs", "1"]), 0);
    let left = wait_for(|| processes_with(&program).is_empty().then_some(()));
    assert!(left.is_some(), "still there: {:?}", processes_with(&program));
}

/// Exits with the number of threads that were late.
const STATUS: &str = r#"
#include <pthread.h>
static volatile int late;
static void *work(void *unused) { late = 0; return unused; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    late = 1;
    pthread_join(thread, NULL);
    return late;
}
"#;

#[test]
fn an_exit_status_is_a_finding_or_a_note() {
    let place = Place::with("program", STATUS);
    let note = "an execution exited with status 1, which is a finding with --exit-status only";
    let finished = place.rscale(&["run", "./program"]);
    expect_status(&finished, 0);
    assert!(one_line(&finished.out()).contains(note), "{}", finished.describe());
    let finished = place.rscale(&["run", "./program", "--exit-status"]);
    expect_status(&finished, 1);
    assert!(finished.out().contains("exit: "), "{}", finished.describe());
    assert!(!one_line(&finished.out()).contains(note), "{}", finished.describe());
}

const KILLS: &str = r#"
#include <pthread.h>
#include <signal.h>
static void handle(int number) { (void)number; }
static void *end(void *unused) { return unused; }
int main(int count, char **arguments) {
    pthread_t thread;
    (void)arguments;
    if (count > 1) signal(SIGUSR1, handle);
    pthread_create(&thread, 0, end, 0);
    pthread_kill(thread, count > 1 ? SIGUSR1 : 0);
    return pthread_join(thread, 0);
}
"#;

#[test]
fn where_handlers_run_is_a_note() {
    let place = Place::with("program", KILLS);
    let note = "a handler runs behind the step that its thread takes next";
    for (arguments, expected) in [(&["run", "./program", "--", "handle"][..], true), (&["run", "./program"], false)] {
        let finished = place.rscale(arguments);
        expect_status(&finished, 0);
        assert_eq!(one_line(&finished.out()).contains(note), expected, "{}", finished.describe());
    }
}
