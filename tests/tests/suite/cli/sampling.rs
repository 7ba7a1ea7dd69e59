//! Samples of the schedules: random, pct, pos. A seed stands for its executions, so nothing here is left to luck.

use crate::cli::subjects::{CLEAN, DEADLOCK, ENDLESS, Place, TWO_BUGS, expect_status};
use rscale_tests::summary::Summary;
use serde_json::Value;
use std::path::Path;

const SAMPLES: [&str; 3] = ["random", "pct=3", "pos"];

/// What comes of a sample of a program there.
fn sample(place: &Place, program: &str, filter: &str, arguments: &[&str], status: i32) -> Summary {
    let line = [&["run", program, "--filters", filter, "--quiet", "--json", "result.json"], arguments].concat();
    expect_status(&place.rscale(&line), status);
    Summary::parse(&std::fs::read(place.scratch.file("result.json")).expect("written")).expect("JSON")
}

#[test]
fn a_sample_needs_an_end() {
    let place = Place::with("program", CLEAN);
    for filter in SAMPLES {
        let line = ["run", "./program", "--filters", filter];
        place.refuses(&line, "takes samples for ever; say how many or how long, with --max-executions or --time-limit");
        expect_status(&place.rscale(&[&line[..], &["--time-limit", "100ms"]].concat()), 3);
        let both = format!("{filter},nsb");
        let line = ["run", "./program", "--max-executions", "5", "--filters", &both];
        place.refuses(&line, "decides by itself what is explored, and can not be combined with nsb");
    }
    for (filter, words) in [
        ("pct", "filter pct needs a number"),
        ("pct=0", "filter pct takes a number from 1 to 16, not 0"),
        ("pct=17", "filter pct takes a number from 1 to 16, not 17"),
        ("pct=x", "filter pct needs a whole number"),
        ("random=1", "filter random takes no value"),
    ] {
        place.refuses(&["run", "./program", "--max-executions", "5", "--filters", filter], words);
    }
}

#[test]
fn a_sample_is_never_called_complete() {
    let place = Place::with("program", CLEAN);
    for filter in SAMPLES {
        let summary = sample(&place, "./program", filter, &["--max-executions", "50", "--outcomes"], 3);
        assert_eq!((summary.text("verdict"), &summary.0["complete"]), ("incomplete", &false.into()));
        assert_eq!((summary.number("executions"), summary.number("runs")), (Some(50), Some(50)));
        assert!(summary.text("guarantee").starts_with("incomplete: only a sample of the schedules was run: "));
        let outcomes = [(0, "ab\n".to_owned()), (0, "ba\n".to_owned())];
        assert_eq!(summary.outcomes(), outcomes.into(), "{filter}: both orders show");
    }
}

#[test]
fn pct_says_what_its_runs_are_worth() {
    let place = Place::with("program", CLEAN);
    let summary = sample(&place, "./program", "pct=2", &["--max-executions", "100"], 3);
    let (guarantee, steps) = (summary.text("guarantee"), summary.number("max_depth").expect("steps"));
    let bound = format!("1/(n*k^(D-1)) = 1/(3*{steps}^1) = ");
    assert!(guarantee.contains("a bug of depth 2 with a probability of at least"), "{guarantee}");
    assert!(guarantee.contains(&bound), "{bound}: {guarantee}");
}

/// All but times, memory, and how many helped, which depends on the time.
fn facts(summary: Summary) -> Value {
    let mut value = summary.0;
    let fields = value.as_object_mut().expect("an object");
    for field in ["elapsed_s", "executions_per_s", "peak_rss_kib", "jobs"] {
        assert!(fields.remove(field).is_some(), "{field}");
    }
    value
}

#[test]
fn a_seed_stands_for_its_executions() {
    let place = Place::with("program", ENDLESS);
    for filter in SAMPLES {
        let facts = |seed| {
            let arguments = ["--max-executions", "30", "--seed", seed];
            facts(sample(&place, "./program", filter, &arguments, 3))
        };
        assert_eq!(facts("0"), facts("0"), "{filter}");
        assert_eq!(facts("5"), facts("5"), "{filter}");
    }
    let place = Place::with("program", DEADLOCK);
    for filter in SAMPLES {
        let runs = |seed| {
            let arguments = ["--max-executions", "1000", "--seed", seed];
            sample(&place, "./program", filter, &arguments, 1).number("runs")
        };
        let runs: std::collections::BTreeSet<_> = ["0", "1", "2", "3", "4", "5"].map(runs).into();
        assert!(runs.len() > 1, "{filter}: seeds differ");
    }
}

#[test]
fn findings_replay() {
    let place = Place::with("program", DEADLOCK);
    for filter in SAMPLES {
        sample(&place, "./program", filter, &["--max-executions", "1000"], 1);
        for _ in 0..3 {
            expect_status(&place.rscale(&["replay", "trace.txt"]), 1);
        }
    }
}

#[test]
fn a_sample_goes_on_if_it_is_asked_to() {
    let place = Place::with("program", TWO_BUGS);
    for filter in SAMPLES {
        let first = sample(&place, "./program", filter, &["--max-executions", "100"], 1);
        assert_eq!(first.findings().len(), 1);
        let all = sample(&place, "./program", filter, &["--max-executions", "100", "--keep-going"], 1);
        assert_eq!((all.findings().len(), all.number("runs")), (2, Some(100)), "{filter}");
    }
}

/// What is shared shows in the first runs; no run is lost for that.
#[test]
fn runs_count_although_more_is_shared_than_was_known() {
    let place = Place::new();
    for filter in SAMPLES {
        let program = program("access/busy_wait_ok.c");
        let summary = sample(&place, &program, filter, &["--max-executions", "60", "--outcomes"], 3);
        assert_eq!((summary.number("runs"), summary.number("executions")), (Some(60), Some(60)), "{filter}");
        assert!(summary.number("discarded") > Some(0), "{filter}");
        let counted = summary.0["outcomes"].as_array().into_iter().flatten();
        assert_eq!(counted.filter_map(|row| row["executions"].as_u64()).sum::<u64>(), 60, "{filter}");
    }
}

#[test]
fn time_outs_are_sampled_too() {
    let source = r#"
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>
static sem_t posted;
static void *post(void *unused) { sem_post(&posted); return unused; }
int main(void)
{
    pthread_t thread;
    struct timespec soon;
    sem_init(&posted, 0, 0);
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec += 1;
    pthread_create(&thread, NULL, post, NULL);
    puts(sem_timedwait(&posted, &soon) == 0 ? "posted" : "timed out");
    pthread_join(thread, NULL);
    return 0;
}
"#;
    let place = Place::with("program", source);
    for filter in SAMPLES {
        let summary = sample(&place, "./program", filter, &["--max-executions", "50", "--outcomes"], 3);
        let outcomes = [(0, "posted\n".to_owned()), (0, "timed out\n".to_owned())];
        assert_eq!(summary.outcomes(), outcomes.into(), "{filter}");
    }
}

/// Without the other thread a poll never ends: whatever the priorities are, it has its turn.
#[test]
fn polling_ends() {
    let source = r#"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static atomic_int flag;
static void *set(void *unused) { sched_yield(); flag = 1; return unused; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, set, NULL);
    while (!flag)
        sched_yield();
    pthread_join(thread, NULL);
    return 0;
}
"#;
    let place = Place::with("program", source);
    for filter in SAMPLES {
        let arguments = ["--max-executions", "100", "--scope", "sync"];
        let summary = sample(&place, "./program", filter, &arguments, 3);
        assert_eq!((summary.number("executions"), summary.number("blocked")), (Some(100), Some(0)), "{filter}");
    }
}

fn program(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("programs").join(name).to_string_lossy().into_owned()
}

/// Within this many runs of seed 0.
const ENOUGH: &str = "100";

#[test]
fn easy_bugs_are_found_and_nothing_else() {
    let place = Place::new();
    for name in [
        "access/check_then_act",
        "access/dekker",
        "access/increment",
        "access/livelock",
        "access/lost_wakeup",
        "barrier/serial",
        "condition/broadcast",
        "mutex/counter",
        "mutex/order",
        "mutex/timedlock",
        "rwlock/recursive_read",
        "semaphore/buffer",
        "spin/counter",
    ] {
        for filter in SAMPLES {
            let limit = ["--max-executions", ENOUGH];
            let found = sample(&place, &program(&format!("{name}_bug.c")), filter, &limit, 1);
            assert_eq!(found.text("verdict"), "bug", "{name}");
            let clean = sample(&place, &program(&format!("{name}_ok.c")), filter, &limit, 3);
            assert_eq!(clean.number("executions"), Some(100), "{name}");
        }
    }
}

#[test]
fn spurious_wake_ups_are_sampled_where_they_are_allowed() {
    let place = Place::new();
    let program = program("condition/spurious_bug.c");
    for filter in SAMPLES {
        sample(&place, &program, filter, &["--max-executions", ENOUGH], 3);
        sample(&place, &program, filter, &["--max-executions", ENOUGH, "--spurious", "1"], 1);
    }
}
