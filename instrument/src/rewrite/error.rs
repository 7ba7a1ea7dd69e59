//! Why a file can not be rewritten.

use std::fmt;
use std::path::PathBuf;

/// A file whose code can not be rewritten at the chosen place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RewriteError {
    /// The file can not be read, or is no ELF file.
    Unreadable(PathBuf),
    /// The survey has no function that can be cloned.
    NoFunctions(PathBuf),
    /// The region is out of reach of the module.
    TooFar(PathBuf),
    /// The region would be larger, or the file's addresses higher, than the region's format allows.
    TooLarge(PathBuf),
}

impl fmt::Display for RewriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, what) = match self {
            Self::Unreadable(path) => (path, "can not be read as an ELF file"),
            Self::NoFunctions(path) => (path, "has no function that can be instrumented"),
            Self::TooFar(path) => (path, "there is no place for its instrumented code within its reach"),
            Self::TooLarge(path) => (path, "its code is too large to be instrumented"),
        };
        write!(f, "{}: {what}", path.display())
    }
}

impl std::error::Error for RewriteError {}
