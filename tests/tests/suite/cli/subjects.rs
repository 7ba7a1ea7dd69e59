//! The programs that these tests run, and running rscale on them.

use rscale_tests::binary::rscale;
use rscale_tests::compile::compile;
use rscale_tests::process::{self, Finished};
use rscale_tests::scratch::Scratch;
use rscale_tests::summary::Summary;
use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Two threads take two mutexes in opposite orders.
pub const DEADLOCK: &str = r#"
#include <pthread.h>
#include <stdio.h>
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
    puts("done");
    return 0;
}
"#;

/// Prints `ab` or `ba`: one thread or the other is first.
pub const CLEAN: &str = r#"
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char text[3];
static int length;
static void *put(void *letter)
{
    pthread_mutex_lock(&mutex);
    text[length++] = *(char *)letter;
    pthread_mutex_unlock(&mutex);
    return NULL;
}
int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, put, "a");
    pthread_create(&two, NULL, put, "b");
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    puts(text);
    return 0;
}
"#;

/// A program whose three threads do this, with what it prints at its end.
macro_rules! three_threads {
    ($work:literal, $last:literal) => {
        concat!(
            "#include <pthread.h>\n#include <stdio.h>\n",
            $work,
            r#"
int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    "#,
            $last,
            "\n    return 0;\n}\n"
        )
    };
}

/// More schedules than anybody can wait for.
pub const ENDLESS: &str = three_threads!(
    r#"
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *unused)
{
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}"#,
    ""
);

/// Threads that add to a counter, each twice, and lose what others add.
pub const INCREMENTS: &str = three_threads!(
    r#"
static volatile int x;
static void *work(void *unused) { x++; x++; return unused; }"#,
    r#"printf("%d\n", x);"#
);

/// One of two assertions fails, whichever thread is first.
pub const TWO_BUGS: &str = r#"
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
static sem_t one_place;
static void *first(void *unused) { assert(sem_trywait(&one_place) != 0 && "first is late"); return unused; }
static void *second(void *unused) { assert(sem_trywait(&one_place) != 0 && "second is late"); return unused; }
int main(void)
{
    pthread_t one, two;
    sem_init(&one_place, 0, 1);
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
"#;

/// A directory in which rscale is run.
pub struct Place {
    /// The directory.
    pub scratch: Scratch,
}

impl Place {
    /// An empty one.
    pub fn new() -> Place {
        Place { scratch: Scratch::new(env!("CARGO_TARGET_TMPDIR")) }
    }

    /// One with a compiled program.
    pub fn with(name: &str, source: &str) -> Place {
        let place = Place::new();
        place.compile(name, source, &[]);
        place
    }

    /// Compiles a program.
    pub fn compile(&self, name: &str, source: &str, options: &[&str]) -> PathBuf {
        let file = self.scratch.write(&format!("{name}.c"), source);
        let executable = self.scratch.file(name);
        compile(&file, &executable, options).expect("the program of the test compiles");
        executable
    }

    /// A command that starts rscale there.
    pub fn command<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = Command::new(rscale());
        command.args(arguments).current_dir(self.scratch.path());
        command
    }

    /// Runs rscale to its end.
    pub fn rscale<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Finished {
        process::run(&mut self.command(arguments)).expect("rscale ends")
    }

    /// Runs a line of shell there, in which `$RSCALE` is rscale.
    pub fn shell(&self, line: &str) -> Finished {
        let mut command = Command::new("bash");
        command.args(["-c", line]).env("RSCALE", rscale()).current_dir(self.scratch.path());
        process::run(&mut command).expect("the line ends")
    }

    /// rscale says no to this, with status 2 and these words on the standard error, and leaves nothing behind.
    pub fn refuses<S: AsRef<OsStr>>(&self, arguments: &[S], words: &str) {
        let before = self.scratch.names();
        let finished = self.rscale(arguments);
        assert_eq!(finished.code(), Some(2), "{}", finished.describe());
        assert!(one_line(&short(&finished.err())).contains(words), "{words:?} is missing: {}", finished.describe());
        assert_eq!(finished.out(), "", "errors go to the standard error");
        assert_eq!(self.scratch.names(), before, "nothing is left behind");
    }
}

/// A text without its line breaks, which depend on the length of paths.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text in which places in the source of the test's program have no directories.
pub fn short(text: &str) -> String {
    let of_program = |base: &str| base.starts_with("program.c:");
    let shortened = |word| match str::rsplit_once(word, '/') {
        Some((_, base)) if of_program(base) => base,
        _ => word,
    };
    text.split_inclusive([' ', '(', '\n', '"']).map(shortened).collect()
}

/// Asserts an exit status, showing everything if it is another one.
#[track_caller]
pub fn expect_status(finished: &Finished, status: i32) {
    assert_eq!(finished.code(), Some(status), "{}", finished.describe());
    assert!(!finished.err().contains("panicked"), "{}", finished.describe());
}

/// One writer and N readers: 2^N traces.
const READERS: &str = r#"
#include <pthread.h>
#include <stdio.h>
volatile int x;
static int seen[N];
static void *write_it(void *unused) { x = 1; return unused; }
static void *read_it(void *place) { *(int *)place = x; return NULL; }
int main(void)
{
    pthread_t writer, readers[N];
    int sum = 0;
    pthread_create(&writer, NULL, write_it, NULL);
    for (int i = 0; i < N; i++)
        pthread_create(&readers[i], NULL, read_it, &seen[i]);
    pthread_join(writer, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(readers[i], NULL), sum += seen[i];
    printf("%d\n", sum);
    return 0;
}
"#;

/// A directory with that program.
pub fn readers(count: u32) -> Place {
    let place = Place::new();
    place.compile("readers", READERS, &["-O1", &format!("-DN={count}")]);
    place
}

/// What was written to result.json.
pub fn summary(place: &Place) -> Summary {
    Summary::parse(&fs::read(place.scratch.file("result.json")).expect("written")).expect("JSON")
}
