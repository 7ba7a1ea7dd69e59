//! `--races`: what a report of a data race says, and that its trace replays.

use crate::cli::subjects::{CLEAN, Place, expect_status, one_line};
use rscale_tests::compile::{Compiler, compile_with};
use rscale_tests::summary::Summary;
use std::fs;

/// One thread holds a lock, the other one does not.
const ONE_SIDE: &str = r#"
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int total;
static void add(int amount) { total = amount; }
static void *careful(void *unused)
{
    pthread_mutex_lock(&lock);
    add(7);
    pthread_mutex_unlock(&lock);
    return unused;
}
static void *careless(void *unused) { return total > 7 ? &lock : unused; }
int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, careful, NULL);
    pthread_create(&two, NULL, careless, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
"#;

/// Two halves of a word, each written by a thread of its own, and a third thread that reads the whole of it.
const HALVES: &str = r#"
#include <pthread.h>
static union { struct { volatile short low, high; } half; volatile int whole; } word;
static void *low(void *unused) { word.half.low = 1; return unused; }
static void *high(void *unused) { word.half.high = 1; return unused; }
static void *both(void *unused) { return word.whole < 0 ? &word : unused; }
int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, low, NULL);
    pthread_create(&threads[1], NULL, high, NULL);
    pthread_create(&threads[2], NULL, both, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
"#;

/// A race, and an assertion that fails if it goes wrong.
const WITH_ASSERTION: &str = r#"
#include <assert.h>
#include <pthread.h>
static volatile int value;
static void *set(void *unused) { value = 1; return unused; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, set, NULL);
    assert(value == 0);
    pthread_join(thread, NULL);
    return 0;
}
"#;

/// A flag in a block whose type nobody can know, for it comes from an allocator of the program's own. The macro says
/// what the reader looks at.
const OWN_ALLOCATOR: &str = r#"
#include <pthread.h>
#include <stdlib.h>
struct message { _Atomic int ready; int data; };
static volatile int seen;
static void *block(size_t size) { return calloc(1, size); }
static void *make(void *argument)
{
    struct message *message = argument;
    message->data = 1;
    message->ready = 1;
    return 0;
}
static void *use(void *argument)
{
    struct message *message = argument;
    if (message->LOOKED_AT)
        seen = message->data;
    return 0;
}
int main(void)
{
    pthread_t one, two;
    struct message *message = block(sizeof *message);
    pthread_create(&one, NULL, make, message);
    pthread_create(&two, NULL, use, message);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
"#;

fn found(place: &Place, options: &[&str]) -> Summary {
    let finished = place.rscale(&[&["run", "./program", "--races", "--quiet", "--json", "-"], options].concat());
    Summary::parse(&finished.stdout).expect("JSON")
}

/// The compiler was given whole paths.
fn without_directory(place: &Place, text: &str) -> String {
    text.replace(&*place.scratch.file("").to_string_lossy(), "")
}

#[test]
fn both_accesses_are_told_with_their_stacks_and_what_is_missing() {
    let place = Place::with("program", ONE_SIDE);
    expect_status(&place.rscale(&["run", "./program"]), 0);
    for model in ["sc", "tso", "pso"] {
        let finished = place.rscale(&["run", "./program", "--races", "--memory", model]);
        expect_status(&finished, 1);
        let replay = place.rscale(&["replay", "trace.txt"]);
        expect_status(&replay, 1);
        for said in [finished.out(), replay.out()].map(|text| without_directory(&place, &one_line(&text))) {
            for part in [
                "race: nothing orders two accesses to total: read at program.c:13 and write at program.c:5",
                "thread 1 (careful): write total: 0 -> 7 at program.c:5",
                "thread 2 (careless): read total: ",
                "nothing orders them: thread 1 holds lock, thread 2 holds no lock",
                "add at program.c:5",
                "careful at program.c:9",
                "careless at program.c:13",
            ] {
                assert!(said.contains(part), "{model}: {part}\n{said}");
            }
        }
    }
    let trace = fs::read_to_string(place.scratch.file("trace.txt")).expect("written");
    assert!(trace.contains("# option: races true\n"), "{trace}");
}

#[test]
fn distinct_races_are_collected_and_bytes_count() {
    let place = Place::with("program", HALVES);
    let summary = found(&place, &["--keep-going"]);
    let mut lines: Vec<String> = summary
        .findings()
        .iter()
        .filter_map(|finding| finding["message"].as_str()?.split_once(": "))
        .map(|(_, places)| without_directory(&place, places))
        .collect();
    lines.sort_unstable();
    let expected = ["read at program.c:6 and write at program.c:4", "read at program.c:6 and write at program.c:5"];
    assert_eq!(lines, expected, "the halves do not race with each other: {}", summary.0);
    for (trace, smaller) in [("trace.txt", "trace-min.txt"), ("trace-2.txt", "trace-2-min.txt")] {
        expect_status(&place.rscale(&["replay", trace, "--quiet"]), 1);
        expect_status(&place.rscale(&["minimize", trace]), 1);
        expect_status(&place.rscale(&["replay", smaller, "--quiet"]), 1);
    }
}

#[test]
fn every_model_and_filter_finds_it() {
    let place = Place::with("program", ONE_SIDE);
    let filters = ["optimal", "source", "dpor", "nsb", "epor", "pb=0", "random", "pct=2", "nsb,lcd"];
    for (model, filter) in ["sc", "tso", "pso"].into_iter().flat_map(|model| filters.map(|filter| (model, filter))) {
        let summary = found(&place, &["--memory", model, "--filters", filter, "--max-executions", "50"]);
        assert_eq!(summary.of_first_finding("kind"), "race", "{model} {filter}");
        expect_status(&place.rscale(&["replay", "trace.txt", "--quiet"]), 1);
    }
}

#[test]
fn other_findings_are_not_lost() {
    let place = Place::with("program", WITH_ASSERTION);
    let summary = found(&place, &["--keep-going"]);
    assert!(summary.has_finding("race") && summary.has_finding("assertion"), "{}", summary.0);
    // One schedule may show both: each trace says which of them it is about.
    for (index, finding) in summary.findings().iter().enumerate() {
        let trace = if index == 0 { "trace.txt".into() } else { format!("trace-{}.txt", index + 1) };
        let replay = place.rscale(&["replay", &trace]);
        expect_status(&replay, 1);
        let kind = finding["kind"].as_str().unwrap_or_default();
        assert!(replay.out().contains(&format!("\n{kind}: ")), "{kind}\n{}", replay.out());
    }
    expect_status(&place.rscale(&["run", "./program", "--races", "--sarif", "found.sarif", "--junit", "found.xml"]), 1);
    let read = |name: &str| fs::read_to_string(place.scratch.file(name)).expect("written");
    assert!(read("found.sarif").contains("\"ruleId\": \"race\"") && read("found.xml").contains("race"));
    expect_status(&place.rscale(&["report", "trace.txt", "--html", "found.html"]), 1);
    assert!(read("found.html").contains("nothing orders two accesses"));
}

#[test]
fn no_race_is_a_statement_about_every_execution() {
    let place = Place::with("program", CLEAN);
    let finished = place.rscale(&["run", "./program", "--races"]);
    expect_status(&finished, 0);
    assert!(one_line(&finished.out()).contains("in each execution, data races were looked for"), "{}", finished.out());
    place.refuses(&["run", "./program", "--races", "--scope", "sync"], "it needs --scope all");
    assert!(one_line(&place.rscale(&["list"]).out()).contains("race with --races:"));
}

/// clang says which word of a line is read. Other compilers do not, and then a race that depends on it is not certain,
/// and one that does not is.
#[test]
fn what_may_be_atomic_makes_no_certain_race() {
    for compiler in Compiler::all() {
        for (looked_at, level) in [("ready", "-O0"), ("ready", "-O2"), ("data", "-O0"), ("data", "-O2")] {
            let place = Place::new();
            let file = place.scratch.write("program.c", OWN_ALLOCATOR.replace("LOOKED_AT", looked_at));
            compile_with(compiler, &file, &place.scratch.file("program"), &[level]).expect("it compiles");
            let summary = found(&place, &[]);
            let message = summary.of_first_finding("message");
            let build = format!("{compiler:?} {level}: {}", summary.0);
            match (looked_at, compiler, level) {
                ("ready", Compiler::Clang, "-O2") => assert!(summary.findings().is_empty(), "{build}"),
                ("ready", ..) => {
                    assert!(message.starts_with("perhaps nothing orders two accesses to "), "{build}");
                    let replay = place.rscale(&["replay", "trace.txt"]);
                    expect_status(&replay, 1);
                    let text = one_line(&replay.out());
                    assert!(text.contains("may be to something that is declared _Atomic"), "{build}\n{text}");
                }
                _ => assert!(message.starts_with("nothing orders two accesses to "), "{build}"),
            }
        }
    }
}
