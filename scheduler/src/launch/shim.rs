//! The shim, carried inside the executable.

use nix::sys::memfd::{MFdFlags, memfd_create};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

const BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/shim.so"));

/// The shim as a file in memory, from which the loader of the program maps it. Nothing is left behind in a file system.
pub struct Shim {
    file: File,
}

impl Shim {
    /// Unpacks the shim.
    ///
    /// # Errors
    /// Where the kernel has no memory or descriptors left.
    pub fn unpack() -> io::Result<Shim> {
        let mut file = File::from(memfd_create(c"rscale-shim", MFdFlags::MFD_CLOEXEC)?);
        file.write_all(BYTES)?;
        Ok(Shim { file })
    }

    /// Writes the shim to a file, for debuggers to read its symbols.
    ///
    /// # Errors
    /// Where it can not be written.
    pub fn write(path: &Path) -> io::Result<()> {
        std::fs::write(path, BYTES)
    }

    /// The descriptor to pass to the program.
    #[must_use]
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}
