//! The code that is watched: libraries that are added, functions and files that are left out, and names that are wrong.

use crate::cli::subjects::{Place, expect_status, one_line};
use rscale_tests::binary::rscale;
use rscale_tests::compile::compile;
use rscale_tests::process::{self, Finished};
use rscale_tests::summary::Summary;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

/// A library with a counter that loses increments.
const LIBRARY: &str = r#"
static volatile int counter;
void add_one(void) { counter++; }
int value(void) { return counter; }
"#;

/// Uses the library from two threads. Its own accesses are in order.
const PROGRAM: &str = r#"
#include <assert.h>
#include <pthread.h>
void add_one(void);
int value(void);
static void *worker(void *unused) { add_one(); return unused; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    add_one();
    pthread_join(thread, NULL);
    assert(value() == 2);
    return 0;
}
"#;

/// Loses an increment in a function of its own.
const RACY: &str = r#"
#include <assert.h>
#include <pthread.h>
static volatile int counter;
#line 1 "counter.c"
__attribute__((noinline)) static void increment_it(void) { counter++; }
#line 6 "program.c"
static void *worker(void *unused) { increment_it(); return unused; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    increment_it();
    pthread_join(thread, NULL);
    assert(counter == 2);
    return 0;
}
"#;

/// Loads the library while it runs.
const LOADER: &str = r#"
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
static void (*add_one)(void);
static void *worker(void *unused) { add_one(); return unused; }
int main(void)
{
    pthread_t thread;
    void *library = dlopen("./libcounting.so", RTLD_NOW);
    add_one = (void (*)(void))dlsym(library, "add_one");
    int (*value)(void) = (int (*)(void))dlsym(library, "value");
    pthread_create(&thread, NULL, worker, NULL);
    add_one();
    pthread_join(thread, NULL);
    assert(value() == 2);
    return 0;
}
"#;

/// A directory with the program and its library.
fn with_library() -> Place {
    with_libraries(&[])
}

/// The same with other libraries, of which the program uses nothing.
fn with_libraries(others: &[&str]) -> Place {
    let place = Place::new();
    let source = place.scratch.write("counting.c", LIBRARY);
    compile(&source, &place.scratch.file("libcounting.so"), &["-shared", "-fPIC"]).expect("the library compiles");
    let directory = place.scratch.path().display().to_string();
    let mut options = vec![format!("-L{directory}"), "-lcounting".into(), format!("-Wl,-rpath,{directory}")];
    options.push("-Wl,--no-as-needed".into());
    for name in others {
        let source = place.scratch.write(&format!("{name}.c"), format!("int {name}(int *x) {{ return ++*x; }}"));
        let library = place.scratch.file(&format!("lib{name}.so"));
        compile(&source, &library, &["-shared", "-fPIC"]).expect("the library compiles");
        options.push(format!("-l{name}"));
    }
    let source = place.scratch.write("program.c", PROGRAM);
    compile(&source, &place.scratch.file("program"), &options).expect("the program compiles");
    place
}

fn summary(finished: &Finished) -> Summary {
    Summary::parse(&finished.stdout).expect("a summary")
}

#[test]
fn a_race_in_a_library_is_found_where_it_is_watched() {
    let place = with_library();
    for library in ["./libcounting.so", "libcounting.so"] {
        let finished = place.rscale(&["run", "./program", "--instrument", library, "--json", "-"]);
        expect_status(&finished, 1);
        assert_eq!(summary(&finished).of_first_finding("kind"), "assertion");
        let replay = place.rscale(&["replay", "trace.txt"]);
        expect_status(&replay, 1);
        let text = one_line(&replay.out());
        assert!(text.contains("counting.c:3 write counter 0 -> 1"), "{}", replay.describe());
    }
}

/// A thread-local variable of the program, and another thread that is given its address by a library: only there is it
/// taken.
const OWN_COUNTER: &str = "\
#include <assert.h>
#include <pthread.h>
__thread int own;
void publish(void);
void count(void);
static void *other(void *unused) { count(); return unused; }
int main(void) {
    pthread_t thread;
    publish();
    pthread_create(&thread, 0, other, 0);
    own++;
    pthread_join(thread, 0);
    assert(own == 2);
    return 0;
}
";
const PUBLISHING: &str = "\
extern __thread int own;
static int *volatile published;
void publish(void) { published = &own; }
void count(void) { (*published)++; }
";

#[test]
fn a_thread_local_variable_whose_address_another_module_takes() {
    let place = Place::new();
    let source = place.scratch.write("publishing.c", PUBLISHING);
    compile(&source, &place.scratch.file("libpublishing.so"), &["-shared", "-fPIC"]).expect("the library compiles");
    let directory = place.scratch.path().display().to_string();
    let options = [format!("-L{directory}"), "-lpublishing".into(), format!("-Wl,-rpath,{directory}")];
    let source = place.scratch.write("program.c", OWN_COUNTER);
    compile(&source, &place.scratch.file("program"), &options).expect("the program compiles");
    let finished = place.rscale(&["run", "./program", "--instrument", "libpublishing.so", "--json", "-"]);
    expect_status(&finished, 1);
    assert_eq!(summary(&finished).of_first_finding("kind"), "assertion");
    expect_status(&place.rscale(&["replay", "trace.txt"]), 1);
}

#[test]
fn several_libraries_are_watched() {
    let place = with_libraries(&["first", "second"]);
    let libraries = ["libfirst.so", "libsecond.so", "libcounting.so"];
    let chosen = libraries.iter().flat_map(|library| ["--instrument", library]);
    let command: Vec<&str> = ["run", "./program", "--json", "-"].into_iter().chain(chosen).collect();
    let finished = place.rscale(&command);
    expect_status(&finished, 1);
    assert_eq!(summary(&finished).of_first_finding("kind"), "assertion");
}

#[test]
fn a_library_that_is_not_watched_is_named() {
    let place = with_library();
    let finished = place.rscale(&["run", "./program", "--json", "-"]);
    expect_status(&finished, 0);
    let summary = summary(&finished);
    let guarantee = summary.text("guarantee");
    assert!(guarantee.ends_with("; not watched: the code of libcounting.so (see --instrument)"), "{guarantee}");
}

#[test]
fn libraries_that_the_program_does_not_load() {
    let place = with_library();
    let start = "the program does not load this when it starts; ";
    let run = |library: &'static str| ["run", "./program", "--instrument", library];
    place.refuses(&run("libcuonting.so"), &format!("--instrument libcuonting.so: {start}did you mean "));
    place.refuses(&run("libcuonting.so"), "/libcounting.so?");
    place.refuses(&run("./nothing/alike.so"), &format!("{start}it loads "));
    place.refuses(&["run", "./program", "--dry-run", "--instrument", "libx.so"], start);
}

#[test]
fn a_plug_in_is_named_or_watched_from_the_start() {
    let place = with_library();
    place.compile("loader", LOADER, &[]);
    let plain = place.rscale(&["run", "./loader", "--json", "-"]);
    expect_status(&plain, 0);
    let guarantee = summary(&plain).text("guarantee").to_owned();
    assert!(guarantee.ends_with("; not watched: code that was loaded or made while the program ran"), "{guarantee}");
    assert_eq!(unwatched(&plain), ["code that was loaded or made while the program ran"]);
    let watched = ["run", "./loader", "--instrument", "./libcounting.so", "--json", "-"];
    place.refuses(&watched[..4], "what it loads later is there from the start with LD_PRELOAD=./libcounting.so");
    let mut command = place.command(&watched);
    let finished = process::run(command.env("LD_PRELOAD", "./libcounting.so")).expect("it runs");
    expect_status(&finished, 1);
    assert_eq!(summary(&finished).of_first_finding("kind"), "assertion");
}

#[test]
fn what_is_excluded_is_not_watched() {
    let place = Place::with("program", RACY);
    expect_status(&place.rscale(&["run", "./program", "--quiet"]), 1);
    for name in ["increment_it", "counter.c"] {
        let finished = place.rscale(&["run", "./program", "--exclude", name, "--json", "-"]);
        expect_status(&finished, 0);
        let guarantee = summary(&finished).text("guarantee").to_owned();
        assert!(guarantee.contains("not watched: ") && guarantee.contains("increment_it (excluded)"), "{guarantee}");
        let unwatched = unwatched(&finished);
        assert!(unwatched.iter().any(|code| code.ends_with("increment_it (excluded)")), "{unwatched:?}");
    }
    let everything = place.rscale(&["run", "./program", "--json", "-"]);
    assert_eq!(unwatched(&everything), [""; 0], "where all code is watched");
}

/// The code of the program that was not watched, as the summary has it.
fn unwatched(finished: &Finished) -> Vec<String> {
    let names = summary(finished).0["unwatched"].as_array().expect("a list").clone();
    names.iter().map(|name| name.as_str().expect("a name").to_owned()).collect()
}

#[test]
fn exclusions_that_match_nothing() {
    let place = Place::with("program", RACY);
    let start = "no function or source file of the watched code has this name; ";
    // The second time, the instrumented code comes out of the cache.
    for _ in 0..2 {
        place.refuses(
            &["run", "./program", "--exclude", "incremnet_it"],
            &format!("--exclude incremnet_it: {start}did you mean increment_it?"),
        );
    }
    place.refuses(&["run", "./program", "--exclude", "conuter.c"], "did you mean counter.c?");
    place.refuses(&["run", "./program", "--exclude", "something_else"], "inlined everywhere");
    place.refuses(&["run", "./program", "--exclude", "main", "--exclude", "nowhere.c"], "--exclude nowhere.c: ");
    place.refuses(&["run", "./program", "--dry-run", "--exclude", "wokrer"], "did you mean worker?");
    place.refuses(&["run", "./program", "--scope", "sync", "--exclude", "main"], "they need --scope all");
}

#[test]
fn a_dry_run_has_a_line_for_each() {
    let place = with_library();
    let plain = place.rscale(&["run", "./program", "--dry-run"]);
    expect_status(&plain, 0);
    let lines: Vec<String> = plain.out().lines().map(str::to_owned).collect();
    assert!(lines[0].contains("/program: ") && lines[0].contains(" functions, "), "{lines:?}");
    assert_eq!(lines[1..], ["libcounting.so: not watched; --instrument adds it"]);
    let line = ["run", "./program", "--dry-run", "--instrument", "libcounting.so", "--exclude", "add_one"];
    let chosen = place.rscale(&line);
    expect_status(&chosen, 0);
    let lines: Vec<String> = chosen.out().lines().map(str::to_owned).collect();
    assert!(lines[1].contains("/libcounting.so: ") && lines[1].contains("functions, "), "{lines:?}");
    assert_eq!(lines[2..], ["  --exclude add_one: 1 function left out"]);
}

#[test]
fn each_build_of_rscale_instruments_for_itself() {
    let place = Place::with("program", RACY);
    let cache = place.scratch.file("cache");
    let kept = || fs::read_dir(cache.join("rscale/regions")).map_or(0, Iterator::count);
    let copy = |name: &str| {
        let copy = place.scratch.file(name);
        fs::copy(rscale(), &copy).expect("there is room");
        copy
    };
    let find = |rscale: &Path| {
        let mut command = Command::new(rscale);
        command.args(["run", "./program", "--quiet", "--trace", "trace.txt"]).current_dir(place.scratch.path());
        let finished = process::run(command.env("XDG_CACHE_HOME", &cache)).expect("it runs");
        expect_status(&finished, 1);
        kept()
    };
    let time = |path: &Path, time: SystemTime| {
        File::options().write(true).open(path).and_then(|file| file.set_modified(time)).expect("it is ours");
    };
    let (one, built) = (copy("one"), SystemTime::now());
    time(&one, built);
    let first = find(&one);
    assert!(first > 0, "it is kept");
    assert_eq!(find(&one), first, "and used again");
    time(&one, built + Duration::from_nanos(1_000_000));
    let later = find(&one);
    assert_eq!(later, 2 * first, "a build of the same size is another one");
    let longer = copy("longer");
    File::options().append(true).open(&longer).and_then(|mut file| file.write_all(b"more")).expect("it is ours");
    time(&longer, built);
    assert_eq!(find(&longer), later + first, "and so is one of the same time");
}
