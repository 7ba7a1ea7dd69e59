//! `--memory tso` and `pso`: findings that sequential consistency does not have, their traces and their replays.

use crate::cli::subjects::{Place, expect_status, one_line};
use std::fs;

/// Both threads miss the other one's store if stores are delayed.
pub const STORE_BUFFERING: &str = r#"
#include <assert.h>
#include <pthread.h>
static volatile int x, y;
static int a, b;
static void *first(void *unused) { x = 1; a = y; return unused; }
static void *second(void *unused) { y = 1; b = x; return unused; }
int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(a == 1 || b == 1);
    return 0;
}
"#;

/// The data is not there although the flag is.
const MESSAGE: &str = r#"
#include <assert.h>
#include <pthread.h>
static volatile int data, flag;
static void *send(void *unused) { data = 1; flag = 1; return unused; }
static void *receive(void *unused) { if (flag) assert(data == 1); return unused; }
int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, send, NULL);
    pthread_create(&two, NULL, receive, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
"#;

fn recorded(source: &str, model: &str) -> (Place, String) {
    let place = Place::with("program", source);
    expect_status(&place.rscale(&["run", "./program", "--memory", "sc"]), 0);
    let finished = place.rscale(&["run", "./program", "--memory", model]);
    expect_status(&finished, 1);
    let text = fs::read_to_string(place.scratch.file("trace.txt")).expect("written");
    (place, text)
}

fn steps(trace: &str) -> &str {
    trace.rsplit("# steps: ").next().and_then(|rest| rest.split_once('\n')).expect("a schedule").1
}

#[test]
fn delayed_stores_are_seen_in_traces_and_replays() {
    let (place, trace) = recorded(STORE_BUFFERING, "tso");
    assert!(trace.contains("# option: memory tso\n"), "{trace}");
    assert_eq!(steps(&trace).split_whitespace().filter(|token| token.ends_with('!')).count(), 2, "{trace}");
    for engine in ["fibers", "threads"] {
        let replay = place.rscale(&["replay", "trace.txt", "--engine", engine]);
        expect_status(&replay, 1);
        assert!(replay.out().contains("store becomes visible:"), "{}", replay.out());
        let said = one_line(&replay.out());
        assert!(said.contains("x 0 -> 1") && said.contains("y 0 -> 1"), "{said}");
    }
}

#[test]
fn under_pso_flushes_have_names() {
    let (place, trace) = recorded(MESSAGE, "pso");
    expect_status(&place.rscale(&["run", "./program", "--memory", "tso", "--quiet"]), 0);
    assert!(steps(&trace).split_whitespace().any(|token| token == "1!flag"), "{trace}");
    expect_status(&place.rscale(&["replay", "trace.txt", "--quiet"]), 1);
    place.scratch.write("changed.txt", trace.replace("1!flag", "1!flags"));
    let finished = place.rscale(&["replay", "changed.txt"]);
    expect_status(&finished, 2);
    assert!(
        one_line(&finished.err()).contains("thread 1 has no store to flags in its buffer here"),
        "{}",
        finished.err()
    );
    place.scratch.write("changed.txt", trace.replace("1!flag", "1!14"));
    let finished = place.rscale(&["replay", "changed.txt"]);
    expect_status(&finished, 2);
    let said = one_line(&(finished.out() + &finished.err()));
    assert!(said.contains("thread 1 has no store in its buffer that could become visible here"), "{said}");
}

#[test]
fn samples_find_delayed_stores() {
    let place = Place::with("program", STORE_BUFFERING);
    for filter in ["random", "pct=2", "pos"] {
        let finished =
            place.rscale(&["run", "./program", "--memory", "tso", "--filters", filter, "--max-executions", "2000"]);
        expect_status(&finished, 1);
    }
}

#[test]
fn what_weak_memory_does_not_go_with() {
    let place = Place::with("program", MESSAGE);
    place.refuses(&["run", "./program", "--memory", "tso", "--scope", "sync"], "they need --scope all");
    place.refuses(&["run", "./program", "--buffer", "1"], "which only --memory tso and pso have");
}
