//! What an ELF file says about its code: the areas, the symbols and the pointers into it.
//!
//! Sections are used where they are; a file without section headers is read through its segments, as the kernel
//! does. Everything is checked against the file, since nothing vouches for it.

use std::ops::Range;

use object::elf::{PF_W, PF_X, PT_GNU_RELRO, PT_LOAD, SHF_ALLOC, SHF_EXECINSTR};
use object::read::elf::{ElfFile64, ProgramHeader, SectionHeader};
use object::{LittleEndian, Object, ObjectSection, ObjectSymbol, SymbolKind};

use crate::image::without_version;

const POINTER_SIZE: usize = 8;

type File<'a> = ElfFile64<'a, LittleEndian>;

/// Executable bytes and the address that they are linked at.
pub(crate) struct CodeArea<'a> {
    pub(super) name: String,
    pub(crate) address: u64,
    pub(crate) bytes: &'a [u8],
}

impl CodeArea<'_> {
    pub(crate) fn range(&self) -> Range<u64> {
        self.address..self.address + self.bytes.len() as u64
    }

    /// Stubs of the linker, which only jump through its table of addresses.
    pub(super) fn is_plt(&self) -> bool {
        self.name == ".plt" || self.name.starts_with(".plt.") || self.name == ".iplt"
    }

    /// The code that the C library runs around `main`.
    pub(super) fn is_startup(&self) -> bool {
        matches!(self.name.as_str(), ".init" | ".fini")
    }
}

/// What a symbol in an executable area is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CodeSymbolKind {
    Function,
    /// A global label without a type, as in assembly that does not bother.
    Label,
    Data,
}

/// A symbol in an executable area.
pub(super) struct CodeSymbol {
    pub(super) name: String,
    pub(super) address: u64,
    pub(super) size: u64,
    pub(super) kind: CodeSymbolKind,
}

/// The code of one file.
pub(super) struct Layout<'a> {
    /// Lowest address first, without overlaps.
    pub(super) areas: Vec<CodeArea<'a>>,
    pub(super) symbols: Vec<CodeSymbol>,
    /// Memory that can not be written once the program runs.
    pub(super) constants: Vec<Range<u64>>,
    /// Addresses in code that some data of the file holds, sorted.
    pub(super) pointers: Vec<u64>,
    /// Where the program starts.
    pub(super) entry: u64,
}

impl<'a> Layout<'a> {
    pub(super) fn new(file: &File<'a>) -> Self {
        let mut layout = Self {
            areas: code_areas(file),
            symbols: Vec::new(),
            constants: constants(file),
            pointers: Vec::new(),
            entry: file.entry(),
        };
        layout.symbols = code_symbols(file, &layout);
        layout.pointers = code_pointers(file, &layout);
        layout
    }

    /// The area that contains an address.
    pub(super) fn area(&self, address: u64) -> Option<&CodeArea<'a>> {
        let behind = self.areas.partition_point(|area| area.address <= address);
        self.areas[..behind].last().filter(|area| area.range().contains(&address))
    }

    /// The bytes of a range within one area.
    pub(super) fn bytes(&self, range: &Range<u64>) -> &'a [u8] {
        let Some(area) = self.area(range.start) else { return &[] };
        let start = (range.start - area.address) as usize;
        let end = (range.end.min(area.range().end) - area.address) as usize;
        area.bytes.get(start..end).unwrap_or(&[])
    }

    pub(super) fn is_constant(&self, address: u64) -> bool {
        self.constants.iter().any(|range| range.contains(&address))
    }
}

pub(crate) fn code_areas<'a>(file: &File<'a>) -> Vec<CodeArea<'a>> {
    let mut areas = executable_sections(file);
    if areas.is_empty() {
        areas = executable_segments(file);
    }
    areas.retain(|area| !area.bytes.is_empty() && area.address.checked_add(area.bytes.len() as u64).is_some());
    areas.sort_by_key(|area| area.address);
    let mut end = 0;
    areas.retain(|area| {
        let is_behind = area.address >= end;
        end = end.max(area.range().end);
        is_behind
    });
    areas
}

fn executable_sections<'a>(file: &File<'a>) -> Vec<CodeArea<'a>> {
    let wanted = SHF_ALLOC.0 | SHF_EXECINSTR.0;
    file.sections()
        .filter(|section| {
            let flags = section.elf_section_header().sh_flags(file.endian()).0;
            flags & wanted == wanted && section.address() != 0
        })
        .filter_map(|section| {
            let name = String::from_utf8_lossy(section.name_bytes().ok()?).into_owned();
            Some(CodeArea { name, address: section.address(), bytes: section.data().ok()? })
        })
        .collect()
}

fn executable_segments<'a>(file: &File<'a>) -> Vec<CodeArea<'a>> {
    let endian = file.endian();
    file.elf_program_headers()
        .iter()
        .filter(|header| header.p_type(endian) == PT_LOAD && header.p_flags(endian).0 & PF_X.0 != 0)
        .filter_map(|header| {
            let bytes = header.data(endian, file.data()).ok()?;
            Some(CodeArea { name: "executable segment".to_owned(), address: header.p_vaddr(endian), bytes })
        })
        .collect()
}

/// Segments without write permission, and what the loader protects once it has relocated it.
fn constants(file: &File<'_>) -> Vec<Range<u64>> {
    let endian = file.endian();
    file.elf_program_headers()
        .iter()
        .filter(|header| {
            let is_read_only = header.p_type(endian) == PT_LOAD && header.p_flags(endian).0 & PF_W.0 == 0;
            is_read_only || header.p_type(endian) == PT_GNU_RELRO
        })
        .map(|header| {
            let start = header.p_vaddr(endian);
            start..start.saturating_add(header.p_memsz(endian))
        })
        .collect()
}

fn code_symbols(file: &File<'_>, layout: &Layout<'_>) -> Vec<CodeSymbol> {
    file.symbols()
        .chain(file.dynamic_symbols())
        .filter(|symbol| symbol.section_index().is_some())
        .filter_map(|symbol| {
            let kind = match symbol.kind() {
                SymbolKind::Text => CodeSymbolKind::Function,
                SymbolKind::Data => CodeSymbolKind::Data,
                SymbolKind::Unknown if !symbol.is_local() => CodeSymbolKind::Label,
                _ => return None,
            };
            let area = layout.area(symbol.address())?;
            let name = String::from_utf8_lossy(symbol.name_bytes().ok()?).into_owned();
            let room = area.range().end - symbol.address();
            let (address, size) = (symbol.address(), symbol.size().min(room));
            Some(CodeSymbol { name: without_version(&name).to_owned(), address, size, kind })
        })
        .filter(|symbol| !symbol.name.is_empty())
        .collect()
}

/// Every aligned word of the data, and every address that the loader will put there.
fn code_pointers(file: &File<'_>, layout: &Layout<'_>) -> Vec<u64> {
    let mut pointers = Vec::new();
    let mut add = |address: u64| {
        if layout.area(address).is_some() {
            pointers.push(address);
        }
    };
    for section in file.sections() {
        if section.address() == 0 || layout.area(section.address()).is_some() {
            continue;
        }
        let words = section.data().unwrap_or(&[]).chunks_exact(POINTER_SIZE);
        words.for_each(|word| add(u64::from_le_bytes(word.try_into().unwrap_or_default())));
    }
    for (_, relocation) in file.dynamic_relocations().into_iter().flatten() {
        add(relocation.addend() as u64);
    }
    pointers.sort_unstable();
    pointers.dedup();
    pointers
}
