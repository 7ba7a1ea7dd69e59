//! Writing a file so that either the whole of it is there or nothing is.
//!
//! A trace that was cut off by a full disk looks like a shorter schedule, and a half-written summary misleads the
//! script that reads it. So a file gets its name only when all of it has reached the disk.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

/// Writes into a temporary file beside `path`, to the disk, and then moves it to its name.
///
/// # Errors
/// When the disk is full, the directory can not be written, or `path` is one; nothing is left behind then.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if is_device(path) { write_through(path, bytes) } else { replace(path, bytes) }
}

/// Whether a file could be written there, as far as that can be told before: nothing changes. Whoever reads from a pipe
/// would take it for the end if it were opened and closed, so pipes and devices are left alone.
///
/// # Errors
/// As [`write`], but for a disk that is full.
pub fn check(path: &Path) -> io::Result<()> {
    if is_device(path) { Ok(()) } else { Temporary::beside(path).map(|_| ()) }
}

/// Whether there is something that is no file, or leads to it.
#[must_use]
pub fn is_device(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file())
}

/// Pipes and devices keep their place: moving a file over them would replace them.
fn write_through(path: &Path, bytes: &[u8]) -> io::Result<()> {
    OpenOptions::new().write(true).open(path)?.write_all(bytes)
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut temporary = Temporary::beside(path)?;
    temporary.file.write_all(bytes)?;
    temporary.file.sync_all()?;
    fs::rename(&temporary.path, path)?;
    temporary.moved = true;
    Ok(())
}

/// A file that disappears again unless it was moved to its place.
struct Temporary {
    path: PathBuf,
    file: File,
    moved: bool,
}

impl Temporary {
    fn beside(path: &Path) -> io::Result<Temporary> {
        static COUNTER: AtomicU32 = AtomicU32::new(0);
        path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"))?;
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let path = path.with_file_name(format!(".rscale-{}-{number}", process::id()));
        let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        Ok(Temporary { path, file, moved: false })
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.moved {
            // Nothing more can be done about a file that can not be removed either.
            let _ = fs::remove_file(&self.path);
        }
    }
}
