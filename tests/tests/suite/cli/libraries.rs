//! Code of libraries that belongs to the program, and what of others is not seen and has to be named.

use crate::cli::subjects::{Place, expect_status, one_line};
use rscale_tests::compile::{Compiler, compile, compile_with};
use rscale_tests::summary::Summary;
use std::path::Path;

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
        assert!(
            Summary::parse(&finished.stdout).expect("a summary").has_finding("deadlock"),
            "{library}: {}",
            finished.describe()
        );
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
