//! Builds the shim and hands it to the scheduler, which carries it inside.
//!
//! The shim is a cdylib for another process. Cargo builds such a dependency only where it is asked for, so it is asked
//! for here, in a target directory of its own (the outer cargo holds the lock of the usual one).

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let preload = manifest.join("../preload");
    for watched in ["src", "Cargo.toml", "protocol/src", "protocol/Cargo.toml", "../Cargo.toml"] {
        println!("cargo::rerun-if-changed={}", preload.join(watched).display());
    }
    let built = build_shim(&preload, &out);
    fs::copy(&built, out.join("shim.so")).expect("the shim was built and can be copied");
}

fn build_shim(preload: &Path, out: &Path) -> PathBuf {
    let target = out.join("shim-target");
    let status = Command::new(env::var_os("CARGO").expect("cargo sets it"))
        .args(["build", "--profile", "shim", "--quiet", "--locked", "--manifest-path"])
        .arg(preload.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(&target)
        // What the outer cargo says of this package is not meant for the shim.
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("RUSTC_WORKSPACE_WRAPPER")
        .env_remove("CARGO_BUILD_TARGET")
        .status()
        .expect("cargo can be started");
    assert!(status.success(), "building the shim failed");
    target.join("shim/librscale_preload.so")
}
