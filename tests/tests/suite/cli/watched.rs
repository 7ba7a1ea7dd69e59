//! The code that is watched: libraries that are added, functions and files that are left out, and names that are wrong.

use crate::cli::subjects::{Place, expect_status, one_line};
use rscale_tests::binary::rscale;
use rscale_tests::compile::{Compiler, compile, compile_with};
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

/// Nobody sees what some functions of libc store: where one is called, that is said.
#[test]
fn functions_that_store_unseen_are_named() {
    let source = r#"
#include <pthread.h>
#include <wchar.h>
static wchar_t wide;
static mbstate_t state;
static void *converts(void *unused)
{
    mbrtowc(&wide, "a", 1, &state);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, converts, NULL);
    pthread_join(thread, NULL);
    return wide != L'a';
}
"#;
    let place = Place::with("program", source);
    let said = |scope: &str| place.rscale(&["run", "./program", "--scope", scope]);
    let watched = said("all");
    expect_status(&watched, 0);
    assert!(watched.out().contains("is not seen") && watched.out().contains(": mbrtowc"), "{}", watched.out());
    assert!(!said("sync").out().contains("mbrtowc"), "nothing is watched");
}

/// A string that two threads change: most of that happens in libstdc++, of which this is watched, and not all.
#[test]
fn strings_in_the_library_of_cpp_are_watched() {
    let place = Place::new();
    place.scratch.write(
        "strings.cpp",
        r#"
#include <cstdio>
#include <string>
#include <thread>
int main()
{
    std::string text;
    std::thread one([&] { text += "a"; }), other([&] { text += "b"; });
    one.join();
    other.join();
    std::puts(text.c_str());
}
"#,
    );
    let run = |options: &[&str]| place.rscale(&[&["run", "strings.cpp", "--outcomes"], options].concat());
    let (alone, whole) = (run(&[]), run(&["--instrument", "libstdc++.so.6"]));
    for watched in [&alone, &whole] {
        for outcome in ["\"ab\\n\"", "\"ba\\n\"", "\"a\\n\""] {
            assert!(watched.out().contains(outcome), "{outcome}: {}", watched.out());
        }
    }
    let rest = "except its strings, lists, trees, hash tables and stream buffers";
    assert!(one_line(&alone.out()).contains(rest), "{}", alone.out());
    assert!(!whole.out().contains("libstdc++"), "{}", whole.out());
    let member = "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::_M_append(char const*, \
                  unsigned long)";
    let excluded = run(&["--exclude", member]);
    assert!(excluded.out().contains("_M_append") && !excluded.out().contains("\"a\\n\""), "{}", excluded.out());
    let refused = run(&["--exclude", "__cxa_throw"]);
    expect_status(&refused, 2);
    let coverage = place.rscale(&["run", "strings.cpp", "--dry-run"]);
    assert!(one_line(&coverage.out()).contains(rest), "{}", coverage.out());
}

/// Two threads that read from one stream: that code of libstdc++ is not watched, and a note says so.
#[test]
fn what_the_library_of_cpp_does_unseen_is_named() {
    let place = Place::new();
    place.scratch.write(
        "words.cpp",
        r#"
#include <sstream>
#include <string>
#include <thread>
int main()
{
    std::istringstream words("one other");
    std::string first, second;
    std::thread one([&] { words >> first; });
    words >> second;
    one.join();
}
"#,
    );
    let run = |options: &[&str]| one_line(&place.rscale(&[&["run", "words.cpp"], options].concat()).out());
    let note = "the code of the input of std::istringstream lies in libstdc++ and is not watched";
    assert!(run(&[]).contains(note), "{}", run(&[]));
    let limited = ["--instrument", "libstdc++.so.6", "--max-executions", "10"];
    assert!(!run(&limited).contains(note), "{}", run(&limited));
    assert!(!run(&["--scope", "sync"]).contains(note));
}

/// libc++ has its strings in the shared library too, and what makes something happen once.
#[test]
fn the_other_library_of_cpp_is_watched_likewise() {
    const LIBRARY: &[&str] = &["-O1", "-stdlib=libc++"];
    let place = Place::new();
    let compile = |name: &str, source: &str| {
        let source = place.scratch.write(&format!("{name}.cpp"), source);
        compile_with(&Compiler::Clang, &source, &place.scratch.file(name), LIBRARY)
    };
    if !Compiler::all().contains(&Compiler::Clang) || compile("empty", "#include <string>\nint main() {}\n").is_err() {
        eprintln!("clang with libc++ is not installed; nothing is compiled with it");
        return;
    }
    let strings = r#"
#include <cassert>
#include <string>
#include <thread>
static std::string text;
int main()
{
    std::thread other([] { text.append("abc"); });
    text.append("defg");
    other.join();
    assert(text.size() == 7);
}
"#;
    compile("strings", strings).expect("the program of the test compiles");
    let found = place.rscale(&["run", "./strings"]);
    expect_status(&found, 1);
    assert!(found.out().contains("assertion: text.size() == 7 failed"), "{}", found.out());
    let once = r#"
#include <cassert>
#include <mutex>
#include <thread>
static std::once_flag flag;
static int value;
static void look()
{
    std::call_once(flag, [] { value = 5; });
    assert(value == 5);
}
int main()
{
    std::thread other(look);
    look();
    other.join();
}
"#;
    let counted = r#"
#include <cassert>
#include <memory>
#include <thread>
int main()
{
    auto owner = std::make_shared<int>(3);
    std::weak_ptr<int> observer = owner;
    std::thread other([&] {
        auto shared = observer.lock();
        assert(!shared || *shared == 3);
    });
    owner.reset();
    other.join();
}
"#;
    for (name, source) in [("once", once), ("counted", counted)] {
        compile(name, source).expect("the program of the test compiles");
        expect_status(&place.rscale(&["run", &format!("./{name}"), "--races"]), 0);
    }
}

/// Bytes of a file that can be reached at two addresses, or as memory and as a file.
#[test]
fn a_file_that_is_mapped_and_used_in_another_way_is_named() {
    let source = r#"
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
static volatile int *shared;
static void *reads(void *unused) { return *shared < 0 ? unused : NULL; }
int main(int count, char **arguments)
{
    int file = memfd_create("shared", 0), value = 7;
    pthread_t thread;
    ftruncate(file, 4096);
    shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    volatile int *again = shared;
    if (arguments[1][0] == 'm')
        again = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    pthread_create(&thread, NULL, reads, NULL);
    if (arguments[1][0] == 'w')
        pwrite(file, &value, sizeof value, 0);
    else
        *again = value;
    pthread_join(thread, NULL);
    return 0;
}
"#;
    let place = Place::with("program", source);
    for (how, is_named) in [("mapped twice", true), ("written", true), ("once", false)] {
        let finished = place.rscale(&["run", "./program", "--", how]);
        expect_status(&finished, 0);
        let said = one_line(&finished.out());
        assert_eq!(said.contains("that these are the same bytes is not seen"), is_named, "{how}: {said}");
    }
}

/// Compiles a library and a program that uses it.
fn program_with(library: &str, library_source: &str, program_source: &str) -> Place {
    let place = Place::new();
    let source = place.scratch.write("library.c", library_source);
    let library = place.scratch.file(library).display().to_string();
    compile(&source, Path::new(&library), &["-shared", "-fPIC"]).expect("the library compiles");
    let source = place.scratch.write("program.c", program_source);
    compile(&source, &place.scratch.file("program"), &[library]).expect("the program compiles");
    place
}

/// Locks as GLib has them: atomic accesses and futexes. No function of the thread library is called.
const LOCKS: &str = r#"
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
void take(int *lock)
{
    while (__atomic_exchange_n(lock, 2, __ATOMIC_ACQUIRE))
        syscall(SYS_futex, lock, FUTEX_WAIT_PRIVATE, 2, 0);
}
void give(int *lock)
{
    __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
    syscall(SYS_futex, lock, FUTEX_WAKE_PRIVATE, 1);
}
"#;

/// Takes two locks in opposite orders.
const OPPOSITE: &str = r#"
#include <pthread.h>
void take(int *lock);
void give(int *lock);
static int first, second;
static void both(int *one, int *other) { take(one); take(other); give(other); give(one); }
static void *worker(void *unused) { both(&second, &first); return unused; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    both(&first, &second);
    pthread_join(thread, NULL);
    return 0;
}
"#;

#[test]
fn libraries_that_offer_locks_are_watched_like_the_program() {
    for library in ["libglib-2.0.so", "libtbb.so", "libck.so", "liburcu-mb.so", "libomp.so"] {
        let place = program_with(library, LOCKS, OPPOSITE);
        let finished = place.rscale(&["run", "./program", "--json", "-", "--quiet", "--trace", "/dev/null"]);
        expect_status(&finished, 1);
        assert!(summary(&finished).has_finding("deadlock"), "{library}: {}", finished.describe());
    }
}

/// Waits in a loop of a library that is not watched.
#[test]
fn a_loop_in_a_library_that_is_not_watched_is_told() {
    let waiting = "void wait_for(volatile int *flag) { while (!*flag) ; }\n";
    let program = r#"
#include <pthread.h>
void wait_for(volatile int *flag);
static int flag;
static void *worker(void *unused) { flag = 1; return unused; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    wait_for(&flag);
    pthread_join(thread, NULL);
    return 0;
}
"#;
    let place = program_with("libwaiting.so", waiting, program);
    let finished = place.rscale(&["run", "./program", "--hang-limit", "300ms", "--trace", "hang.txt"]);
    expect_status(&finished, 1);
    let text = one_line(&finished.out());
    let advice = "it computes in libwaiting.so, which is not watched: where it waits there for another thread, that one \
                  is not let run; --instrument libwaiting.so watches it";
    assert!(text.contains(advice), "{text}");
    expect_status(&place.rscale(&["replay", "hang.txt"]), 1);
    expect_status(&place.rscale(&["run", "./program", "--instrument", "libwaiting.so"]), 0);
}

/// What code that is not watched stores goes straight to memory, also where the thread has stores in its buffer.
#[test]
fn stores_of_a_library_are_not_lost_under_weak_memory() {
    let storing = r#"
#include <string.h>
struct record { long first, second, third; };
static void *(*volatile by_libc)(void *, int, size_t) = memset;
void set(int *place) { *place = 7; }
void fill(struct record *record) { by_libc(record, 0, sizeof *record); record->first = 3; }
"#;
    let program = r#"
#include <assert.h>
#include <pthread.h>
struct record { long first, second, third; };
void set(int *place);
void fill(struct record *record);
static volatile int x, y, z;
static volatile struct record shared = { 9, 9, 9 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *unused)
{
    y = 5;
    (void)x;
    (void)z;
    (void)shared.first;
    (void)shared.second;
    (void)shared.third;
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    x = 1;
    z = 1;
    set((int *)&x);
    (void)y;
    assert(x == 7);
    fill((struct record *)&shared);
    (void)y;
    assert(shared.first == 3);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    assert(x == 7 && shared.first == 3 && shared.second == 0);
    pthread_join(thread, NULL);
    assert(x == 7 && shared.first == 3);
    return 0;
}
"#;
    let place = program_with("libstoring.so", storing, program);
    for memory in ["tso", "pso"] {
        let finished = place.rscale(&["run", "./program", "--memory", memory, "--trace", "lost.txt"]);
        expect_status(&finished, 0);
    }
}

/// Code that is not watched clears memory through libc, and stores itself: the one may not be seen behind the other.
#[test]
fn stores_of_a_library_and_of_libc_for_it_are_in_order_under_weak_memory() {
    let clearing = r#"
#include <string.h>
struct record { long first, second, third; };
int cleared;
static void *(*volatile by_libc)(void *, int, size_t) = memset;
void clear(struct record *record) { by_libc(record, 0, sizeof *record); cleared = 1; }
"#;
    let program = r#"
#include <assert.h>
#include <pthread.h>
struct record { long first, second, third; };
extern volatile int cleared;
void clear(struct record *record);
static volatile struct record shared = { 9, 9, 9 };
static void *worker(void *unused)
{
    if (cleared)
        assert(shared.first == 0 && shared.second == 0 && shared.third == 0);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    clear((struct record *)&shared);
    pthread_join(thread, NULL);
    return 0;
}
"#;
    let place = program_with("libclearing.so", clearing, program);
    for memory in ["tso", "pso"] {
        let finished = place.rscale(&["run", "./program", "--memory", memory, "--trace", "late.txt"]);
        expect_status(&finished, 0);
    }
}
