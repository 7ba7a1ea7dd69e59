//! Why a file can not be tested, in words that say what to do about it.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// The file named as the program can not be tested.
#[derive(Debug)]
pub enum InspectError {
    /// There is no such file.
    Missing(PathBuf),
    /// The file can not be read.
    Unreadable(PathBuf, io::Error),
    /// A directory was named.
    Directory(PathBuf),
    /// A pipe, a device or a socket was named.
    NotAFile(PathBuf),
    /// The file lacks the permission to execute it.
    NotExecutable(PathBuf),
    /// A script, with the interpreter that its first line names.
    Script(PathBuf, String),
    /// Not an ELF file.
    NotElf(PathBuf),
    /// A 32-bit program.
    ThirtyTwoBit(PathBuf),
    /// A program for another processor, with its name.
    OtherArchitecture(PathBuf, String),
    /// Not a program but another kind of ELF file (an object file, a core dump), with its kind.
    NotAProgram(PathBuf, &'static str),
    /// A shared library.
    SharedLibrary(PathBuf),
    /// A statically linked program.
    StaticallyLinked(PathBuf),
    /// The set-user-id or set-group-id bit is set.
    SetId(PathBuf),
    /// The file is truncated or damaged, with what is wrong in it.
    Corrupt(PathBuf, String),
}

impl fmt::Display for InspectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(path) => write!(f, "{}: no such file", path.display()),
            Self::Unreadable(path, error) => {
                write!(f, "{}: can not be read: {error}", path.display())
            }
            Self::Directory(path) => write!(f, "{}: is a directory; name the executable in it", path.display()),
            Self::NotAFile(path) => write!(f, "{}: is not a regular file; name an executable", path.display()),
            Self::NotExecutable(path) => {
                let path = path.display();
                write!(f, "{path}: is not executable; try: chmod +x {path}")
            }
            Self::Script(path, interpreter) => write!(
                f,
                "{}: is a script for {interpreter}, not a native program; name the program that it starts",
                path.display()
            ),
            Self::NotElf(path) => {
                write!(f, "{}: is not an ELF executable; name a compiled Linux program", path.display())
            }
            Self::ThirtyTwoBit(path) => {
                write!(f, "{}: is a 32-bit program; build it for x86-64 (without -m32 or -mx32)", path.display())
            }
            Self::OtherArchitecture(path, machine) => {
                write!(f, "{}: is built for {machine}; only x86-64 programs can be tested", path.display())
            }
            Self::NotAProgram(path, kind) => {
                write!(f, "{}: is {kind}, not an executable; name a linked program", path.display())
            }
            Self::SharedLibrary(path) => {
                write!(f, "{}: is a shared library; name a program that uses it", path.display())
            }
            Self::StaticallyLinked(path) => write!(
                f,
                "{}: is statically linked, which needs `--engine ptrace`, and that engine is not there yet; \
                 link it dynamically (without -static)",
                path.display()
            ),
            Self::SetId(path) => {
                let path = path.display();
                write!(
                    f,
                    "{path}: has the setuid or setgid bit set, so the system would not load rscale's library \
                     into it; test a copy without it: chmod ug-s COPY"
                )
            }
            Self::Corrupt(path, problem) => {
                write!(f, "{}: is truncated or damaged ({problem}); build or copy it again", path.display())
            }
        }
    }
}

impl std::error::Error for InspectError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unreadable(_, error) => Some(error),
            _ => None,
        }
    }
}
