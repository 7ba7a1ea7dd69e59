//! `rscale replay --break --eval --backtrace`: a state in the middle of a schedule, or at its end.

use crate::cli::subjects::{DEADLOCK, Place, expect_status, short};

/// The deadlock, with functions to ask.
fn recorded() -> Place {
    let functions = "
int held(void)
{
    int count = 0;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_t *mutex = i ? &b : &a;
        if (pthread_mutex_trylock(mutex) == 0)
            pthread_mutex_unlock(mutex);
        else
            count++;
    }
    return count;
}
int minus_two(void) { return -2; }
int crashes(void) { return *(volatile int *)8; }
int number = 4;
";
    let place = Place::with("program", &format!("{DEADLOCK}{functions}"));
    expect_status(&place.rscale(&["run", "./program", "--quiet"]), 1);
    place
}

/// Two threads wait on a condition variable; one signal, then a broadcast.
const TWO_WAITERS: &str = r#"
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *waits(void *unused)
{
    pthread_mutex_lock(&m);
    pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return unused;
}
int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, waits, NULL);
    pthread_create(&two, NULL, waits, NULL);
    pthread_mutex_lock(&m);
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_cond_broadcast(&c);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
"#;

/// The schedule is 0 0 1 1 2 2: two creations, then each thread starts and takes a mutex.
#[test]
fn a_function_is_evaluated_in_any_state() {
    let place = recorded();
    for (steps, held) in [("0", "held = 0"), ("3", "held = 0"), ("4", "held = 1"), ("5", "held = 1")] {
        for engine in ["fibers", "threads"] {
            let options = ["--break", steps, "--eval", "held", "--eval", "minus_two", "--engine", engine];
            let finished = place.rscale(&[&["replay", "trace.txt"][..], &options].concat());
            expect_status(&finished, 0);
            let text = finished.out();
            assert!(text.ends_with(&format!("\n{held}\nminus_two = -2\n")), "{steps}: {text}");
            let left = 6 - steps.parse::<usize>().expect("a number");
            assert!(text.contains(&format!("the schedule has {left} more step")), "{steps}: {text}");
        }
    }
}

#[test]
fn without_a_break_the_end_is_asked_about() {
    let place = recorded();
    for isolation in ["snapshot", "fork", "exec"] {
        expect_status(&place.rscale(&["run", "./program", "--quiet", "--isolation", isolation]), 1);
        let finished = place.rscale(&["replay", "trace.txt", "--eval", "held"]);
        expect_status(&finished, 1);
        let text = finished.out();
        assert!(text.contains("deadlock: no thread can go on\n") && text.ends_with("\nheld = 2\n"), "{text}");
    }
}

/// Also where the program has come to its end.
#[test]
fn a_program_that_has_ended_is_asked_about() {
    let place = recorded();
    place.scratch.write("whole.txt", "0 0 1 1 1 1 1 1 0 2 2 2 2 2 2 0\n");
    for options in [&["--eval", "held"][..], &["--eval", "held", "--engine", "threads"]] {
        let finished = place.rscale(&[&["replay", "whole.txt", "--program", "./program"][..], options].concat());
        expect_status(&finished, 0);
        let text = finished.out();
        assert!(text.contains("stdout | done") && text.ends_with("\nheld = 0\n"), "{text}");
    }
}

#[test]
fn the_stacks_of_all_threads_are_shown() {
    let place = recorded();
    for engine in ["fibers", "threads"] {
        let options = ["--break", "4", "--backtrace", "--engine", engine];
        let finished = place.rscale(&[&["replay", "trace.txt"][..], &options].concat());
        expect_status(&finished, 0);
        for part in [
            "0 main: waits to join thread 1 (forth)\n      main at program.c:",
            "1 forth: about to lock b\n      both at program.c:8\n      forth at program.c:12\n",
            "2 back: about to start\n",
        ] {
            assert!(short(&finished.out()).contains(part), "{engine}: {part:?} is missing: {}", finished.describe());
        }
    }
}

/// Two threads wait; a signal; it wakes thread 2, which gets the mutex when main gives it back.
#[test]
fn a_thread_that_was_woken_waits_for_its_mutex() {
    let place = Place::with("program", TWO_WAITERS);
    place.scratch.write("waits.txt", "0 0 1 1 1 2 2 2 0 0 2 0 2 2 2 0 1 1 1 0 0\n");
    for (steps, states) in [
        ("9", ["about to signal c", "waits to be woken on c", "waits to be woken on c"]),
        ("10", ["about to unlock m", "about to end its wait on c", "about to end its wait on c"]),
        ("11", ["about to unlock m", "waits to be woken on c", "waits to take back m, held by thread 0"]),
        ("12", ["about to wake all that wait on c", "waits to be woken on c", "about to take back m"]),
    ] {
        for engine in ["fibers", "threads"] {
            let options = ["--break", steps, "--backtrace", "--engine", engine];
            let finished = place.rscale(&[&["replay", "waits.txt", "--program", "./program"][..], &options].concat());
            expect_status(&finished, 0);
            for (thread, state) in ["0 main", "1 waits", "2 waits"].iter().zip(states) {
                let part = format!("{thread}: {state}\n");
                assert!(finished.out().contains(&part), "{engine}: {part:?} is missing: {}", finished.describe());
            }
        }
    }
    let finished = place.rscale(&["replay", "waits.txt", "--program", "./program"]);
    expect_status(&finished, 0);
    // Step, thread, its name and the place come first.
    let operation = |line: &str| line.split_whitespace().skip(4).collect::<Vec<_>>().join(" ");
    let text = finished.out();
    let shown: Vec<String> = text.lines().map(operation).filter(|shown| shown.contains("cond ")).collect();
    assert_eq!(shown, ["cond wait c, m", "cond wait c, m", "cond wake c", "cond retake m", "cond retake m"]);
}

#[test]
fn scripts_get_the_same() {
    let place = recorded();
    let options = ["--break", "4", "--eval", "held", "--backtrace", "--json", "-"];
    let finished = place.rscale(&[&["replay", "trace.txt"][..], &options].concat());
    expect_status(&finished, 0);
    let json: serde_json::Value = serde_json::from_str(&short(&finished.out())).expect("JSON");
    assert_eq!((&json["verdict"], &json["steps"]), (&"stopped".into(), &4.into()));
    assert_eq!(json["evaluations"], serde_json::json!([{"function": "held", "value": 1}]));
    assert_eq!(json["stacks"][1]["frames"][0], "both at program.c:8");
}

#[test]
fn what_can_not_be_asked() {
    let place = recorded();
    for (options, words) in [
        (&["--break", "7"][..], "--break 7: the schedule of trace.txt has 6 steps"),
        (&["--break", "x"], "invalid value 'x' for '--break <N>'"),
        (&["--eval", "hold"], "--eval hold: ./program has no function of this name; did you mean held?"),
        (&["--eval", "number"], "--eval number: that is a variable, not a function"),
        (&["--eval", "crashes"], "the function crashes (program.c:"),
    ] {
        place.refuses(&[&["replay", "trace.txt"][..], options].concat(), words);
    }
}
