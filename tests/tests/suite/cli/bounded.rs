//! Searches with a bound on preemptions or delays, and with several bounds one after the other.

use crate::cli::subjects::{CLEAN, DEADLOCK, Place, expect_status, one_line};
use rscale_tests::summary::Summary;

fn summary(place: &Place, arguments: &[&str], status: i32) -> Summary {
    let line = [&["run", "./program", "--quiet", "--json", "result.json"], arguments].concat();
    expect_status(&place.rscale(&line), status);
    Summary::parse(&std::fs::read(place.scratch.file("result.json")).expect("written")).expect("JSON")
}

#[test]
fn a_bound_is_part_of_the_guarantee() {
    let place = Place::with("program", DEADLOCK);
    let none = summary(&place, &["--filters", "pb=0"], 3);
    assert_eq!((none.text("verdict"), &none.0["complete"]), ("incomplete", &false.into()));
    assert!(none.text("guarantee").starts_with("incomplete: no bug with at most 0 preemptions; nothing was explored"));
    let one = summary(&place, &["--filters", "pb=1"], 1);
    assert_eq!(one.findings()[0]["preemptions"], 1);
    assert!(!one.text("guarantee").contains("no bug"), "{}", one.text("guarantee"));
    let delayed = summary(&place, &["--filters", "delay=0"], 3);
    assert_eq!(delayed.number("executions"), Some(1), "the fixed schedule");
    assert!(delayed.text("guarantee").contains("no bug with at most 0 delays"));
}

#[test]
fn a_bound_that_cuts_nothing_is_no_bound() {
    let place = Place::with("program", CLEAN);
    let all = summary(&place, &["--filters", "pb=99"], 0);
    assert!(all.text("guarantee").starts_with("every schedule was executed"), "{}", all.text("guarantee"));
    assert_eq!(all.number("executions"), summary(&place, &["--filters", ""], 0).number("executions"));
    for filters in ["naive-bpor=99", "bpor=99", "source-bpor=99", "lazy-bpor=99"] {
        let all = summary(&place, &["--filters", filters], 0);
        assert!(all.text("guarantee").starts_with("every Mazurkiewicz trace"), "{}", all.text("guarantee"));
    }
}

/// What makes no promise says so, even where it came to its end.
#[test]
fn only_what_misses_nothing_says_that_there_is_no_bug() {
    let place = Place::with("program", DEADLOCK);
    for filters in ["bpor=0", "source-bpor=0"] {
        let none = summary(&place, &["--filters", filters], 3);
        assert!(none.text("guarantee").starts_with("incomplete: no bug with at most 0 preemptions"), "{filters}");
    }
    let naive = summary(&place, &["--filters", "naive-bpor=0"], 3);
    let words = "incomplete: only part of what can happen with at most 0 preemptions was explored";
    assert!(naive.text("guarantee").starts_with(words), "{}", naive.text("guarantee"));
    // A run that turns out to need more is not counted, but what it shows is reported.
    let lazy = summary(&place, &["--filters", "lazy-bpor=0"], 1);
    assert!(!lazy.text("guarantee").contains("no bug"), "{}", lazy.text("guarantee"));
}

/// What needs a preemption, in whatever order, is not run without one.
#[test]
fn the_lazy_method_promises_what_it_covers() {
    let source = r#"
#include <pthread.h>
static volatile int x;
static void *adds(void *unused) { x++; return unused; }
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, adds, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
"#;
    let place = Place::with("program", source);
    let none = summary(&place, &["--filters", "lazy-bpor=0"], 3);
    assert_eq!(none.number("executions"), Some(2), "one after the other");
    let words = "incomplete: no bug with at most 0 preemptions; nothing was explored beyond 0 preemptions";
    assert!(none.text("guarantee").starts_with(words), "{}", none.text("guarantee"));
    let all = summary(&place, &["--filters", "lazy-bpor=0..2"], 0);
    let executions = |level: usize| all.0["levels"][level]["executions"].as_u64();
    assert_eq!((executions(0), executions(1), executions(2)), (Some(2), Some(4), None), "one is enough for all");
}

#[test]
fn bounds_grow_until_something_is_found() {
    let place = Place::with("program", DEADLOCK);
    for filter in ["pb", "delay", "bpor", "source-bpor"] {
        let found = summary(&place, &["--filters", &format!("{filter}=0..3")], 1);
        let levels = found.0["levels"].as_array().expect("levels").clone();
        let shown = levels.iter().map(|level| (&level["bound"], &level["findings"], &level["complete"]));
        let expected = [(&0.into(), &0.into(), &true.into()), (&1.into(), &1.into(), &false.into())];
        assert_eq!(shown.collect::<Vec<_>>(), expected);
        let executions: u64 = levels.iter().filter_map(|level| level["executions"].as_u64()).sum();
        assert_eq!(found.number("executions"), Some(executions), "all levels count");
        assert!(
            found.text("guarantee").starts_with("incomplete: no bug with at most 0 "),
            "{}",
            found.text("guarantee")
        );
    }
}

#[test]
fn every_level_has_its_line() {
    let place = Place::with("program", DEADLOCK);
    let finished = place.rscale(&["run", "./program", "--filters", "pb=0..2", "--keep-going"]);
    expect_status(&finished, 1);
    let report = finished.out();
    assert!(report.contains("\nbound 0: 3 executions, 0 findings\nbound 1: "), "{report}");
    assert!(report.contains(" executions, 1 finding\nbound 2: "), "{report}");
    assert!(one_line(&report).contains("filters: pb=0..2 guarantee: incomplete: no bug with at most 0 preemptions"));
}

#[test]
fn levels_end_where_the_bound_cuts_nothing() {
    let place = Place::with("program", CLEAN);
    let all = summary(&place, &["--filters", "pb=0..1000"], 0);
    let plain = summary(&place, &["--filters", ""], 0);
    assert_eq!(all.number("executions"), plain.number("executions"), "no level repeats what a lower one has run");
    let levels = all.0["levels"].as_array().expect("levels").len();
    assert!((2..20).contains(&levels), "{levels} levels");
    assert!(all.text("guarantee").starts_with("every schedule was executed"), "{}", all.text("guarantee"));
}

/// A thread that polls gives others their turn: no preemption is needed for what it waits for.
#[test]
fn a_thread_that_yields_is_not_preempted() {
    let source = r#"
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static atomic_int stage;
static void *other(void *unused) { stage = 1; return unused; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    sched_yield();
    assert(stage == 0);
    pthread_join(thread, NULL);
    return 0;
}
"#;
    let place = Place::with("program", source);
    let found = summary(&place, &["--filters", "pb=0"], 1);
    assert_eq!(found.findings()[0]["preemptions"], 0);
}

/// An update is lost, between so many accesses before and behind it whose orders do not matter.
const LOST_UPDATE: &str = r#"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static volatile int updates;
static atomic_int noise;
static void *work(void *unused)
{
    for (int i = 0; i < BEFORE; i++)
        atomic_exchange(&noise, i);
    updates++;
    for (int i = 0; i < BEHIND; i++)
        atomic_exchange(&noise, i);
    return unused;
}
int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(updates == 2);
    return 0;
}
"#;

fn lost_update(before: u32, behind: u32) -> Place {
    let place = Place::new();
    place.compile("program", LOST_UPDATE, &[&format!("-DBEFORE={before}"), &format!("-DBEHIND={behind}")]);
    place
}

/// It is lost at the beginning; then come millions of orders in which nothing is.
#[test]
fn a_long_search_glances_at_few_preemptions() {
    let place = lost_update(0, 14);
    for filter in ["optimal", "source"] {
        let summary = summary(&place, &["--filters", filter, "--jobs", "1"], 1);
        assert!(summary.has_finding("assertion"));
        // A glance is no part of the search.
        assert!(summary.number("executions").is_some_and(|count| count <= 2048), "{:?}", summary.number("executions"));
    }
}

/// It is lost in the middle, where nobody comes to soon: workers begin at the first orders and at the last ones.
/// Whoever leads glances, while the others go on: without that, 60,000 executions do not come to the bug.
#[test]
fn several_workers_glance_at_few_preemptions() {
    let place = lost_update(9, 9);
    let line = ["--jobs", "3", "--alone", "0", "--max-executions", "60000"];
    let summary = summary(&place, &line, 1);
    assert!(summary.has_finding("assertion"));
    assert_eq!(summary.number("jobs"), Some(3));
}

/// Of two updates among those of fifty threads, one is lost near the beginning: there are too many schedules with a
/// single preemption, and 200,000 executions do not come to it. By chance it is lost in every eighth.
#[test]
fn a_long_search_glances_at_schedules_by_chance() {
    let source = r#"
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int updates;
static int done;
static void *work(void *is_one)
{
    if (is_one)
        updates++;
    pthread_mutex_lock(&lock);
    done++;
    pthread_mutex_unlock(&lock);
    return NULL;
}
int main(void)
{
    pthread_t threads[50];
    for (int i = 0; i < 50; i++)
        pthread_create(&threads[i], NULL, work, i < 2 ? &done : NULL);
    for (int i = 0; i < 50; i++)
        pthread_join(threads[i], NULL);
    assert(done == 50 && updates == 2);
    return 0;
}
"#;
    let place = Place::with("program", source);
    let summary = summary(&place, &["--max-executions", "4000"], 1);
    assert!(summary.has_finding("assertion"));
    assert!(summary.number("executions").is_some_and(|count| count <= 2048), "{:?}", summary.number("executions"));
}
