//! Programs that rscale can not run: it says what is wrong and what to do, before anything is started.

use crate::cli::subjects::{CLEAN, Place, expect_status};
use rscale_tests::compile::compile;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("own files can be changed");
}

/// A file that is executable and holds these bytes.
fn executable(place: &Place, name: &str, bytes: &[u8]) {
    let path = place.scratch.write(name, bytes);
    set_mode(&path, 0o755);
}

#[test]
fn a_missing_program() {
    Place::new().refuses(&["run", "./missing"], "./missing: No such file or directory");
}

#[test]
fn a_directory() {
    Place::new().refuses(&["run", "."], "is a directory; name the program in it");
}

#[test]
fn a_program_without_permission() {
    let place = Place::with("program", CLEAN);
    set_mode(&place.scratch.file("program"), 0o644);
    place.refuses(&["run", "./program"], "is not executable; try: chmod +x ./program");
}

#[test]
fn a_text() {
    let place = Place::new();
    executable(&place, "text", b"hello\n");
    place.refuses(&["run", "./text"], "is not an ELF executable; name a compiled Linux program");
    executable(&place, "empty", b"");
    place.refuses(&["run", "./empty"], "is not an ELF executable");
}

#[test]
fn a_script() {
    let place = Place::new();
    executable(&place, "script", b"#!/bin/sh\nexit 0\n");
    place.refuses(
        &["run", "./script"],
        "is a script for /bin/sh, not a native program; name the program that it starts",
    );
}

#[test]
fn a_32_bit_program() {
    let place = Place::new();
    let mut header = b"\x7fELF\x01\x01\x01".to_vec();
    header.resize(16, 0);
    header.extend([2, 0, 3, 0]); // an executable for the i386
    header.resize(52, 0);
    executable(&place, "old", &header);
    place.refuses(&["run", "./old"], "is a 32-bit program; build it for x86-64");
}

#[test]
fn a_program_for_another_processor() {
    let place = Place::with("program", CLEAN);
    let mut bytes = fs::read(place.scratch.file("program")).expect("readable");
    bytes[18] = 183;
    executable(&place, "arm", &bytes);
    place.refuses(&["run", "./arm"], "is built for AARCH64; only x86-64 programs can be tested");
}

#[test]
fn a_truncated_program() {
    let place = Place::with("program", CLEAN);
    let bytes = fs::read(place.scratch.file("program")).expect("readable");
    executable(&place, "half", &bytes[..bytes.len() / 2]);
    place.refuses(&["run", "./half"], "is truncated or damaged");
}

#[test]
fn a_static_program() {
    let place = Place::new();
    let source = place.scratch.write("program.c", CLEAN);
    let program = place.scratch.file("program");
    match compile(&source, &program, &["-static"]) {
        Ok(()) => place.refuses(&["run", "./program"], "is statically linked, which needs `--engine ptrace`"),
        // Without static libraries there is nothing to test; any other failure is one of the test.
        Err(problem) => assert!(problem.contains("cannot find -l"), "{problem}"),
    }
}

#[test]
fn a_setuid_program() {
    let place = Place::with("program", CLEAN);
    set_mode(&place.scratch.file("program"), 0o4755);
    place.refuses(&["run", "./program"], "has the setuid or setgid bit set");
}

#[test]
fn a_shared_library() {
    let place = Place::new();
    place.compile("library", "int answer(void) { return 42; }\n", &["-shared", "-fPIC"]);
    place.refuses(&["run", "./library"], "is a shared library; name a program that uses it");
}

#[test]
fn an_object_file() {
    let place = Place::new();
    place.compile("object", CLEAN, &["-c"]);
    set_mode(&place.scratch.file("object"), 0o755);
    place.refuses(&["run", "./object"], "is an object file, not an executable; name a linked program");
}

#[test]
fn a_source_that_does_not_compile() {
    let place = Place::new();
    place.scratch.write("broken.c", "int main(void) { return nonsense; }\n");
    let finished = place.rscale(&["run", "./broken.c"]);
    expect_status(&finished, 2);
    assert!(finished.err().contains("nonsense"), "{}", finished.describe());
}

#[test]
fn a_program_without_threads_is_run_with_a_note() {
    let place = Place::with("single", "#include <stdio.h>\nint main(void) { puts(\"alone\"); return 0; }\n");
    let finished = place.rscale(&["run", "./single", "--outcomes"]);
    expect_status(&finished, 0);
    assert!(finished.out().contains("the program has created no threads: there is one schedule"));
    assert!(finished.out().contains("\"alone\\n\""), "{}", finished.out());
}
