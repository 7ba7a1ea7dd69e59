//! Directories for the files of one test.

use std::fs;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

/// A directory that goes away with this value.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// A new directory below `parent`, which tests have from `CARGO_TARGET_TMPDIR`.
    ///
    /// # Panics
    /// When it can not be made.
    #[must_use]
    pub fn new(parent: &str) -> Scratch {
        static COUNTER: AtomicU32 = AtomicU32::new(0);
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let path = Path::new(parent).join(format!("scratch-{}-{number}", process::id()));
        fs::create_dir_all(&path).expect("the directory for temporary files can be written");
        Scratch { path }
    }

    /// The directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A file in it.
    #[must_use]
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Writes a file in it.
    ///
    /// # Panics
    /// When it can not be written.
    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.file(name);
        fs::write(&path, contents).expect("the directory can be written");
        path
    }

    /// The names of everything in it, sorted.
    ///
    /// # Panics
    /// When it can not be read.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.path).expect("the directory can be read");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path); // it lies in the target directory, where it does no harm
    }
}
