//! `--invariant` and `--properties`: functions of the program that must hold, and all that can be wrong with one.

use crate::cli::subjects::{Place, expect_status, one_line, short};

/// A thread breaks an order for a moment; and functions that are no good as invariants.
const SUBJECT: &str = r#"
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int first, second;
int variable = 3;
int ordered(void) { return first >= second; }
int bounded(void) { return first + second <= 2; }
int crashes(void) { return *(volatile int *)(long)first; }
int loops(void) { for (;;) if (second == 77) return 0; }
int waits(void) { pthread_mutex_lock(&mutex); return !pthread_mutex_unlock(&mutex); }
int sleeps(void) { sleep(1); return 1; }
int exits(void) { exit(0); }
int exits_at_once(void) { _exit(0); }
int aborts(void) { abort(); }
int asserts(void) { assert(first == 77); return 1; }
int starts(void) { return fork() >= 0; }
int opens(void) { return fopen("/dev/null", "r") != NULL; }
int frees_twice(void) { char *block = malloc(9); free(block); free(block); return 1; }
static void *work(void *unused)
{
    pthread_mutex_lock(&mutex);
    second = 1;
    first = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    puts("done");
    return 0;
}
"#;

fn subject() -> Place {
    Place::with("program", SUBJECT)
}

#[test]
fn a_finding_names_the_function_the_step_and_all_threads() {
    let place = subject();
    let finished = place.rscale(&["run", "./program", "--invariant", "bounded", "--invariant", "ordered"]);
    expect_status(&finished, 1);
    let text = one_line(&short(&finished.out()));
    for part in [
        "invariant: ordered (program.c:10) does not hold",
        "at program.c:26",
        "it fails after step 4: thread 1 write second at program.c:26",
        "0 main: waits to join thread 1 (work)",
        "1 work: about to write first",
        "work at program.c:27",
    ] {
        assert!(text.contains(part), "{part:?} is missing: {}", finished.describe());
    }
    let trace = std::fs::read_to_string(place.scratch.file("trace.txt")).expect("written");
    assert!(trace.contains("# option: invariant bounded\n# option: invariant ordered\n"), "{trace}");
    for options in [&[][..], &["--engine", "threads"]] {
        let replay = place.rscale(&[&["replay", "trace.txt", "--quiet"][..], options].concat());
        expect_status(&replay, 1);
        assert_eq!(short(&replay.out()), "invariant: ordered (program.c:10) does not hold\n");
    }
}

#[test]
fn a_file_names_invariants() {
    let place = subject();
    place.scratch.write("properties", "# what must hold\n\nbounded\n  ordered # and this\n");
    let finished = place.rscale(&["run", "./program", "--properties", "properties", "--quiet"]);
    expect_status(&finished, 1);
    assert!(finished.out().contains("\ninvariant: ordered ("), "{}", finished.describe());
    place.scratch.write("empty", "# nothing\n");
    place.refuses(&["run", "./program", "--properties", "empty"], "--properties: empty names no function");
    place.refuses(&["run", "./program", "--properties", "missing"], "--properties: can not read missing");
    place.scratch.write("wrong", "bounded # holds\n\norderd\n");
    let words = "--properties wrong, line 3 orderd: ./program has no function of this name; did you mean ordered?";
    place.refuses(&["run", "./program", "--properties", "wrong"], words);
}

/// Functions that can not be called as they are meant, or that do not say whether something holds.
const OTHER_TYPES: &str = r#"
struct pair { int one, two; };
typedef const struct pair *link;
int takes(int limit, char sign) { return limit > sign; }
void nothing(void) {}
double real(void) { return 0.5; }
link pointer(void) { return 0; }
struct pair both(void) { return (struct pair){ 1, 2 }; }
long wide(void) { return 1L << 32; }
typedef enum { NO, YES } answer;
answer agrees(void) { return YES; }
unsigned char letter(void) { return 'x'; }
int main(void) { return 0; }
"#;

#[test]
fn functions_of_another_type() {
    let place = Place::with("program", OTHER_TYPES);
    for (name, words) in [
        ("takes", "--invariant takes: takes(limit, sign) takes arguments; it has to be a function int f(void)"),
        ("nothing", "--invariant nothing: it returns nothing; it has to be a function int f(void)"),
        ("real", "it returns a number that is not whole"),
        ("pointer", "it returns a pointer"),
        ("both", "it returns something else"),
        ("wide", "it returns a number of 8 bytes"),
    ] {
        place.refuses(&["run", "./program", "--invariant", name], words);
    }
    expect_status(&place.rscale(&["run", "./program", "--invariant", "agrees", "--invariant", "letter"]), 0);
}

#[test]
fn a_member_function_needs_an_object() {
    let place = Place::new();
    let source = "struct Account {\n    int balance;\n    bool solvent() const;\n};\n\
                  bool Account::solvent() const { return balance >= 0; }\n\
                  Account account;\nint main() { return !account.solvent(); }\n";
    place.scratch.write("program.cpp", source);
    let words = "takes arguments; it has to be a function int f(void)";
    place.refuses(&["run", "program.cpp", "--invariant", "Account::solvent"], words);
}

/// What returns a truth value sets one byte of the register: the rest of it is what was there before.
const TRUTH: &str = r#"
#include <pthread.h>
#include <stdbool.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int low = 0x100, high = 0x100;
bool ordered(void) { return low >= high; }
static void *work(void *unused)
{
    pthread_mutex_lock(&mutex);
    high = 0x300;
    low = 0x300;
    pthread_mutex_unlock(&mutex);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
"#;

#[test]
fn a_truth_value_is_one_byte() {
    let place = Place::new();
    for level in ["-O0", "-O2"] {
        place.compile("program", TRUTH, &["-g", level]);
        let finished = place.rscale(&["run", "./program", "--invariant", "ordered", "--quiet"]);
        expect_status(&finished, 1);
        assert!(finished.out().contains("\ninvariant: ordered ("), "{level}: {}", finished.describe());
        let replay = place.rscale(&["replay", "trace.txt", "--eval", "ordered"]);
        assert!(replay.out().contains("\nordered = 0\n"), "{level}: {}", replay.describe());
    }
    place.compile("bare", TRUTH, &["-g0", "-O1"]);
    let finished = place.rscale(&["run", "./bare", "--invariant", "ordered"]);
    let note = "note: ordered: without debug information it is taken to return an int";
    assert!(one_line(&finished.out()).contains(note), "{}", finished.describe());
}

/// Whichever filters: the order of accesses that nothing but the invariant can tell apart is tried.
#[test]
fn filters_keep_what_only_an_invariant_sees() {
    let place = subject();
    for filters in ["nsb", ""] {
        let finished = place.rscale(&["run", "./program", "--invariant", "ordered", "--filters", filters, "--quiet"]);
        expect_status(&finished, 1);
    }
}

#[test]
fn the_guarantee_says_where_invariants_were_evaluated() {
    let place = subject();
    for (scope, words) in [
        ("all", "invariants were evaluated in each state"),
        ("sync", "invariants were evaluated at operations of the thread library only"),
    ] {
        let finished = place.rscale(&["run", "./program", "--invariant", "bounded", "--scope", scope, "--outcomes"]);
        expect_status(&finished, 0);
        assert!(one_line(&finished.out()).contains(words), "{words:?} is missing: {}", finished.describe());
        assert!(finished.out().contains("\"done\\n\""), "{}", finished.describe());
    }
}

#[test]
fn names_that_are_no_function() {
    let place = subject();
    for (name, words) in [
        ("orderd", "--invariant orderd: ./program has no function of this name; did you mean ordered?"),
        ("something_else", "--invariant something_else: ./program has no function of this name"),
        ("variable", "--invariant variable: that is a variable, not a function"),
        ("", "--invariant: the name of a function is missing"),
    ] {
        place.refuses(&["run", "./program", "--invariant", name], words);
    }
    place.compile("stripped", SUBJECT, &["-s"]);
    place.refuses(&["run", "./stripped", "--invariant", "ordered"], "./stripped has no symbols");
}

#[test]
fn a_name_of_two_functions() {
    let place = Place::new();
    let static_function = "__attribute__((used)) static int holds(void) { return 1; }\n";
    let other = place.scratch.write("other.c", static_function);
    let source = format!("{static_function}int main(void) {{ return 0; }}\n");
    place.compile("program", &source, &[&other.to_string_lossy()]);
    place.refuses(&["run", "./program", "--invariant", "holds"], "the name is ambiguous: holds at ");
}

#[test]
fn functions_that_are_no_good_as_invariants() {
    let place = subject();
    for (name, words) in [
        ("crashes", "the invariant crashes (program.c:12) crashes: SIGSEGV"),
        ("loops", "the invariant loops (program.c:13) does not end"),
        ("waits", "the invariant waits (program.c:14) would have to wait (lock), which it must not"),
        ("sleeps", "the invariant sleeps (program.c:15) calls a function that it must not (sleep)"),
        ("exits", "the invariant exits (program.c:16) ends the process"),
        ("exits_at_once", "ends the process"),
        ("aborts", "aborts, or sends a signal"),
        ("asserts", "the invariant asserts (program.c:19) fails an assertion"),
        ("starts", "starts a process"),
        ("opens", "makes a system call that it must not"),
        ("frees_twice", "misuses the heap: double free"),
    ] {
        place.refuses(&["run", "./program", "--invariant", name, "--hang-limit", "300ms", "--no-progress"], words);
    }
}

/// A schedule in which an invariant fails twice is reported once, whatever the number of the step.
#[test]
fn one_place_is_one_finding() {
    let place = subject();
    let finished = place.rscale(&["run", "./program", "--invariant", "ordered", "--keep-going", "--quiet"]);
    expect_status(&finished, 1);
    assert!(finished.out().starts_with("bug: 1 finding in ./program\n"), "{}", finished.describe());
}
