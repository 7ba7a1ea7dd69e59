//! What the program writes to its standard output and error: kept in memory, not shown while schedules are explored.

use nix::sys::memfd::{MFdFlags, memfd_create};
use std::fs::File;
use std::io::{self, Seek};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileExt;

/// Most bytes that are read back.
const LIMIT: usize = 1 << 20;

/// A file in memory that stands in for a terminal.
pub struct Captured {
    file: File,
}

impl Captured {
    /// An empty one.
    ///
    /// # Errors
    /// Where the kernel has no memory or descriptors left.
    pub fn new() -> io::Result<Captured> {
        Ok(Captured { file: File::from(memfd_create(c"rscale-output", MFdFlags::MFD_CLOEXEC)?) })
    }

    /// The descriptor to pass to the program.
    #[must_use]
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// Forgets what was written. The program shares the position in the file, so it begins anew too.
    ///
    /// # Errors
    /// Where the kernel refuses to change the file.
    pub fn clear(&mut self) -> io::Result<()> {
        self.file.set_len(0)?;
        self.file.rewind()
    }

    /// What has been written since it was cleared, up to a limit.
    #[must_use]
    pub fn contents(&self) -> Vec<u8> {
        let length = self.file.metadata().map_or(0, |metadata| metadata.len() as usize).min(LIMIT);
        let mut bytes = vec![0; length];
        match self.file.read_at(&mut bytes, 0) {
            Ok(read) => bytes.truncate(read),
            Err(_) => bytes.clear(),
        }
        bytes
    }
}
