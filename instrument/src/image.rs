//! One ELF file in memory, as far as symbols and unwinding need it.
//!
//! `object` does the parsing; this wrapper checks every range against the file and hands out owned,
//! cheaply cloned readers, so that the lazily filled caches need no borrowed data.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use gimli::LittleEndian;
use object::elf::{FileHeader64, PT_GNU_EH_FRAME, PT_LOAD, PT_TLS, SHF_COMPRESSED};
use object::read::elf::{ElfFile64, FileHeader, ProgramHeader, SectionHeader};
use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};

/// How all DWARF data is read: shared bytes, little endian.
pub(crate) type Reader = gimli::EndianArcSlice<LittleEndian>;

/// The bytes of an ELF file.
pub(crate) struct Image {
    bytes: Arc<[u8]>,
}

/// A section or segment with the address it is linked at.
pub(crate) struct Area {
    pub(crate) address: u64,
    pub(crate) data: Reader,
}

/// What a symbol of the symbol table stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SymbolUse {
    Function,
    Variable,
}

/// A defined function or variable of the symbol table, at its linked address.
#[derive(Clone, Debug)]
pub(crate) struct ElfSymbol {
    pub(crate) name: String,
    pub(crate) address: u64,
    pub(crate) size: u64,
    pub(crate) purpose: SymbolUse,
}

/// A `PT_LOAD` segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoadSegment {
    pub(crate) address: u64,
    pub(crate) memory_size: u64,
    pub(crate) offset: u64,
    pub(crate) file_size: u64,
}

impl Image {
    /// Reads a file; `None` for anything but a readable regular ELF file.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        read_regular_file(path).and_then(Self::from_bytes)
    }

    /// Takes the bytes of a 64-bit ELF file.
    pub(crate) fn from_bytes(bytes: Vec<u8>) -> Option<Self> {
        let image = Self { bytes: bytes.into() };
        image.file().is_some().then_some(image)
    }

    /// The parsed file.
    pub(crate) fn file(&self) -> Option<ElfFile64<'_, object::LittleEndian>> {
        ElfFile64::parse(&*self.bytes).ok()
    }

    /// The section of that name; a compressed one is unpacked.
    pub(crate) fn section(&self, name: &str) -> Option<Area> {
        let file = self.file()?;
        let section = file.section_by_name(name)?;
        let flags = section.elf_section_header().sh_flags(file.endian());
        if flags.0 & SHF_COMPRESSED.0 != 0 {
            let unpacked = unpack(&section)?;
            return Some(Area { address: section.address(), data: Reader::new(unpacked, LittleEndian) });
        }
        let (offset, size) = section.file_range()?;
        Some(Area { address: section.address(), data: self.range(offset, size)? })
    }

    /// The `.eh_frame_hdr` table by its program header, which survives the removal of all sections.
    pub(crate) fn eh_frame_header(&self) -> Option<Area> {
        let file = self.file()?;
        let endian = file.endian();
        let header = file.elf_program_headers().iter().find(|header| header.p_type(endian) == PT_GNU_EH_FRAME)?;
        Some(Area {
            address: header.p_vaddr(endian),
            data: self.range(header.p_offset(endian), header.p_filesz(endian))?,
        })
    }

    /// The file contents from a linked address to the end of the segment it lies in.
    pub(crate) fn rest_of_segment(&self, address: u64) -> Option<Area> {
        let segment = self.load_segments().into_iter().find(|segment| {
            address.checked_sub(segment.address).is_some_and(|distance| distance < segment.file_size)
        })?;
        let distance = address - segment.address;
        Some(Area { address, data: self.range(segment.offset.checked_add(distance)?, segment.file_size - distance)? })
    }

    /// How far before the thread pointer the thread-local storage begins, if this is the executable.
    pub(crate) fn thread_local_size(&self) -> Option<u64> {
        let file = self.file()?;
        let endian = file.endian();
        let header = file.elf_program_headers().iter().find(|header| header.p_type(endian) == PT_TLS)?;
        let alignment = header.p_align(endian).max(1);
        let misalignment = header.p_vaddr(endian) % alignment;
        let rest = header.p_memsz(endian).checked_sub(misalignment)?;
        rest.checked_next_multiple_of(alignment)?.checked_add(misalignment)
    }

    /// The `PT_LOAD` segments, lowest address first.
    pub(crate) fn load_segments(&self) -> Vec<LoadSegment> {
        load_segments(&self.bytes)
    }

    /// The defined functions and variables of `.symtab` and `.dynsym`, in no particular order.
    pub(crate) fn symbols(&self) -> Vec<ElfSymbol> {
        let Some(file) = self.file() else {
            return Vec::new();
        };
        file.symbols()
            .chain(file.dynamic_symbols())
            .filter(|symbol| symbol.is_definition() && symbol.address() != 0)
            .filter_map(|symbol| {
                let purpose = match symbol.kind() {
                    SymbolKind::Text => SymbolUse::Function,
                    SymbolKind::Data => SymbolUse::Variable,
                    _ => return None,
                };
                let name = String::from_utf8_lossy(symbol.name_bytes().ok()?).into_owned();
                Some(ElfSymbol {
                    name: without_version(&name).to_owned(),
                    address: symbol.address(),
                    size: symbol.size(),
                    purpose,
                })
            })
            .filter(|symbol| !symbol.name.is_empty())
            .collect()
    }

    fn range(&self, offset: u64, size: u64) -> Option<Reader> {
        let start = usize::try_from(offset).ok()?;
        let end = start.checked_add(usize::try_from(size).ok()?)?;
        if end > self.bytes.len() {
            return None;
        }
        Some(Reader::new(self.bytes.clone(), LittleEndian).range(start..end))
    }
}

/// The `PT_LOAD` segments of a file, lowest address first. The bytes may end behind its program headers.
pub(crate) fn load_segments(bytes: &[u8]) -> Vec<LoadSegment> {
    let headers = FileHeader64::<object::LittleEndian>::parse(bytes).ok().and_then(|file| {
        let endian = file.endian().ok()?;
        Some((endian, file.program_headers(endian, bytes).ok()?))
    });
    let Some((endian, headers)) = headers else { return Vec::new() };
    let loaded = headers.iter().filter(|header| header.p_type(endian) == PT_LOAD);
    let mut segments: Vec<_> = loaded
        .map(|header| LoadSegment {
            address: header.p_vaddr(endian),
            memory_size: header.p_memsz(endian),
            offset: header.p_offset(endian),
            file_size: header.p_filesz(endian),
        })
        .collect();
    segments.sort_by_key(|segment| segment.address);
    segments
}

/// The symbol's name without its version: `memcpy@@GLIBC_2.14` is `memcpy`.
pub(crate) fn without_version(name: &str) -> &str {
    match name.find('@') {
        Some(position) if position > 0 => &name[..position],
        _ => name,
    }
}

/// Reads a file unless it is a pipe, a device or anything else that may never end.
pub(crate) fn read_regular_file(path: &Path) -> Option<Vec<u8>> {
    std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    std::fs::read(path).ok()
}

/// The start of a file, up to where its program headers end: all that it takes to know where it is loaded.
pub(crate) fn read_headers(path: &Path) -> Option<Vec<u8>> {
    const USUAL: u64 = 4096;
    const MOST: u64 = 1 << 30;
    std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    let mut file = File::open(path).ok()?;
    let mut bytes = Vec::new();
    file.by_ref().take(USUAL).read_to_end(&mut bytes).ok()?;
    let end = FileHeader64::<object::LittleEndian>::parse(&*bytes).ok().and_then(|header| {
        let endian = header.endian().ok()?;
        let length = u64::from(header.e_phnum(endian)) * u64::from(header.e_phentsize(endian));
        header.e_phoff(endian).checked_add(length)
    })?;
    file.take(end.min(MOST).saturating_sub(bytes.len() as u64)).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The contents of a compressed section, if it says truly how large they are and that is not absurd.
fn unpack<'data>(section: &impl ObjectSection<'data>) -> Option<Arc<[u8]>> {
    const LIMIT: u64 = 1 << 30;
    let compressed = section.compressed_data().ok()?;
    if compressed.uncompressed_size > LIMIT {
        return None;
    }
    compressed.decompress().ok().map(|data| Arc::from(&*data))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_suffixes_are_removed() {
        assert_eq!(without_version("memcpy@@GLIBC_2.14"), "memcpy");
        assert_eq!(without_version("main"), "main");
        assert_eq!(without_version("@odd"), "@odd");
    }

    #[test]
    fn bytes_that_are_no_elf_file_give_no_image() {
        assert!(Image::from_bytes(Vec::new()).is_none());
        assert!(Image::from_bytes(b"#!/bin/sh\n".to_vec()).is_none());
        assert!(Image::read(Path::new("/dev/zero")).is_none());
        assert!(Image::read(Path::new("/nonexistent")).is_none());
    }
}
