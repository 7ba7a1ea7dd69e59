//! The survey of one file: all its functions, all their accesses, and what is left out.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use object::{Object, ObjectSymbol, SymbolKind};

use super::functions::Function;
use super::layout::Layout;
use super::liveness::CallFlags;
use super::sites::{AccessKind, OperandClass, Prefetch, Site};
use super::skips::Skipped;
use super::surveyor::Surveyor;
use crate::elf::{InspectError, check_identification};
use crate::image::Image;
use crate::unwind::tables::UnwindTables;

/// A function that can be instrumented.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surveyed {
    /// The function.
    pub function: Function,
    /// Its accesses, in order.
    pub sites: Vec<Site>,
    /// Where it tells the processor what it will access, in order.
    pub prefetches: Vec<Prefetch>,
    /// Where its direct calls and jumps lead that leave the range.
    pub callees: Vec<u64>,
    /// Jumps whose target is computed: jump tables, computed gotos, indirect tail calls.
    pub indirect_jumps: u32,
    /// Direct jumps out of the range: tail calls, parts elsewhere.
    pub leaving_jumps: u32,
    /// Whether execution may run over the end of the range.
    pub falls_through: bool,
    /// Whether it calls nothing.
    pub is_leaf: bool,
    /// Whether there may be live data below the stack pointer, where a hook must not push.
    pub uses_red_zone: bool,
    /// Whether the address of a stack slot may be known elsewhere.
    pub takes_stack_address: bool,
}

/// How many accesses there are. The first five are those that need a hook.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Reads of memory that others may see.
    pub reads: usize,
    /// Writes of it.
    pub writes: usize,
    /// Reads followed by a write, not atomic.
    pub updates: usize,
    /// Atomic read-modify-writes.
    pub atomics: usize,
    /// Fences.
    pub fences: usize,
    /// Accesses of the function's own stack.
    pub own_stack: usize,
    /// Accesses of thread-local variables.
    pub thread_local: usize,
    /// Reads of constants.
    pub constants: usize,
}

/// What a file's code consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survey {
    /// The functions of the program that can be instrumented, by address.
    pub functions: Vec<Surveyed>,
    /// The functions of the program that can not, by address.
    pub skipped: Vec<Skipped>,
    /// Code of the linker and the compiler, which is left alone.
    pub support: Vec<Function>,
    /// Bytes of executable code.
    pub text_bytes: u64,
    /// Whether the address of a thread-local variable may be known to other threads.
    pub takes_thread_local_address: bool,
    /// Whether some function passes a value to another one in the flags.
    pub call_flags: CallFlags,
}

/// A file whose code can not be surveyed.
#[derive(Debug)]
pub enum SurveyError {
    /// The file can not be read.
    Unreadable(PathBuf, io::Error),
    /// It is no x86-64 ELF file, or a damaged one.
    NotSuitable(InspectError),
    /// It has no executable code.
    NoCode(PathBuf),
}

impl fmt::Display for SurveyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(path, error) => write!(f, "{}: can not be read: {error}", path.display()),
            Self::NotSuitable(error) => error.fmt(f),
            Self::NoCode(path) => write!(f, "{}: has no executable code to instrument", path.display()),
        }
    }
}

impl std::error::Error for SurveyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unreadable(_, error) => Some(error),
            Self::NotSuitable(error) => Some(error),
            Self::NoCode(_) => None,
        }
    }
}

impl Survey {
    /// Surveys an executable or a shared library.
    ///
    /// # Errors
    /// See [`SurveyError`]. Functions that are not understood are no error: see [`Survey::skipped`].
    pub fn of(path: &Path) -> Result<Self, SurveyError> {
        let unreadable = |error| SurveyError::Unreadable(path.to_owned(), error);
        let metadata = std::fs::metadata(path).map_err(unreadable)?;
        if !metadata.is_file() {
            return Err(SurveyError::NotSuitable(InspectError::NotAFile(path.to_owned())));
        }
        Self::of_bytes(path, std::fs::read(path).map_err(unreadable)?)
    }

    /// [`Survey::of`] without the file system; `path` only goes into errors.
    fn of_bytes(path: &Path, bytes: Vec<u8>) -> Result<Self, SurveyError> {
        check_identification(path, &bytes).map_err(SurveyError::NotSuitable)?;
        let corrupt = || InspectError::Corrupt(path.to_owned(), "unusable headers".to_owned());
        let image = Image::from_bytes(bytes).ok_or_else(|| SurveyError::NotSuitable(corrupt()))?;
        let file = image.file().ok_or_else(|| SurveyError::NotSuitable(corrupt()))?;
        let layout = Layout::new(&file);
        if layout.areas.is_empty() {
            return Err(SurveyError::NoCode(path.to_owned()));
        }
        let unwind = UnwindTables::new(&image).map(|tables| tables.functions()).unwrap_or_default();
        let mut survey = Surveyor::new(&layout, &unwind).survey();
        // Another file can take the address of a thread-local variable that both know by name.
        survey.takes_thread_local_address |= file.dynamic_symbols().any(|symbol| symbol.kind() == SymbolKind::Tls);
        Ok(survey)
    }

    /// The number of the program's functions, instrumentable or not.
    #[must_use]
    pub fn function_count(&self) -> usize {
        self.functions.len() + self.skipped.len()
    }

    /// How many accesses the instrumentable functions have.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for site in self.functions.iter().flat_map(|function| &function.sites) {
            let count = match (site.class, site.kind) {
                (_, AccessKind::Fence) => &mut counts.fences,
                (OperandClass::OwnStack, _) => &mut counts.own_stack,
                (OperandClass::ThreadLocal, _) => &mut counts.thread_local,
                (OperandClass::Constant, _) => &mut counts.constants,
                (OperandClass::Shared, AccessKind::Read) => &mut counts.reads,
                (OperandClass::Shared, AccessKind::Write) => &mut counts.writes,
                (OperandClass::Shared, AccessKind::Update) => &mut counts.updates,
                (OperandClass::Shared, AccessKind::Atomic) => &mut counts.atomics,
            };
            *count += 1;
        }
        counts
    }
}
