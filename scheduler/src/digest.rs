//! What tells files apart: BLAKE3 of what they hold.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Of a file, read in pieces: an executable with debug information can be large.
///
/// # Errors
/// Where it can not be read.
pub fn of_file(path: &Path) -> io::Result<blake3::Hash> {
    let mut file = File::open(path)?;
    let mut hasher = blake3::Hasher::new();
    let mut piece = vec![0; 1 << 16];
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(hasher.finalize()),
            length => hasher.update(&piece[..length]),
        };
    }
}
