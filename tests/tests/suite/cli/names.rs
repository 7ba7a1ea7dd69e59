//! Names and values in reports: of variables, members, locals, heap objects, as the source has them.

use crate::cli::subjects::{Place, expect_status};
use rscale_tests::compile::{Compiler, compile_with};
use std::time::{Duration, SystemTime};

/// Two threads change all kinds of variables, and an increment is lost.
const VARIABLES: &str = r#"
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
enum state { IDLE, BUSY, DONE };
struct node { int key; volatile struct node *next; enum state state; double weight; };
struct slot { char tag; struct { unsigned value; } inner; };
static volatile struct { struct slot slots[4]; unsigned low : 3, high : 5; } table;
volatile struct node *head, *pair;
static void (*volatile handler)(void);
static __thread short own;
static short *other;
static volatile signed char letter;
static void hello(void) {}
static void *worker(void *local)
{
    head->state = BUSY;
    pair[1].weight = 2.5;
    head->next = pair;
    table.slots[2].inner.value = 4000000000u;
    table.high = 3;
    handler = hello;
    *other = -7;
    letter = 'a';
    ++*(volatile int *)local;
    return NULL;
}
int main(void)
{
    volatile int counter = 5;
    pthread_t thread;
    head = malloc(sizeof *head);
    pair = calloc(2, sizeof(struct node));
    head->state = IDLE, head->next = NULL;
    other = &own;
    pthread_create(&thread, NULL, worker, (void *)&counter);
    head->state = DONE;
    pair[1].weight = 1.5;
    head->next = NULL;
    table.slots[2].inner.value = 1;
    table.low = 1;
    handler = NULL;
    own = 3;
    letter = -1;
    counter++;
    pthread_join(thread, NULL);
    assert(counter == 7);
    return 0;
}
"#;

/// Members, static members and objects of the standard library.
const CLASSES: &str = r#"
#include <atomic>
#include <cassert>
#include <pthread.h>
namespace bank {
enum class Mood { Calm, Angry };
struct Base { long id; };
struct Account : Base {
    int balance; long gap; Mood mood; long wide; std::atomic<int> uses;
    static int total;
};
int Account::total;
static Account accounts[2];
}
using namespace bank;
static void *worker(void *unused)
{
    accounts[1].balance -= 10;
    accounts[1].mood = Mood::Angry;
    accounts[1].id = -1;
    accounts[1].uses++;
    Account::total++;
    return unused;
}
int main()
{
    pthread_t thread;
    accounts[1].balance = 100;
    pthread_create(&thread, nullptr, worker, nullptr);
    accounts[1].balance -= 5;
    accounts[1].mood = Mood::Calm;
    accounts[1].id = 1;
    accounts[1].uses++;
    Account::total++;
    pthread_join(thread, nullptr);
    assert(accounts[1].balance == 85);
}
"#;

/// Blocks whose type the source does not tell.
const UNCERTAIN: &str = r#"
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct head { long a, b; };
struct item { long c; };
static char *mixed, *bytes;
static void *worker(void *unused)
{
    ++*(volatile long *)(mixed + 8);
    ++*(volatile long *)(bytes + 8);
    return unused;
}
int main(void)
{
    pthread_t thread;
    mixed = calloc(1, sizeof(struct head) + 2 * sizeof(struct item));
    bytes = calloc(1, 32);
    pthread_create(&thread, NULL, worker, NULL);
    ++*(volatile long *)(mixed + 8);
    ++*(volatile long *)(bytes + 8);
    pthread_join(thread, NULL);
    assert(*(long *)(mixed + 8) == 2);
    return 0;
}
"#;

/// The steps of the replay of what is found in a program, a line each, without blanks.
fn steps(place: &Place, program: &str) -> String {
    steps_with(place, &["run", program, "--quiet"])
}

/// The same for a whole command.
fn steps_with(place: &Place, command: &[&str]) -> String {
    expect_status(&place.rscale(command), 1);
    let replay = place.rscale(&["replay", "trace.txt"]);
    expect_status(&replay, 1);
    // Files are named from the directory in which the compiler ran.
    let directory = format!("{}/", place.scratch.path().display());
    let here = format!("{}/", std::env::current_dir().expect("there is one").display());
    let below = directory.strip_prefix(&here).unwrap_or(&directory);
    unfolded(&replay.out()).replace(&directory, "").replace(below, "")
}

/// The table in a text, with what stands in several lines for want of room in one, and without blanks: whether a line
/// was parted at one can not be seen.
fn unfolded(text: &str) -> String {
    let mut lines = text.lines().skip_while(|line| !line.starts_with("step  thread"));
    let header: Vec<char> = lines.next().expect("a table").chars().collect();
    let begins = |&column: &usize| header[column] != ' ' && (column == 0 || header[column - 1] == ' ');
    let columns: Vec<usize> = (0..header.len()).filter(begins).chain([usize::MAX]).collect();
    let mut rows: Vec<Vec<String>> = Vec::new();
    for line in lines.take_while(|line| !line.is_empty()) {
        let letters: Vec<char> = line.chars().collect();
        let cell = |range: &[usize]| {
            let (start, end) = (range[0].min(letters.len()), range[1].min(letters.len()));
            letters[start..end].iter().filter(|letter| **letter != ' ').collect::<String>()
        };
        let cells: Vec<String> = columns.windows(2).map(cell).collect();
        match rows.last_mut().filter(|_| cells[0].is_empty()) {
            Some(row) => row.iter_mut().zip(cells).for_each(|(above, below)| above.push_str(&below)),
            None => rows.push(cells),
        }
    }
    rows.iter().map(|row| row.concat() + "\n").collect()
}

#[track_caller]
fn expect_parts(text: &str, parts: &[&str], place: &str) {
    for part in parts {
        let part = part.replace(' ', "");
        assert!(text.contains(&part), "{place}: {part:?} is missing:\n{text}");
    }
}

/// Every compiler that is there, at these levels.
fn for_each_build(source: &str, extension: &str, levels: &[&str], check: impl Fn(&Place, &str)) {
    for compiler in Compiler::all() {
        for level in levels {
            let place = Place::new();
            let file = place.scratch.write(&format!("program.{extension}"), source);
            compile_with(compiler, &file, &place.scratch.file("program"), &[level]).expect("it compiles");
            check(&place, &format!("{compiler:?} {level}"));
        }
    }
}

#[test]
fn variables_of_c() {
    for_each_build(VARIABLES, "c", &["-O0", "-O2"], |place, build| {
        let text = steps(place, "./program");
        let object = "*heap object from program.c:32";
        expect_parts(
            &text,
            &[
                &format!("write {object} + 16 (field state) IDLE -> DONE"),
                &format!("write {object} + 16 (field state) DONE -> BUSY"),
                &format!("write {object} + 8 (field next) NULL -> heap object from program.c:33"),
                "write *heap object from program.c:33 + 56 ([1].weight) 1.5 -> 2.5",
                "write table.slots[2].inner.value 1 -> 4000000000",
                "write table.{low,high} {1, 0} -> {1, 3}",
                "write handler NULL -> hello",
                "write thread 0's thread-local own 3 -> -7",
                "write letter -1 -> 97 'a'",
                "read main's local counter (program.c:30) 5",
                "write main's local counter (program.c:30) 5 -> 6",
                "create thread 1 (worker)",
            ],
            build,
        );
    });
}

#[test]
fn members_of_classes() {
    for_each_build(CLASSES, "cpp", &["-O0", "-O2"], |place, build| {
        let text = steps(place, "./program");
        expect_parts(
            &text,
            &[
                "bank::accounts[1].balance 100",
                "write bank::accounts[1].mood Calm -> Angry",
                "write bank::accounts[1].id ",
                " -> -1\n",
                "atomic update bank::accounts[1].uses 0 -> 1",
                "write bank::Account::total 0 -> 1",
            ],
            build,
        );
    });
}

/// What libraries and templates allocate is named by the line of the program, where the compiler left no function
/// between.
const OBJECTS: &str = "\
#include <memory>
#include <pthread.h>
#include <string>
struct Node { int id; int value; };
static Node *volatile node;
static int *numbers;
static std::string *text;
static std::unique_ptr<Node> owned;
static Node *volatile early = new Node();
static void *changes(void *unused) {
    early->value++;
    node->value++;
    numbers[2]++;
    (*text)[20]++;
    owned->value++;
    return unused;
}
int main() {
    node = new Node();
    numbers = new int[8]();
    text = new std::string(40, 'a');
    owned = std::make_unique<Node>();
    pthread_t other;
    pthread_create(&other, nullptr, changes, nullptr);
    changes(nullptr);
    pthread_join(other, nullptr);
    return node->value + numbers[2] + owned->value != 6;
}
";

#[test]
fn objects_of_libraries_are_named_by_the_line_of_the_program() {
    for_each_build(OBJECTS, "cpp", &["-O0", "-O2"], |place, build| {
        let text = steps_with(place, &["run", "./program", "--quiet", "--exit-status"]);
        expect_parts(
            &text,
            &[
                "write *heap object from program.cpp:9 + 4",
                "write *heap object from program.cpp:19 + 4 (field value) 0 -> 1",
                "write *heap object from program.cpp:20 + 8 ([2]) 0 -> 1",
            ],
            build,
        );
        if build.contains("-O2") {
            expect_parts(&text, &["write *heap object from program.cpp:22 + 4"], build);
        }
    });
}

#[test]
fn what_is_not_certain_is_not_named() {
    let place = Place::with("program", UNCERTAIN);
    let text = steps(&place, "./program");
    expect_parts(&text, &["read *heap object from program.c:17 + 8 0x0\n"], "mixed");
    assert!(!text.contains("field"), "{text}");
}

#[test]
fn a_source_that_is_newer_than_the_program_is_not_believed() {
    let place = Place::with("program", VARIABLES);
    let source = std::fs::File::options().append(true).open(place.scratch.file("program.c")).expect("it is there");
    source.set_modified(SystemTime::now() + Duration::from_secs(60)).expect("it can be touched");
    let text = steps(&place, "./program");
    expect_parts(&text, &["*heap object from program.c:32 + 16 0x0 -> 0x2"], "touched");
    assert!(!text.contains("field"), "{text}");
}

#[test]
fn the_table_of_a_report_shows_values() {
    let place = Place::with("program", VARIABLES);
    let finished = place.rscale(&["run", "./program"]);
    expect_status(&finished, 1);
    expect_parts(&finished.out().replace(' ', ""), &["write handler: NULL -> hello", "program.c:30): 5"], "report");
    assert!(finished.out().lines().all(|line| line.chars().count() <= 80), "{}", finished.out());
}

/// A wake-up comes before the wait; both are system calls of the program's own code.
const OWN_CALLS: &str = r#"
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
static atomic_int word;
static __attribute__((noinline)) long own_call(int operation, int value)
{
    register long none __asm__("r10") = 0;
    long result = SYS_futex;
    __asm__ volatile("syscall" : "+a"(result) : "D"(&word), "S"(operation), "d"(value), "r"(none) : "rcx", "r11", "memory");
    return result;
}
static void *waits(void *unused)
{
    own_call(FUTEX_WAIT, 0);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, waits, 0);
    own_call(FUTEX_WAKE, 1);
    return pthread_join(thread, 0);
}
"#;

/// Instrumented code runs as a copy, which no user knows of.
#[test]
fn system_calls_without_libc_are_where_the_source_has_them() {
    let place = Place::with("program", OWN_CALLS);
    let finished = place.rscale(&["run", "./program"]);
    expect_status(&finished, 1);
    let out = finished.out();
    let has = |words: &[&str]| out.lines().any(|line| words.iter().all(|word| line.contains(word)));
    assert!(has(&["futex wake word", "program.c:11"]), "{out}");
    assert!(has(&["futex wait word", "program.c:11"]), "{out}");
    assert!(has(&["own_call at ", "program.c:11"]) && has(&["waits at ", "program.c:16"]), "{out}");
    assert!(!out.contains("memfd"), "{out}");
}
