//! Small programs with a bug, and a place where such a program is compiled, and its bug recorded, for gdb to replay.

use rscale_tests::binary::rscale;
use rscale_tests::process;
use rscale_tests::scratch::Scratch;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Two threads take two mutexes in opposite orders.
pub(super) const DEADLOCK: &str = r#"
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void both(pthread_mutex_t *first, pthread_mutex_t *second)
{
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}
static void *forth(void *unused) { both(&a, &b); return unused; }
static void *back(void *unused) { both(&b, &a); return unused; }
int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, forth, NULL);
    pthread_create(&two, NULL, back, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
"#;

/// Two threads add to a variable, and an update is lost. The steps are memory accesses in instrumented code.
pub(super) const LOST: &str = r#"
#include <assert.h>
#include <pthread.h>
static int counter;
static __attribute__((noinline)) int add(int amount)
{
    int before = counter;
    int after = before + amount;
    counter = after;
    return after;
}
static void *worker(void *argument)
{
    int amount = *(int *)argument;
    int sum = add(amount);
    return (void *)(long)sum;
}
int main(void)
{
    pthread_t threads[2];
    int amounts[2] = {1, 2};
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, &amounts[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(counter == 3);
    return 0;
}
"#;

/// A thread follows a pointer that another one clears behind its check: it crashes in instrumented code.
pub(super) const CRASH: &str = r#"
#include <pthread.h>
#include <stddef.h>
static int value = 7;
static int *volatile place = &value;
static __attribute__((noinline)) int times(int factor)
{
    int product = factor;
    if (place)
        product *= *place;
    return product;
}
static void *reader(void *argument) { return (void *)(long)times(argument ? 2 : 3); }
static void *clearer(void *argument) { place = NULL; return argument; }
int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, reader, NULL);
    pthread_create(&two, NULL, clearer, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
"#;

/// A directory with a program and the trace of its bug. Temporary files of rscale go to a directory in it.
pub(super) struct Place(pub(super) Scratch);

impl Place {
    pub(super) fn recorded(source: &str, options: &[&str]) -> Place {
        let place = Place(Scratch::new(env!("CARGO_TARGET_TMPDIR")));
        fs::create_dir(place.0.file("temporary")).expect("writable");
        place.0.write("program.c", source);
        // Compiled here, sources have short names.
        let mut compiler = place.with_temporary(Command::new("gcc"));
        compiler.args(["-g", "-pthread", "-o", "program", "program.c"]).args(options);
        let compiled = process::run(&mut compiler).expect("it ends");
        assert!(compiled.status.success(), "{}", compiled.describe());
        let found = process::run(place.rscale().args(["run", "./program", "--quiet"])).expect("it ends");
        assert_eq!(found.code(), Some(1), "{}", found.describe());
        place
    }

    pub(super) fn rscale(&self) -> Command {
        self.with_temporary(Command::new(rscale()))
    }

    pub(super) fn with_temporary(&self, mut command: Command) -> Command {
        command.current_dir(self.0.path()).env("TMPDIR", self.0.file("temporary")).env_remove("RSCALE_GDB");
        command
    }

    /// Replays in gdb with these commands. Their output is one text: gdb writes errors between the rest.
    pub(super) fn gdb(&self, options: &str, commands: &[&str]) -> String {
        self.0.write("input", commands.join("\n") + "\n");
        let line = format!("cat input | '{}' replay trace.txt --gdb {options} 2>&1", rscale().display());
        let mut shell = self.with_temporary(Command::new("sh"));
        // gdb wraps lines at the width of a terminal, which it takes from here.
        shell.args(["-c", &line]).env("COLUMNS", "1000");
        let finished = process::run(&mut shell).expect("it ends");
        assert_eq!(finished.code(), Some(0), "{}", finished.describe());
        self.expect_nothing_left(&finished.out());
        finished.out()
    }

    /// Neither files nor processes of the session are left.
    pub(super) fn expect_nothing_left(&self, said: &str) {
        let files: Vec<_> = fs::read_dir(self.0.file("temporary")).expect("it is there").collect();
        assert!(files.is_empty(), "{files:?}\n{said}");
        let program = self.0.file("program");
        let is_program = |process: &Path| fs::read_link(process.join("exe")).is_ok_and(|exe| exe == program);
        let processes = fs::read_dir("/proc").expect("it is there").flatten().map(|entry| entry.path());
        let left: Vec<_> = processes.filter(|process| is_program(process)).collect();
        assert!(left.is_empty(), "{left:?}\n{said}");
    }
}
