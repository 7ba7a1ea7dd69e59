//! Which processors a search and its program keep to, and that the program does not notice.

use crate::cli::jobs::children;
use crate::cli::machine::send;
use crate::cli::subjects::{ENDLESS, Place, expect_status};
use nix::sched::{CpuSet, sched_getaffinity};
use nix::sys::signal::Signal;
use nix::unistd::Pid;
use rscale_tests::process::{Running, wait_for};

/// The one processor that a process keeps to, if it does.
fn only_one(process: u32) -> Option<usize> {
    let set = sched_getaffinity(Pid::from_raw(process as i32)).ok()?;
    let mut all = (0..CpuSet::count()).filter(|&number| set.is_set(number).unwrap_or(false));
    all.next().filter(|_| all.next().is_none())
}

#[test]
fn workers_take_turns_with_their_programs() {
    let place = Place::with("program", ENDLESS);
    let line = ["run", "./program", "--jobs", "2", "--alone", "0", "--quiet"];
    let running = Running::start(&mut place.command(&line)).expect("started");
    let seats = || {
        let programs = children(running.id());
        let seats = programs.into_iter().map(only_one).collect::<Option<Vec<_>>>()?;
        (seats.len() == 2 && seats.contains(&only_one(running.id())?)).then_some(())
    };
    wait_for(seats).expect("everybody has a seat, one of them with this worker");
    send(running.id(), Signal::SIGINT);
    expect_status(&running.finish().expect("ends"), 3);
}

const ASKS: &str = r#"
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
static volatile int shared;
static void *work(void *unused)
{
    for (int i = 0; i < 4; i++)
        shared++;
    return unused;
}
int main(void)
{
    cpu_set_t set;
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    sched_getaffinity(0, sizeof set, &set);
    printf("%d\n", CPU_COUNT(&set));
}
"#;

#[test]
fn the_program_is_told_of_all_processors() {
    let place = Place::with("asks", ASKS);
    let mine = sched_getaffinity(Pid::from_raw(0)).expect("known");
    let count = (0..CpuSet::count()).filter(|&number| mine.is_set(number).unwrap_or(false)).count();
    for jobs in ["1", "2"] {
        let line = ["run", "./asks", "--jobs", jobs, "--outcomes", "--json", "result.json", "--quiet"];
        expect_status(&place.rscale(&line), 0);
        let summary = crate::cli::subjects::summary(&place);
        let outcomes = summary.0["outcomes"].as_array().expect("a table");
        assert!(summary.number("runs") > Some(512), "long enough for seats to be taken");
        assert_eq!(outcomes.len(), 1, "{outcomes:?}");
        assert!(outcomes[0]["stdout"].as_str().is_some_and(|text| text.trim() == count.to_string()), "{outcomes:?}");
    }
}
