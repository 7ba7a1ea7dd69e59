//! What README.md and the pages in `docs` show is what happens.
//!
//! Under the heading "Set-up" stand exactly two commands: one does the main job on a shipped example, the other runs
//! all tests. The second one would run this test again, so it is only compared with what the CI runs. Every other
//! command is run in a copy of the examples, with `rscale` and `target/release/rscale` being the executable under test.
//! The commands of one file are run one after the other.

use rscale_tests::binary::{rscale, workspace};
use rscale_tests::process::{self, Finished};
use rscale_tests::readme::{Example, examples, matches};
use rscale_tests::scratch::Scratch;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

const SET_UP: &str = "## Set-up";

fn shown(file: &str) -> Vec<Example> {
    let text = fs::read_to_string(workspace().join(file)).unwrap_or_else(|_| panic!("there is a {file}"));
    examples(&text).unwrap_or_else(|problem| panic!("{file}: {problem}"))
}

fn set_up() -> (Example, Example) {
    let commands: Vec<Example> = shown("README.md").into_iter().filter(|example| example.heading == SET_UP).collect();
    let found: Vec<&str> = commands.iter().map(|example| example.command.as_str()).collect();
    let [job, tests] = commands.as_slice() else { panic!("two commands stand under {SET_UP:?}, not {found:?}") };
    (job.clone(), tests.clone())
}

#[test]
fn two_commands_set_everything_up() {
    let (job, tests) = set_up();
    assert!(job.command.contains("cargo ") && job.command.contains("examples/"), "{}", job.command);
    let place = copy_of_examples();
    let finished = run(&job, place.path()).expect("it runs");
    assert_eq!(finished.code(), Some(1), "it finds a bug: {}", finished.describe());
    assert!(finished.out().contains("\nreplay  rscale replay "), "{}", finished.describe());
    let ci = fs::read_to_string(workspace().join(".ci/run")).expect("there is a .ci/run");
    assert!(ci.contains(&tests.command), "the CI runs {:?}", tests.command);
}

#[test]
fn every_command_prints_what_the_readme_shows() {
    assert!(run_all("README.md") > 0, "the README shows what rscale does");
}

#[test]
fn every_command_prints_what_the_pages_show() {
    let pages = fs::read_dir(workspace().join("docs")).expect("there are pages").flatten();
    let names = pages.map(|page| page.file_name().to_string_lossy().into_owned());
    let run: usize = names.filter(|name| name.ends_with(".md")).map(|name| run_all(&format!("docs/{name}"))).sum();
    assert!(run > 0, "some page shows what rscale does");
}

/// Runs the commands of a file; says how many there are.
fn run_all(file: &str) -> usize {
    let place = copy_of_examples();
    let shown = shown(file);
    let examples: Vec<&Example> = shown.iter().filter(|other| other.is_console && other.heading != SET_UP).collect();
    let mut problems = Vec::new();
    for example in &examples {
        if let Err(problem) = check(example, place.path()) {
            problems.push(format!("{file}:{}: $ {}\n{problem}", example.line, example.command));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
    examples.len()
}

/// A directory that looks like the workspace to the commands: the examples, and the built rscale.
fn copy_of_examples() -> Scratch {
    let place = Scratch::new(env!("CARGO_TARGET_TMPDIR"));
    let examples = place.file("examples");
    let bin = place.file("target/release");
    fs::create_dir_all(&examples).expect("can be made");
    fs::create_dir_all(&bin).expect("can be made");
    for entry in fs::read_dir(workspace().join("examples")).expect("there are examples") {
        let entry = entry.expect("readable");
        if entry.path().is_dir() {
            continue; // the litmus tests, which the README does not run
        }
        fs::copy(entry.path(), examples.join(entry.file_name())).expect("copyable");
    }
    symlink(rscale(), bin.join("rscale")).expect("can be linked");
    place
}

/// Runs a command there, with both streams going to the same place, as on the reader's terminal.
fn run(example: &Example, place: &Path) -> Result<Finished, String> {
    let command = without_cargo(&example.command)?;
    let mut shell = Command::new("bash");
    shell.args(["-c", &format!("{{ {command}\n}} 2>&1")]).current_dir(place).env("PATH", path(place));
    process::run(&mut shell)
}

fn check(example: &Example, place: &Path) -> Result<(), String> {
    let finished = run(example, place)?;
    let text = finished.out();
    if finished.code().is_none_or(|code| code >= 126) {
        return Err(finished.describe());
    }
    let printed: Vec<&str> = text.lines().collect();
    let is_promised = example.output.is_empty() || matches(&example.output, &printed);
    if is_promised { Ok(()) } else { Err(format!("shown:\n{}\nprinted:\n{text}", example.output.join("\n"))) }
}

/// Building was done before the test, and `cargo run` is nothing but the executable then.
fn without_cargo(command: &str) -> Result<String, String> {
    let parts = command.split("&&").map(str::trim).filter(|part| !part.starts_with("cargo build"));
    let parts: Vec<String> = parts
        .map(|part| match part.strip_prefix("cargo run") {
            Some(rest) => rest.split_once(" -- ").map(|(_, arguments)| format!("rscale {arguments}")),
            None => Some(part.to_owned()),
        })
        .collect::<Option<_>>()
        .ok_or_else(|| format!("can not tell what {command:?} runs"))?;
    Ok(if parts.is_empty() { "true".into() } else { parts.join(" && ") })
}

fn path(place: &Path) -> OsString {
    let mut path = place.join("target/release").into_os_string();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    path
}
