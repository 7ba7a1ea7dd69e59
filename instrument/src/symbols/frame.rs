//! One source position and how it is written.

use std::fmt;

/// A function activation in terms of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFrame {
    /// The function, demangled.
    pub function: Option<String>,
    /// The source file; absolute unless the compiler was told otherwise.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: Option<u32>,
    /// The column, from 1.
    pub column: Option<u32>,
    /// The directory in which the compiler ran.
    pub directory: Option<String>,
    /// The base name of the executable or library; `None` for an address outside all of them.
    pub module: Option<String>,
    /// The address as the module's file has it (what `addr2line` takes), or the runtime address if
    /// there is no module.
    pub address: u64,
    /// How far into the function the address is, where only the symbol table names the function.
    pub function_offset: Option<u64>,
}

impl SourceFrame {
    /// A frame of which only the address is known.
    pub(super) fn unknown(address: u64) -> Self {
        Self {
            function: None,
            file: None,
            line: None,
            column: None,
            directory: None,
            module: None,
            address,
            function_offset: None,
        }
    }

    /// The file's path, relative to where it was compiled if it lies below that directory.
    #[must_use]
    pub fn short_file(&self) -> Option<&str> {
        let file = self.file.as_deref()?;
        let below = self
            .directory
            .as_deref()
            .filter(|directory| !directory.is_empty())
            .and_then(|directory| file.strip_prefix(directory.trim_end_matches('/')))
            .and_then(|rest| rest.strip_prefix('/'));
        let short = below.unwrap_or(file);
        Some(short.strip_prefix("./").unwrap_or(short))
    }

    /// Whether the source is a header of the system, as templates of the standard library are.
    #[must_use]
    pub fn is_of_system(&self) -> bool {
        let file = self.file.as_deref().unwrap_or_default();
        file.starts_with("/usr/include/") || file.starts_with("/usr/lib/") || file.contains("/include/c++/")
    }

    /// The position in short: `main.c:12`, else `a.out+0x1139`, else the bare address.
    #[must_use]
    pub fn location(&self) -> String {
        match (self.short_file(), self.line, &self.module) {
            (Some(file), Some(line), _) => format!("{file}:{line}"),
            (_, _, Some(module)) => format!("{module}+{:#x}", self.address),
            _ => format!("{:#x}", self.address),
        }
    }
}

/// `worker at main.c:12`, `worker+0x1c (a.out+0x1139)` or the location alone.
impl fmt::Display for SourceFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let location = self.location();
        match (&self.function, self.line, self.function_offset) {
            (Some(function), None, Some(offset)) => write!(f, "{function}+{offset:#x} ({location})"),
            (Some(function), None, None) => write!(f, "{function} ({location})"),
            (Some(function), Some(_), _) => write!(f, "{function} at {location}"),
            (None, _, _) => f.write_str(&location),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(file: &str, directory: &str) -> SourceFrame {
        SourceFrame {
            file: Some(file.to_owned()),
            directory: Some(directory.to_owned()),
            line: Some(12),
            ..SourceFrame::unknown(0x1139)
        }
    }

    #[test]
    fn files_are_shortened_below_the_compilation_directory_only() {
        assert_eq!(frame("/src/main.c", "/src").location(), "main.c:12");
        assert_eq!(frame("/src/./main.c", "/src/").location(), "main.c:12");
        assert_eq!(frame("/src/lib/a.c", "/src").location(), "lib/a.c:12");
        assert_eq!(frame("/source/a.c", "/src").location(), "/source/a.c:12");
        assert_eq!(frame("/src2/a.c", "/src").location(), "/src2/a.c:12");
        assert_eq!(frame("a.c", "").location(), "a.c:12");
    }

    #[test]
    fn templates_of_the_library_are_of_the_system() {
        assert!(frame("/usr/include/c++/12/bits/unique_ptr.h", "/src").is_of_system());
        assert!(frame("/opt/gcc/include/c++/14/vector", "/src").is_of_system());
        assert!(!frame("/src/include/list.h", "/src").is_of_system() && !SourceFrame::unknown(1).is_of_system());
    }

    #[test]
    fn shows_the_best_that_is_known() {
        let mut frame = frame("/src/main.c", "/src");
        frame.module = Some("a.out".to_owned());
        frame.function = Some("worker".to_owned());
        assert_eq!(frame.to_string(), "worker at main.c:12");
        frame.line = None;
        assert_eq!(frame.to_string(), "worker (a.out+0x1139)");
        frame.function_offset = Some(0x1c);
        assert_eq!(frame.to_string(), "worker+0x1c (a.out+0x1139)");
        frame.function = None;
        assert_eq!(frame.to_string(), "a.out+0x1139");
        frame.module = None;
        assert_eq!(frame.to_string(), "0x1139");
    }
}
