//! Findings are made small, and the orders that matter are named.

use crate::cli::subjects::{DEADLOCK, Place, expect_status, one_line};
use rscale_tests::summary::Summary;
use std::fs;

/// Two increments without a lock, and threads that have nothing to do with them.
const LOST_UPDATE: &str = r#"
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int counter;
static void *add(void *unused)
{
    int seen = counter;
    counter = seen + 1;
    return unused;
}
static void *idle(void *unused)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}
int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, i % 2 ? idle : add, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[2], NULL);
    assert(counter == 2);
    return 0;
}
"#;

/// The main thread sets the pointer too late.
const USE_BEFORE_SET: &str = r#"
#include <pthread.h>
static int value, *volatile pointer;
static void *use(void *unused) { *pointer = 1; return unused; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, use, NULL);
    pointer = &value;
    pthread_join(thread, NULL);
    return 0;
}
"#;

/// Fails in the first execution, before it is known that the threads share the pointer; a wait that times out lies
/// between.
const SET_TO_NULL: &str = r#"
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
static int value, *volatile pointer = &value;
static sem_t never;
static void *clear(void *unused)
{
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec++;
    sem_timedwait(&never, &soon);
    pointer = NULL;
    return unused;
}
static void *use(void *unused) { *pointer = 1; return unused; }
int main(void)
{
    pthread_t threads[2];
    sem_init(&never, 0, 0);
    pthread_create(&threads[0], NULL, clear, NULL);
    pthread_create(&threads[1], NULL, use, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
"#;

/// Runs at random, so that there is much to take away; nothing is minimised unless the options say so.
fn found_at_random(place: &Place, options: &[&str]) -> serde_json::Value {
    let search = ["run", "./program", "--filters", "random", "--seed", "5", "--max-executions", "20000", "--json", "-"];
    let finished = place.rscale(&[&search, options].concat());
    expect_status(&finished, 1);
    Summary::parse(&finished.stdout).expect("JSON").findings()[0].clone()
}

#[test]
fn a_finding_is_minimised_before_it_is_shown() {
    let place = Place::with("program", LOST_UPDATE);
    let found = found_at_random(&place, &["--minimize", "off"]);
    assert_eq!((&found["minimised"], &found["orderings"]), (&false.into(), &serde_json::json!([])));
    assert!(!fs::read_to_string(place.scratch.file("trace.txt")).expect("written").contains("# minimised"));
    let smaller = found_at_random(&place, &["--minimize", "20s"]);
    assert_eq!((&smaller["minimised"], &smaller["preemptions"]), (&true.into(), &1.into()));
    assert!(smaller["steps"].as_u64() < found["steps"].as_u64(), "{smaller} {found}");
    assert_eq!(smaller["message"], found["message"]);
    let trace = fs::read_to_string(place.scratch.file("trace.txt")).expect("written");
    assert!(trace.contains("# minimised: \"found with "), "{trace}");
    let replayed = place.rscale(&["replay", "trace.txt", "--quiet"]);
    expect_status(&replayed, 1);
    assert_eq!(replayed.out(), "assertion: counter == 2 failed\n");
}

#[test]
fn a_trace_is_minimised() {
    let place = Place::with("program", LOST_UPDATE);
    let found = found_at_random(&place, &["--minimize", "off"]);
    let before = fs::read(place.scratch.file("trace.txt")).expect("written");
    let finished = place.rscale(&["minimize", "trace.txt", "--time-limit", "20s", "--json", "small.json"]);
    expect_status(&finished, 1);
    let said = one_line(&finished.out());
    let sizes = format!("trace-min.txt: {} steps, {} preemptions -> ", found["steps"], found["preemptions"]);
    for part in [&sizes, " schedules tried", "schedule: ", ", 1 preemption (found with ", "trace trace-min.txt"] {
        assert!(said.contains(part), "{part:?} is missing: {said}");
    }
    assert_eq!(fs::read(place.scratch.file("trace.txt")).expect("still there"), before, "the trace itself stays");
    expect_status(&place.rscale(&["replay", "trace-min.txt"]), 1);
    let again = place.rscale(&["minimize", "trace-min.txt", "--output", "again.txt", "--quiet"]);
    expect_status(&again, 1);
    assert!(again.out().starts_with("again.txt: ") && again.out().ends_with(", as before\n"), "{}", again.out());
}

/// In one order of three critical sections something bad happens; and other threads, that have nothing to do with it.
const GAP: &str = r#"
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static int stage, is_asked;
static volatile unsigned rounds;
static void happens(int stage);
static int moved(int by)
{
    pthread_mutex_lock(&lock);
    stage += by;
    int now = stage;
    pthread_mutex_unlock(&lock);
    return now;
}
static void *moves(void *unused)
{
    moved(1);
    moved(1);
    return unused;
}
static void *idle(void *unused)
{
    for (int i = 0; i < 6; i++) {
        pthread_mutex_lock(&other);
        pthread_mutex_unlock(&other);
    }
    return unused;
}
static void *looks(void *unused)
{
    happens(moved(0));
    return unused;
}
int main(int count, char **words)
{
    is_asked = count > 1 && words[1];
    void *(*const routines[])(void *) = { idle, moves, idle, looks, idle };
    pthread_t threads[5];
    for (int i = 0; i < 5; i++)
        pthread_create(&threads[i], NULL, routines[i], NULL);
    for (int i = 0; i < 5; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
static void __attribute__((noinline)) turn(void)
{
    for (int i = 0; i < 100; i++)
        rounds++;
}
"#;

/// A schedule with many preemptions, of which one is needed, and how many it has, as it was found.
fn with_a_gap(happens: &str) -> (Place, u64) {
    let place = Place::with("program", &format!("{GAP}static void happens(int stage) {{\n{happens}\n}}\n"));
    let search =
        "run ./program --scope sync --filters random --seed 1 --max-executions 15 --hang-limit 400ms --minimize off";
    let words: Vec<&str> = search.split(' ').chain(["--json", "-"]).collect();
    let finished = place.rscale(&words);
    expect_status(&finished, 1);
    let preemptions = Summary::parse(&finished.stdout).expect("JSON").findings()[0]["preemptions"].as_u64();
    (place, preemptions.expect("a number"))
}

/// Minimises the trace, of which one preemption is needed, and says what the result shows.
fn with_one_preemption(place: &Place) -> String {
    let finished = place.rscale(&["minimize", "trace.txt", "--time-limit", "100s", "--json", "small.json"]);
    expect_status(&finished, 1);
    let json = fs::read(place.scratch.file("small.json")).expect("written");
    let small: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
    assert_eq!(small["preemptions"], 1, "{}", finished.describe());
    let texts: Vec<&str> =
        small["orderings"].as_array().expect("a list").iter().filter_map(|o| o["text"].as_str()).collect();
    let is_about_lock =
        |text: &&str| text.contains("locked `lock`") && text.contains("moves") && text.contains("looks");
    assert!(texts.len() == 2 && texts.iter().all(is_about_lock), "{texts:?}");
    let replayed = place.rscale(&["replay", "trace-min.txt", "--quiet"]);
    expect_status(&replayed, 1);
    replayed.out()
}

/// Whichever of its lines the loop is found at, it is the same loop.
#[test]
fn a_hang_is_minimised() {
    let (place, preemptions) = with_a_gap("while (stage == 1) {\n    turn();\n    rounds += 2;\n    turn();\n}");
    assert!(preemptions > 1, "there is something to do");
    assert_eq!(with_one_preemption(&place), "hang: a thread computed for 0.4 s without a scheduling point\n");
}

/// A loop takes long in many orders, and for ever in one: what only seems to hang is told from what does.
#[test]
fn what_takes_long_is_no_hang() {
    let (place, preemptions) = with_a_gap("for (int i = 0; i < 100000 || stage == 1; i++)\n    turn();");
    assert!(preemptions > 1, "there is something to do");
    assert_eq!(with_one_preemption(&place), "hang: a thread computed for 0.4 s without a scheduling point\n");
}

/// Another loop of the same function hangs with fewer preemptions: that is another finding.
#[test]
fn another_loop_is_another_hang() {
    let loops = "while (stage == 1)\n    rounds += 2;\nwhile (stage == 0 && is_asked)\n    rounds += 3;";
    let (place, _) = with_a_gap(loops);
    let finished = place.rscale(&["minimize", "trace.txt", "--time-limit", "100s", "--quiet", "--", "asked"]);
    expect_status(&finished, 1);
    assert!(finished.out().contains(", 1 preemption"), "{}", finished.describe());
}

#[test]
fn a_lost_process_is_minimised() {
    let (place, preemptions) = with_a_gap("if (stage == 1)\n    exit(system(\"kill -9 $PPID\"));");
    assert!(preemptions > 1, "there is something to do");
    let said = with_one_preemption(&place);
    assert!(said.starts_with("lost: the program's process was lost whenever this was tried"), "{said}");
    let minimised = place.rscale(&["minimize", "trace-min.txt", "--time-limit", "100s"]).out();
    for part in ["4 looks: running", "looks at ", "thread 4 (looks"] {
        assert!(one_line(&minimised).contains(part), "{part:?} is missing: {minimised}");
    }
}

#[test]
fn what_shows_nothing_is_not_minimised() {
    let place = Place::with("program", DEADLOCK);
    place.scratch.write("bare.txt", "0 0 1 1 1 1");
    let finished = place.rscale(&["minimize", "bare.txt", "--program", "./program"]);
    expect_status(&finished, 0);
    assert_eq!(finished.out(), "the schedule ends without a finding: there is nothing to minimise\n");
    place.scratch.write("wrong.txt", "0 0 1 1 7");
    place
        .refuses(&["minimize", "wrong.txt", "--program", "./program"], "wrong.txt: line 1, column 9: this step is not");
    place.refuses(&["minimize", "bare.txt", "--output", "no/such/place.txt"], "there is no directory no/such");
    assert!(!place.scratch.names().contains(&"bare-min.txt".to_owned()));
}

/// The sentences about what is found in a program.
fn orderings(source: &str) -> Vec<String> {
    let place = Place::with("program", source);
    let finished = place.rscale(&["run", "./program", "--json", "x.json", "--minimize", "20s"]);
    expect_status(&finished, 1);
    let summary = Summary::parse(&fs::read(place.scratch.file("x.json")).expect("written")).expect("JSON");
    let orderings = summary.findings()[0]["orderings"].as_array().expect("a list").clone();
    let texts: Vec<String> =
        orderings.iter().map(|ordering| ordering["text"].as_str().expect("a text").to_owned()).collect();
    let said = one_line(&finished.out());
    assert!(said.contains("decisive orderings (the other way round, it does not happen)"), "{said}");
    for text in &texts {
        assert!(said.contains(text.as_str()), "{text:?} is missing: {said}");
    }
    texts
}

#[test]
fn a_lost_update_is_explained() {
    let who = |thread: u16| format!("thread {thread} (add, program.c:24)");
    let order = |one: u16, other: u16| {
        format!("{} read `counter` (program.c:8) before {} wrote it (program.c:9)", who(one), who(other))
    };
    let told = orderings(LOST_UPDATE);
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told.contains(&order(1, 3)) && told.contains(&order(3, 1)), "{told:?}");
}

#[test]
fn what_came_too_late_is_named() {
    let told = orderings(USE_BEFORE_SET);
    let expected = "thread 1 (use, program.c:8) read `pointer` (program.c:4) before thread 0 (main) could write it \
                    (program.c:9)";
    assert_eq!(told, [expected]);
}

#[test]
fn the_first_execution_is_explained_too() {
    let told = orderings(SET_TO_NULL);
    let expected = "thread 1 (clear, program.c:21) wrote `pointer` (program.c:13) before thread 2 (use, program.c:22) read \
                    it (program.c:16)";
    assert_eq!(told, [expected]);
}

#[test]
fn a_finding_of_the_first_execution_is_replayed_and_resumed() {
    let place = Place::with("program", SET_TO_NULL);
    let run = ["run", "./program", "--journal", "x.journal", "--trace", "x.txt", "--no-progress"];
    expect_status(&place.rscale(&run), 1);
    let replayed = place.rscale(&["replay", "x.txt"]);
    expect_status(&replayed, 1);
    assert!(one_line(&replayed.out()).contains("write pointer"), "{}", replayed.out());
    let resumed = place.rscale(&["resume", "x.journal"]);
    expect_status(&resumed, 1);
    assert!(resumed.out().contains("crash: SIGSEGV"), "{}", resumed.out());
}

#[test]
fn a_deadlock_is_a_matter_of_who_locks_first() {
    let told = orderings(DEADLOCK);
    let expected = [
        "thread 1 (forth, program.c:17) locked `a` (program.c:7) before thread 2 (back, program.c:18) could lock it \
         (program.c:8)",
        "thread 2 (back, program.c:18) locked `b` (program.c:7) before thread 1 (forth, program.c:17) could lock it \
         (program.c:8)",
    ];
    assert_eq!(told, expected);
}
