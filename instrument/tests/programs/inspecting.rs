//! `elf::inspect` on what users point it at.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rscale_instrument::elf::{InspectError, inspect};

use crate::support::Workshop;

fn message(path: &Path) -> String {
    inspect(path).expect_err("can not be tested").to_string()
}

#[test]
fn a_position_independent_program_is_accepted() {
    let workshop = Workshop::new();
    let path = workshop.compile("names.c", "a.out", &["-g", "-pie", "-fPIE", "-Wl,--build-id"]);
    let program = inspect(&path).expect("is a program");
    assert!(program.pie);
    assert!(program.has_debug_info);
    assert!(program.imports.iter().any(|name| name == "printf"));
    assert!(program.imports.iter().all(|name| !name.contains('@')));
    assert!(program.needed.iter().any(|name| name == "libc.so.6"));
    assert!(program.interpreter.contains("ld-linux"));
    assert_eq!(program.build_id.as_deref().map(str::len), Some(40));
}

#[test]
fn a_fixed_address_and_stripped_program_is_accepted() {
    let workshop = Workshop::new();
    let path = workshop.compile("stack.c", "a.out", &["-no-pie", "-s", "-Wl,--build-id=none"]);
    let program = inspect(&path).expect("is a program");
    assert!(!program.pie);
    assert!(!program.has_debug_info);
    assert_eq!(program.build_id, None);
}

#[test]
fn other_kinds_of_elf_file_are_told_apart() {
    let workshop = Workshop::new();
    let library = workshop.compile("names.c", "lib.so", &["-shared", "-fPIC"]);
    assert!(message(&library).contains("shared library"));
    let object = workshop.compile("names.c", "a.o", &["-c"]);
    assert!(message(&object).contains("an object file"));
    for flags in [["-static", "-no-pie"], ["-static-pie", "-fPIE"]] {
        let program = workshop.compile("names.c", "static", &flags);
        assert!(message(&program).contains("--engine ptrace"), "{flags:?}");
    }
}

#[test]
fn files_that_can_not_be_started_are_refused() {
    let workshop = Workshop::new();
    assert!(message(&workshop.path("missing")).contains("no such file"));
    assert!(message(&workshop.path("")).contains("is a directory"));
    assert!(message(Path::new("/dev/null")).contains("not a regular file"));
    let script = workshop.write("script", b"#!/usr/bin/env python3\n");
    assert!(message(&script).contains("a script for /usr/bin/env python3"));
    let program = workshop.compile("stack.c", "a.out", &[]);
    for (mode, expected) in [(0o644, "chmod +x"), (0o4755, "setuid"), (0o2755, "setgid")] {
        std::fs::set_permissions(&program, Permissions::from_mode(mode)).expect("own file");
        assert!(message(&program).contains(expected), "{mode:o}");
    }
}

#[test]
fn truncated_programs_are_called_so() {
    let workshop = Workshop::new();
    let program = workshop.compile("stack.c", "a.out", &["-g"]);
    let bytes = std::fs::read(program).expect("was just built");
    for length in [5, 40, 64, 200, 1000, bytes.len() / 2, bytes.len() - 1] {
        let path = workshop.write("cut", &bytes[..length]);
        let error = inspect(&path).expect_err("is incomplete");
        assert!(matches!(error, InspectError::Corrupt(..)), "{length}: {error}");
    }
}
