//! The programs below `tests/programs`.

use std::path::{Path, PathBuf};

/// A program of the suite.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its path below `tests/programs`.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
}

/// All of them, sorted by name.
///
/// # Panics
/// When the directory can not be read.
#[must_use]
pub fn all() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs");
    let mut paths = Vec::new();
    collect(&root, &mut paths);
    paths.sort();
    let name = |path: &PathBuf| path.strip_prefix(&root).unwrap_or(path).display().to_string();
    paths.iter().map(|path| Source { name: name(path), path: path.clone() }).collect()
}

fn collect(directory: &Path, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).expect("tests/programs can be read") {
        let path = entry.expect("tests/programs can be read").path();
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "c" || extension == "cpp") {
            paths.push(path);
        }
    }
}
