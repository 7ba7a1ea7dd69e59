//! `--jobs`: several workers find what one finds, whatever happens to them.

use crate::cli::machine::{processes_with, send, shared_memory};
use crate::cli::subjects::{ENDLESS, INCREMENTS, Place, TWO_BUGS, expect_status, readers, summary};
use nix::sys::signal::Signal;
use rscale_tests::process::{Running, wait_for};
use rscale_tests::summary::Summary;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::thread;

/// A process that is killed again and again before it can begin is given up: each has had so much processor time, in
/// nanoseconds, which is that of thousands of executions.
const BEFORE_KILL: u64 = 100_000_000;
/// Every search is shared from its first execution on.
const SHARED: [&str; 4] = ["--alone", "0", "--json", "result.json"];

#[test]
fn the_numbers_are_those_of_one_worker() {
    let place = readers(8);
    for filter in ["optimal", "source", "dpor", "epor", "epor-sh"] {
        for jobs in ["1", "2", "5"] {
            let line = ["run", "./readers", "--filters", filter, "--jobs", jobs, "--outcomes", "--quiet"];
            expect_status(&place.rscale(&[&line[..], &SHARED].concat()), 0);
            let summary = summary(&place);
            assert_eq!(summary.number("executions"), Some(1 << 8), "{filter} with {jobs}");
            assert_eq!(summary.number("jobs"), jobs.parse().ok(), "{filter} with {jobs}");
            assert_eq!(summary.0["outcomes"].as_array().map(Vec::len), Some(9), "from no reader to all of them");
            let counted = summary.0["outcomes"].as_array().expect("a table").iter().map(|row| &row["executions"]);
            assert_eq!(counted.filter_map(serde_json::Value::as_u64).sum::<u64>(), 1 << 8);
            if !filter.starts_with("epor") {
                assert_eq!(summary.number("blocked"), Some(0), "{filter} with {jobs}");
            }
        }
    }
}

/// What a search says that must not depend on the number of workers; runs that were cut do.
fn numbers(place: &Place, line: &[&str], jobs: &str, status: i32) -> Vec<String> {
    expect_status(&place.rscale(&[line, &["--jobs", jobs], &SHARED].concat()), status);
    let summary = summary(place);
    assert_eq!(summary.number("jobs"), jobs.parse().ok(), "{line:?}");
    let fields = ["verdict", "executions", "discarded", "states", "outcomes"];
    fields.map(|field| format!("{field}: {}", summary.0[field])).into()
}

/// Every thread stores, and reads what two others store.
const CROSSED_STORES: &str = r#"
#include <pthread.h>
#include <stdio.h>
static volatile int stored[3], seen[3];
static void *cross(void *number)
{
    int mine = (int)(long)number;
    stored[mine] = 1;
    seen[mine] = stored[(mine + 1) % 3] + 2 * stored[(mine + 2) % 3];
    return NULL;
}
int main(void)
{
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, cross, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("%d%d%d\n", seen[0], seen[1], seen[2]);
    return 0;
}
"#;

#[test]
fn the_numbers_are_those_of_one_worker_under_weak_memory() {
    let place = Place::with("program", CROSSED_STORES);
    for memory in ["tso", "pso"] {
        for filter in ["optimal", "source"] {
            let line = ["run", "./program", "--memory", memory, "--filters", filter, "--outcomes", "--quiet"];
            // How many states there are on the way depends on who has explored what before.
            let numbers = |jobs| {
                let mut numbers = numbers(&place, &line, jobs, 0);
                numbers.retain(|number| !number.starts_with("states"));
                numbers
            };
            let alone = numbers("1");
            assert!(alone.len() == 4 && alone[1] == "executions: 63", "all but 1, 1, 1: {alone:?}");
            for jobs in ["2", "5"] {
                assert_eq!(numbers(jobs), alone, "{memory}, {filter}, {jobs} workers");
            }
        }
    }
}

#[test]
fn searches_in_depth_are_those_of_one_worker() {
    let (small, place) = (readers(1), readers(2));
    for (filters, status) in
        [("", 0), ("lcd", 0), ("lcd,db=9", 3), ("db=9", 3), ("pb=1", 3), ("delay=2", 3), ("db=11,pb=2", 3)]
    {
        let line = ["run", "./readers", "--filters", filters, "--outcomes", "--quiet"];
        let place = if status == 0 { &small } else { &place };
        let searched = |jobs, seed| {
            let all = numbers(place, &[&line[..], &["--seed", seed]].concat(), jobs, status);
            let of = |fields: [&str; 3]| fields.map(|field| summary(place).0[field].to_string());
            (all, of(["transitions", "max_depth", "guarantee"]), of(["runs", "executions", "blocked"]))
        };
        let alone = searched("1", "0");
        assert_eq!(searched("2", "0"), alone, "{filters:?} with 2 workers");
        // What is run by chance beyond the schedule may be cut at a bound.
        let (shuffled, cut, _) = searched("4", "7");
        assert_eq!((shuffled, cut), (alone.0, alone.1), "{filters:?} with 4 workers, in another order");
    }
}

#[test]
fn levels_of_bounds_are_those_of_one_worker() {
    let place = readers(2);
    for filters in ["pb=0..2", "delay=1..3", "db=11,pb=1..2"] {
        let line = ["run", "./readers", "--filters", filters, "--outcomes", "--quiet"];
        let searched = |jobs| {
            let all = numbers(&place, &line, jobs, 3);
            (all, ["levels", "transitions", "guarantee", "runs"].map(|field| summary(&place).0[field].to_string()))
        };
        let alone = searched("1");
        for jobs in ["2", "3"] {
            assert_eq!(searched(jobs), alone, "{filters:?} with {jobs} workers");
        }
    }
}

/// What races ask for within a bound may depend on who comes first, but not what is found. The lazy method has one
/// execution for each trace, whoever runs it.
#[test]
fn bounded_reductions_find_what_one_worker_finds() {
    let place = Place::with("program", INCREMENTS);
    let found = |filters: &str, jobs| {
        let line = ["run", "./program", "--filters", filters, "--outcomes", "--quiet", "--jobs", jobs];
        expect_status(&place.rscale(&[&line[..], &SHARED].concat()), 3);
        let summary = summary(&place);
        assert_eq!(summary.number("jobs"), jobs.parse().ok(), "{filters}");
        let all = |field: &str| summary.0[field].as_array().cloned().unwrap_or_default();
        let is_complete = |row: &&Value| row["executions"].as_u64() > Some(0);
        let outcomes: BTreeSet<String> =
            all("outcomes").iter().filter(is_complete).map(|row| row["stdout"].to_string()).collect();
        let levels: Vec<_> =
            all("levels").iter().map(|level| (level["bound"].as_u64(), level["complete"].as_bool())).collect();
        (outcomes, levels, summary.number("executions"))
    };
    found("naive-bpor=1", "3"); // what it misses is a matter of chance
    for filters in ["bpor=1", "source-bpor=1", "bpor=0..1", "lazy-bpor=1", "lazy-bpor=0..1"] {
        let (outcomes, levels, executions) = found(filters, "1");
        assert!(outcomes.len() > 2 && executions > Some(50), "{filters}: {outcomes:?}, {executions:?}");
        for jobs in ["2", "4"] {
            let together = found(filters, jobs);
            assert_eq!((&together.0, &together.1), (&outcomes, &levels), "{filters} with {jobs} workers");
            if filters.starts_with("lazy") {
                assert_eq!(together.2, executions, "{filters} with {jobs} workers");
            }
        }
    }
}

#[test]
fn states_are_visited_once_by_all_workers_together() {
    let place = readers(5);
    for filters in ["nsb", "nsb,superstep", "nsb,lcd,superstep", "nsb=1e6"] {
        let line = ["run", "./readers", "--filters", filters, "--outcomes", "--quiet"];
        let alone = numbers(&place, &line, "1", 0);
        assert!(alone.contains(&"executions: 32".to_owned()), "{alone:?}");
        for jobs in ["2", "4"] {
            assert_eq!(numbers(&place, &line, jobs, 0), alone, "{filters} with {jobs} workers");
        }
    }
}

/// Two threads join the same one in turn, which makes the steps of its life heard: what was taken for quiet is not.
const JOINED_TWICE: &str = r#"
#include <pthread.h>
#include <stdio.h>
static pthread_t first;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;
static void *work(void *unused) { return unused; }
static void *joins(void *unused)
{
    pthread_mutex_lock(&lock);
    int mine = !done++;
    pthread_mutex_unlock(&lock);
    if (mine)
        pthread_join(first, NULL);
    printf("%d", mine);
    return unused;
}
int main(void)
{
    pthread_t threads[2];
    pthread_create(&first, NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, joins, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
"#;

#[test]
fn what_one_worker_learns_all_know() {
    let place = Place::with("program", JOINED_TWICE);
    let line = ["run", "./program", "--filters", "nsb", "--outcomes", "--quiet"];
    let of = |jobs| {
        let mut numbers = numbers(&place, &line, jobs, 0);
        // When it is noticed is a matter of chance.
        numbers.retain(|number| !number.starts_with("discarded"));
        (numbers, summary(&place).number("discarded") > Some(0))
    };
    let alone = of("1");
    assert!(alone.1, "the search has begun anew");
    for jobs in ["2", "4"] {
        assert_eq!(of(jobs), alone, "{jobs} workers");
    }
}

#[test]
fn samples_are_those_of_one_worker() {
    let place = Place::with("program", TWO_BUGS);
    for filters in ["random", "pct=3", "pos"] {
        let line = [
            "run",
            "./program",
            "--filters",
            filters,
            "--max-executions",
            "700",
            "--seed",
            "5",
            "--outcomes",
            "--keep-going",
            "--quiet",
        ];
        let alone = numbers(&place, &line, "1", 1);
        let found = kinds(&summary(&place));
        for jobs in ["2", "3"] {
            assert_eq!(numbers(&place, &line, jobs, 1), alone, "{filters} with {jobs} workers");
            assert_eq!(kinds(&summary(&place)), found, "{filters} with {jobs} workers");
        }
        let first = |jobs| {
            let line = [
                "run",
                "./program",
                "--filters",
                filters,
                "--max-executions",
                "700",
                "--quiet",
                "--trace",
                "first.txt",
            ];
            numbers(&place, &line, jobs, 1);
            fs::read_to_string(place.scratch.file("first.txt")).expect("a trace")
        };
        assert_eq!(first("1"), first("4"), "{filters}: the first finding");
    }
}

#[test]
fn a_bound_is_met_exactly_by_all_workers_together() {
    let place = readers(12);
    let line = ["run", "./readers", "--jobs", "3", "--max-executions", "777", "--quiet"];
    expect_status(&place.rscale(&[&line[..], &SHARED].concat()), 3);
    assert_eq!(summary(&place).number("executions"), Some(777));
    assert!(summary(&place).text("guarantee").starts_with("incomplete: stopped after 777"));
}

fn kinds(summary: &Summary) -> BTreeSet<(String, String)> {
    let text = |finding: &serde_json::Value, field: &str| finding[field].as_str().unwrap_or_default().to_owned();
    summary.findings().iter().map(|finding| (text(finding, "kind"), text(finding, "message"))).collect()
}

#[test]
fn the_findings_are_those_of_one_worker_and_replay() {
    let place = Place::with("program", TWO_BUGS);
    let line = ["run", "./program", "--keep-going", "--quiet"];
    let with = |jobs| [&line[..], &["--jobs", jobs], &SHARED].concat();
    expect_status(&place.rscale(&with("1")), 1);
    let alone = kinds(&summary(&place));
    assert_eq!(alone.len(), 2);
    for jobs in ["2", "4"] {
        expect_status(&place.rscale(&with(jobs)), 1);
        assert_eq!(kinds(&summary(&place)), alone, "with {jobs} workers");
        for finding in summary(&place).findings() {
            let trace = finding["trace"].as_str().expect("a trace");
            expect_status(&place.rscale(&["replay", trace, "--quiet"]), 1);
        }
    }
}

/// All children of a process, whichever of its threads started them.
pub fn children(process: u32) -> Vec<u32> {
    let Ok(tasks) = fs::read_dir(format!("/proc/{process}/task")) else { return Vec::new() };
    let of_task = |task: fs::DirEntry| fs::read_to_string(task.path().join("children")).unwrap_or_default();
    let words: Vec<String> = tasks.filter_map(Result::ok).map(of_task).collect();
    words.iter().flat_map(|line| line.split_whitespace()).filter_map(|word| word.parse().ok()).collect()
}

/// The processor time of a process, in nanoseconds; none if it is gone.
fn processor_time(process: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/schedstat")).ok()?;
    text.split_whitespace().next()?.parse().ok()
}

#[test]
fn programs_that_are_killed_are_replaced_and_nothing_is_lost() {
    let place = readers(15);
    let line = ["run", "./readers", "--jobs", "2", "--quiet"];
    let running = Running::start(&mut place.command(&[&line[..], &SHARED].concat())).expect("started");
    wait_for(|| (children(running.id()).len() == 2).then_some(())).expect("every worker has its process");
    for _ in 0..6 {
        // The last one that was started, or has taken the place of another.
        let has_begun = |&last: &u32| processor_time(last).is_none_or(|time| time >= BEFORE_KILL);
        let next = || children(running.id()).last().map_or(Some(None), |last| has_begun(last).then_some(Some(*last)));
        let Some(last) = wait_for(next).expect("it runs") else { break };
        let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(last as i32), Signal::SIGKILL); // or it just ended
        wait_for(|| (!children(running.id()).contains(&last)).then_some(())).expect("it is gone");
    }
    expect_status(&running.finish().expect("ends"), 0);
    assert_eq!((summary(&place).number("executions"), summary(&place).number("blocked")), (Some(1 << 15), Some(0)));
}

#[test]
fn ctrl_c_ends_all_workers() {
    let place = Place::with("program", ENDLESS);
    let line = ["run", "./program", "--jobs", "3", "--quiet"];
    let running = Running::start(&mut place.command(&[&line[..], &SHARED].concat())).expect("started");
    wait_for(|| (children(running.id()).len() == 3).then_some(())).expect("every worker has its process");
    send(running.id(), Signal::SIGINT);
    expect_status(&running.finish().expect("ends"), 3);
    assert_eq!(summary(&place).text("verdict"), "incomplete");
    let directory = place.scratch.path().display().to_string();
    assert_eq!(processes_with(&directory), Vec::<u32>::new(), "no process is left");
    assert_eq!(shared_memory(), Vec::<String>::new(), "no shared memory is left");
}

/// Not only where a search is shared from the start: who asks for two workers has two, if there are processors for them.
#[test]
fn two_workers_have_a_process_each_on_two_processors() {
    if thread::available_parallelism().map_or(1, usize::from) < 2 {
        return;
    }
    let place = Place::with("program", ENDLESS);
    let running = Running::start(&mut place.command(&["run", "./program", "--jobs", "2", "--quiet"])).expect("started");
    wait_for(|| (children(running.id()).len() == 2).then_some(())).expect("every worker has its process");
    send(running.id(), Signal::SIGINT);
    expect_status(&running.finish().expect("ends"), 3);
}

#[test]
fn what_one_worker_has_to_do_is_said() {
    let place = readers(2);
    let told = |options: &[&str], status| {
        let finished = place.rscale(&[&["run", "./readers", "--jobs", "2"], options].concat());
        expect_status(&finished, status);
        finished.out()
    };
    let sampled = ["--filters", "swaps", "--max-executions", "9"];
    assert!(told(&sampled, 3).contains("this search has one worker"));
    for filters in ["optimal", "epor", "epor-sh"] {
        assert!(!told(&["--filters", filters], 0).contains("one worker"), "{filters}");
    }
    for wrong in ["0", "many", "5000"] {
        expect_status(&place.rscale(&["run", "./readers", "--jobs", wrong]), 2);
    }
}

#[test]
fn the_first_finding_can_be_that_of_one_worker() {
    let place = Place::with("program", TWO_BUGS);
    let trace = |jobs| {
        let line = ["run", "./program", "--deterministic", "--jobs", jobs, "--quiet", "--trace", "found.txt"];
        expect_status(&place.rscale(&[&line[..], &SHARED].concat()), 1);
        fs::read_to_string(place.scratch.file("found.txt")).expect("a trace")
    };
    let alone = trace("1");
    for jobs in ["2", "3", "4"] {
        assert_eq!(trace(jobs), alone, "with {jobs} workers");
    }
}
