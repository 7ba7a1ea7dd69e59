//! Programs of the distribution, as they are installed, under rscale: the quick part of `scripts/real-programs`.

use rscale_tests::{binary, process};
use std::process::Command;

/// They must be there, or installable: a machine without them tests nothing.
#[test]
fn installed_programs_do_the_same_as_without_rscale() {
    let script = binary::workspace().join("scripts/real-programs");
    let mut command = Command::new(script);
    command.arg("--quick").env("RSCALE_BIN", binary::rscale());
    let finished = process::run(&mut command).expect("it ends");
    assert_eq!(finished.code(), Some(0), "{}", finished.describe());
    for program in ["pigz", "pbzip2", "lbzip2", "pixz", "zstd"] {
        let is_same = |line: &str| line.starts_with(program) && line.ends_with(" same");
        assert!(finished.out().lines().any(is_same), "{program}: {}", finished.describe());
    }
}
