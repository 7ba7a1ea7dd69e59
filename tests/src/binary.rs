//! The executable under test.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The rscale under test: `$RSCALE_BIN`, or the release build of this workspace, which is made first.
///
/// Cargo does not hand the executable of one package to the tests of another, so it is built here, into the target
/// directory that the running test lies in. Release, because that is what users get and what the timings assume.
///
/// # Panics
/// When rscale can not be built.
pub fn rscale() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| match env::var_os("RSCALE_BIN") {
        Some(given) => PathBuf::from(given).canonicalize().expect("RSCALE_BIN names a file"),
        None => build(),
    })
}

/// The directory of the workspace.
///
/// # Panics
/// When the sources have been moved away since the tests were compiled.
#[must_use]
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the workspace is there")
}

fn build() -> PathBuf {
    let target = target_directory();
    let status = Command::new(env!("CARGO"))
        .args(["build", "--release", "--quiet", "-p", "rscale", "--target-dir"])
        .arg(&target)
        .current_dir(workspace())
        .status()
        .expect("cargo can be started");
    assert!(status.success(), "building rscale failed");
    target.join("release/rscale")
}

/// Tests lie in `TARGET/PROFILE/deps`.
fn target_directory() -> PathBuf {
    let test = env::current_exe().expect("a running test has a path");
    test.ancestors().nth(3).expect("tests lie deep in the target directory").to_owned()
}
