//! Which file is mapped where in a process.
//!
//! A target is loaded at addresses that only its own `/proc/PID/maps` tells. Symbols and unwind
//! tables speak of the addresses the linker chose; the difference is the *bias* of a [`Module`].

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use crate::image::{LoadSegment, load_segments, read_headers};

const PAGE: u64 = 4096;

/// One line of `/proc/PID/maps`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// First address.
    pub start: u64,
    /// Address behind the last one.
    pub end: u64,
    /// The four letters as the kernel prints them, such as `r-xp`.
    pub permissions: String,
    /// Where in the file the mapping begins.
    pub offset: u64,
    /// The mapped file; `None` for anonymous memory and for `[heap]`, `[vdso]` and the like.
    pub path: Option<PathBuf>,
}

/// An executable or shared library as it is loaded in a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// The file it was loaded from.
    pub path: PathBuf,
    /// What the loader added to the addresses in the file (wrapping). Zero for a non-PIE executable.
    pub bias: u64,
    /// First address.
    pub start: u64,
    /// Address behind the last one, `.bss` included.
    pub end: u64,
}

impl Module {
    /// Whether a runtime address lies in this module.
    #[must_use]
    pub fn contains(&self, address: u64) -> bool {
        (self.start..self.end).contains(&address)
    }

    /// The file's base name, for messages.
    #[must_use]
    pub fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        name.to_string_lossy().into_owned()
    }
}

/// Parses the text of `/proc/PID/maps`. Lines that do not look like it are left out.
#[must_use]
pub fn parse(text: &str) -> Vec<Mapping> {
    text.lines().filter_map(parse_line).collect()
}

fn parse_line(line: &str) -> Option<Mapping> {
    let (range, rest) = line.split_once(' ')?;
    let (start, end) = range.split_once('-')?;
    let (permissions, rest) = rest.split_once(' ')?;
    let (offset, rest) = rest.split_once(' ')?;
    let (_device, rest) = rest.split_once(' ')?;
    let path = rest.split_once(' ').map_or("", |(_inode, path)| path);
    let mapping = Mapping {
        start: u64::from_str_radix(start, 16).ok()?,
        end: u64::from_str_radix(end, 16).ok()?,
        permissions: permissions.to_owned(),
        offset: u64::from_str_radix(offset, 16).ok()?,
        path: file_path(path.trim_start()),
    };
    (mapping.start < mapping.end).then_some(mapping)
}

/// The kernel writes a line feed in a name as `\012`; names that are no files lack the leading slash.
fn file_path(text: &str) -> Option<PathBuf> {
    text.starts_with('/').then(|| PathBuf::from(text.replace("\\012", "\n")))
}

/// Groups mappings into modules, in ascending order of address.
///
/// `load` gives the bytes of a file, of which only the program headers are looked at. A file that it can
/// not give (deleted since, say) becomes a module that spans its mappings.
#[must_use]
pub fn modules(mappings: &[Mapping], load: &dyn Fn(&Path) -> Option<Vec<u8>>) -> Vec<Module> {
    let mut segments_of: HashMap<&Path, Vec<LoadSegment>> = HashMap::new();
    let mut modules: Vec<Module> = Vec::new();
    for (position, mapping) in mappings.iter().enumerate() {
        let Some(path) = mapping.path.as_deref() else {
            continue;
        };
        if !is_executed(mappings, path) || is_covered(&modules, path, mapping.start) {
            continue;
        }
        let segments =
            segments_of.entry(path).or_insert_with(|| load(path).map_or_else(Vec::new, |bytes| load_segments(&bytes)));
        let module = if segments.is_empty() {
            Some(span_of_mappings(&mappings[position..], path))
        } else {
            module_from_segments(mapping, path, segments).filter(|module| has_code(mappings, module))
        };
        modules.extend(module);
    }
    modules.sort_by_key(|module| module.start);
    modules
}

/// The modules of a running process.
///
/// # Errors
/// If `/proc/PID/maps` can not be read: the process has ended or belongs to somebody else.
pub fn modules_of_process(pid: u32) -> io::Result<Vec<Module>> {
    let text = std::fs::read(format!("/proc/{pid}/maps"))?;
    let mappings = parse(&String::from_utf8_lossy(&text));
    Ok(modules(&mappings, &start_of_file))
}

/// What [`modules`] needs of a file: its start, with the program headers.
#[must_use]
pub fn start_of_file(path: &Path) -> Option<Vec<u8>> {
    read_headers(path)
}

/// Data files that a program maps are no modules: only files with an executable mapping count.
fn is_executed(mappings: &[Mapping], path: &Path) -> bool {
    mappings.iter().any(|mapping| mapping.permissions.contains('x') && mapping.path.as_deref() == Some(path))
}

fn is_covered(modules: &[Module], path: &Path, address: u64) -> bool {
    modules.iter().any(|module| module.path == path && module.contains(address))
}

/// A program may map its own file a second time as plain data: that copy has no executable part.
fn has_code(mappings: &[Mapping], module: &Module) -> bool {
    mappings.iter().any(|mapping| {
        mapping.permissions.contains('x')
            && module.contains(mapping.start)
            && mapping.path.as_deref() == Some(&*module.path)
    })
}

/// The loader maps the lowest segment first, so its mapping tells the bias of the whole file.
fn module_from_segments(mapping: &Mapping, path: &Path, segments: &[LoadSegment]) -> Option<Module> {
    let first = segments.first()?;
    if page_start(first.offset) != mapping.offset {
        return None;
    }
    let bias = mapping.start.wrapping_sub(page_start(first.address));
    let end = segments.iter().map(|segment| segment.address.saturating_add(segment.memory_size)).max()?;
    let end = bias.wrapping_add(end.checked_next_multiple_of(PAGE)?);
    (end > mapping.start).then(|| Module { path: path.to_owned(), bias, start: mapping.start, end })
}

/// Without the file, its consecutive mappings are all that is known of its extent.
fn span_of_mappings(mappings: &[Mapping], path: &Path) -> Module {
    let first = &mappings[0];
    let end = mappings
        .iter()
        .take_while(|mapping| mapping.path.as_deref() == Some(path))
        .last()
        .map_or(first.end, |last| last.end);
    Module { path: path.to_owned(), bias: first.start.wrapping_sub(first.offset), start: first.start, end }
}

fn page_start(address: u64) -> u64 {
    address & !(PAGE - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
555555554000-555555555000 r--p 00000000 08:01 11 /tmp/a.out
555555555000-555555556000 r-xp 00001000 08:01 11 /tmp/a.out
555555557000-555555558000 rw-p 00002000 08:01 11 /tmp/a.out
555555558000-555555559000 rw-p 00000000 00:00 0  [heap]
7ffff7000000-7ffff7001000 r--p 00000000 08:01 12 /usr/share/locale data/x
7ffff7002000-7ffff7003000 r--p 00000000 08:01 11 /tmp/a.out
7ffff7fc0000-7ffff7fc1000 r-xp 00000000 08:01 13 /tmp/gone.so (deleted)
7ffff7fc1000-7ffff7fc2000 rw-p 00001000 08:01 13 /tmp/gone.so (deleted)
7ffff7fd0000-7ffff7fd1000 r-xp 00000000 00:00 0  [vdso]
nonsense
zzz-1 r--p 0 0 0
2-1 r--p 0 08:01 1 /x
";

    /// A file with nothing but an ELF header and `PT_LOAD` headers (offset, address, memory size).
    fn elf_with_segments(segments: &[(u64, u64, u64)]) -> Vec<u8> {
        let mut bytes = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
        bytes.extend([3, 0, 62, 0, 1, 0, 0, 0]);
        bytes.extend(0u64.to_le_bytes());
        bytes.extend(64u64.to_le_bytes());
        bytes.extend(0u64.to_le_bytes());
        bytes.extend([0, 0, 0, 0, 64, 0, 56, 0]);
        bytes.extend((segments.len() as u16).to_le_bytes());
        bytes.extend([64, 0, 0, 0, 0, 0]);
        for (offset, address, size) in segments {
            bytes.extend([1, 0, 0, 0, 5, 0, 0, 0]);
            for value in [*offset, *address, *address, *size, *size, PAGE] {
                bytes.extend(value.to_le_bytes());
            }
        }
        bytes
    }

    #[test]
    fn parses_lines_and_skips_nonsense() {
        let mappings = parse(TEXT);
        assert_eq!(mappings.len(), 9);
        assert_eq!(mappings[1].start, 0x5555_5555_5000);
        assert_eq!(mappings[1].offset, 0x1000);
        assert_eq!(mappings[1].permissions, "r-xp");
        assert_eq!(mappings[3].path, None, "[heap] is no file");
        assert_eq!(mappings[4].path.as_deref(), Some(Path::new("/usr/share/locale data/x")));
    }

    #[test]
    fn groups_a_position_independent_program_with_its_bss() {
        let file = elf_with_segments(&[(0, 0, 0x600), (0x1000, 0x1000, 0x200), (0x2d00, 0x3d00, 0x1800)]);
        let modules = modules(&parse(TEXT), &|path| (path == Path::new("/tmp/a.out")).then(|| file.clone()));
        assert_eq!(modules.len(), 2, "{modules:?}");
        assert_eq!(modules[0].bias, 0x5555_5555_4000);
        assert_eq!(modules[0].start, 0x5555_5555_4000);
        assert_eq!(modules[0].end, 0x5555_5555_a000, "memory size counts");
        assert_eq!(modules[0].name(), "a.out");
        assert_eq!(modules[1].path, Path::new("/tmp/gone.so (deleted)"));
        assert_eq!(modules[1].bias, 0x7fff_f7fc_0000);
        assert_eq!(modules[1].end, 0x7fff_f7fc_2000);
    }

    #[test]
    fn a_fixed_address_program_has_no_bias() {
        let text = "00400000-00401000 r-xp 00000000 08:01 11 /tmp/fixed\n";
        let file = elf_with_segments(&[(0, 0x40_0000, 0x1000)]);
        let modules = modules(&parse(text), &|_| Some(file.clone()));
        assert_eq!(modules[0].bias, 0);
    }

    #[test]
    fn the_same_library_loaded_twice_is_two_modules() {
        let text = "\
10000-11000 r-xp 00000000 08:01 11 /tmp/lib.so
11000-12000 r-xp 00000000 08:01 11 /tmp/lib.so
";
        let file = elf_with_segments(&[(0, 0, 0x1000)]);
        let modules = modules(&parse(text), &|_| Some(file.clone()));
        let biases: Vec<_> = modules.iter().map(|module| module.bias).collect();
        assert_eq!(biases, [0x10000, 0x11000]);
    }

    #[test]
    fn hostile_segments_do_not_panic() {
        let text = "10000-11000 r-xp 00000000 08:01 11 /tmp/lib.so\n";
        for segment in [(0, u64::MAX, u64::MAX), (0, u64::MAX - 5, 9), (0, 0, 0)] {
            let file = elf_with_segments(&[segment]);
            let _ = modules(&parse(text), &|_| Some(file.clone()));
        }
    }

    #[test]
    fn the_test_process_itself_has_modules() {
        let modules = modules_of_process(std::process::id()).expect("own maps");
        let own = std::env::current_exe().expect("own path");
        assert!(modules.iter().any(|module| module.path == own));
        assert!(modules.windows(2).all(|pair| pair[0].start < pair[1].start));
    }
}
