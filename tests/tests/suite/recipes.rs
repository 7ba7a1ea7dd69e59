//! The recipes of `docs/ci.md`, run as they stand there, with every tool that is installed.

use rscale_tests::binary::{rscale, workspace};
use rscale_tests::process::{self, Finished};
use rscale_tests::scratch::Scratch;
use std::path::Path;
use std::process::Command;

/// A correct program, and one that deadlocks.
const GOOD: &str = "#include <pthread.h>\nstatic pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;\nstatic void *f(void *x)\n\
    { pthread_mutex_lock(&a); pthread_mutex_unlock(&a); return x; }\nint main(void)\n{ pthread_t t; pthread_create(&t, 0, f, 0); \
    f(0); return pthread_join(t, 0); }\n";
const BAD: &str = "#include <pthread.h>\nstatic pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;\n\
    static void *f(void *x) { pthread_mutex_lock(&a); pthread_mutex_lock(&b); return x; }\nint main(void)\n{ pthread_t t; \
    pthread_create(&t, 0, f, 0); pthread_mutex_lock(&b); pthread_mutex_lock(&a); return pthread_join(t, 0); }\n";

/// The block of the page that begins with the name of its file.
fn recipe(name: &str) -> String {
    let page = std::fs::read_to_string(workspace().join("docs/ci.md")).expect("the page is there");
    let start = format!("# recipe: {name}\n");
    let at = page.find(&start).unwrap_or_else(|| panic!("there is no recipe {name}"));
    let block = &page[at + start.len()..];
    block[..block.find("```").expect("the block is closed")].to_owned()
}

fn is_installed(tool: &str) -> bool {
    process::run(Command::new(tool).arg("--version")).is_ok_and(|finished| finished.status.success())
}

/// A shell in a directory with the recipe and a program, where `rscale` is the one under test.
fn run(directory: &Path, script: &str) -> Finished {
    let bin = directory.join("bin");
    std::fs::create_dir_all(&bin).expect("writable");
    let link = bin.join("rscale");
    if !link.exists() {
        std::os::unix::fs::symlink(rscale(), &link).expect("writable");
    }
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new("sh");
    command.args(["-ec", script]).current_dir(directory).env("PATH", path);
    command.env_remove("MAKEFLAGS").env_remove("MAKELEVEL");
    process::run(&mut command).expect("it ends")
}

/// The recipe passes with the good program and fails with the bad one, with the finding in its output.
fn expect_verdicts(file: &str, tools: &[&str], build: &str, test: &str) {
    if let Some(missing) = tools.iter().find(|tool| !is_installed(tool)) {
        eprintln!("{file}: {missing} is not installed; the recipe is not run");
        return;
    }
    for (source, passes) in [(GOOD, true), (BAD, false)] {
        let scratch = Scratch::new(env!("CARGO_TARGET_TMPDIR"));
        scratch.write(file, recipe(file));
        scratch.write("test_queue.c", source);
        let built = run(scratch.path(), build);
        assert!(built.status.success(), "{file}: {}", built.describe());
        let tested = run(scratch.path(), test);
        assert_eq!(tested.status.success(), passes, "{file}: {}", tested.describe());
        let said = tested.out() + &tested.err();
        assert_eq!(said.contains("deadlock: no thread can go on"), !passes, "{file}: {said}");
    }
}

#[test]
fn make() {
    expect_verdicts("Makefile", &["make"], "true", "make test");
}

#[test]
fn cmake() {
    let build = "cmake -S . -B build && cmake --build build";
    expect_verdicts("CMakeLists.txt", &["cmake", "ctest"], build, "ctest --test-dir build --output-on-failure");
}

#[test]
fn meson() {
    let test = "meson test -C build --print-errorlogs";
    expect_verdicts("meson.build", &["meson", "ninja"], "meson setup build && meson compile -C build", test);
}

/// There is no server here: the steps that are commands of ours are run as they are.
#[test]
fn a_github_workflow() {
    let workflow = recipe(".github/workflows/schedules.yml");
    let commands: Vec<&str> = workflow.lines().filter_map(|line| line.trim().strip_prefix("- run: ")).collect();
    let [install, compile, check] = commands[..] else { panic!("{commands:?}") };
    assert!(install.starts_with("cargo install "), "{install}");
    let scratch = Scratch::new(env!("CARGO_TARGET_TMPDIR"));
    scratch.write("test_queue.c", BAD);
    assert!(run(scratch.path(), compile).status.success());
    let checked = run(scratch.path(), check);
    assert_eq!(checked.code(), Some(1), "{}", checked.describe());
    assert!(checked.out().contains("\n::error file=test_queue.c,line="), "{}", checked.describe());
    assert!(scratch.names().contains(&"rscale.sarif".to_owned()));
}
