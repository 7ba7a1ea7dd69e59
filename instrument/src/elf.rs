//! Looks at the program file before it is started.
//!
//! The engine needs a dynamically linked x86-64 program into which its library can be loaded. Anything
//! else is refused here, with a reason and a way out, instead of failing obscurely later.

mod error;

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use goblin::elf::Elf;
use goblin::elf::dynamic::DF_1_PIE;
use goblin::elf::header::{self, EM_X86_64, ET_CORE, ET_DYN, ET_EXEC, ET_REL};
use goblin::elf::note::NT_GNU_BUILD_ID;
use goblin::elf::program_header::PT_LOAD;

use crate::image::without_version;
pub use error::InspectError;

const EXECUTE_BITS: u32 = 0o111;
const SET_ID_BITS: u32 = 0o6000;

/// A program that can be tested, and what its file says about it.
#[derive(Clone, Debug)]
pub struct Program {
    /// The path as it was given.
    pub path: PathBuf,
    /// Position independent: loaded at an address that the kernel chooses.
    pub pie: bool,
    /// The dynamic loader it asks for.
    pub interpreter: String,
    /// The symbols it takes from libraries, without versions, in the order of the file.
    pub imports: Vec<String>,
    /// The shared libraries it is linked with.
    pub needed: Vec<String>,
    /// The linker's build id in hexadecimal, if there is one.
    pub build_id: Option<String>,
    /// Whether there is DWARF information, for lines and variables.
    pub has_debug_info: bool,
}

/// Checks that a file is a program which can be tested, and reads what is needed to do so.
///
/// # Errors
/// See [`InspectError`]. What the file is counts before its permissions, so that a source file is not
/// met with advice to make it executable.
pub fn inspect(path: &Path) -> Result<Program, InspectError> {
    let metadata = std::fs::metadata(path).map_err(|error| open_error(path, error))?;
    if metadata.is_dir() {
        return Err(InspectError::Directory(path.to_owned()));
    }
    if !metadata.is_file() {
        return Err(InspectError::NotAFile(path.to_owned()));
    }
    let bytes = std::fs::read(path).map_err(|error| open_error(path, error))?;
    let program = inspect_bytes(path, &bytes)?;
    check_permissions(path, &metadata)?;
    Ok(program)
}

fn open_error(path: &Path, error: io::Error) -> InspectError {
    match error.kind() {
        io::ErrorKind::NotFound => InspectError::Missing(path.to_owned()),
        _ => InspectError::Unreadable(path.to_owned(), error),
    }
}

fn check_permissions(path: &Path, metadata: &Metadata) -> Result<(), InspectError> {
    let mode = metadata.permissions().mode();
    if mode & EXECUTE_BITS == 0 {
        return Err(InspectError::NotExecutable(path.to_owned()));
    }
    if mode & SET_ID_BITS != 0 {
        return Err(InspectError::SetId(path.to_owned()));
    }
    Ok(())
}

/// [`inspect`] without the file system; `path` only goes into errors and the result.
fn inspect_bytes(path: &Path, bytes: &[u8]) -> Result<Program, InspectError> {
    check_identification(path, bytes)?;
    let corrupt = |problem: String| InspectError::Corrupt(path.to_owned(), problem);
    let elf = Elf::parse(bytes).map_err(|error| corrupt(error.to_string()))?;
    check_complete(&elf, bytes).map_err(corrupt)?;
    let interpreter = check_dynamic_program(path, &elf)?;
    Ok(Program {
        path: path.to_owned(),
        pie: elf.header.e_type == ET_DYN,
        interpreter: interpreter.to_owned(),
        imports: imports(&elf),
        needed: elf.libraries.iter().map(ToString::to_string).collect(),
        build_id: build_id(&elf, bytes),
        has_debug_info: has_debug_info(&elf),
    })
}

/// Everything that the first few bytes tell, before any parser sees the rest.
pub(crate) fn check_identification(path: &Path, bytes: &[u8]) -> Result<(), InspectError> {
    let path = path.to_owned();
    if let Some(line) = bytes.strip_prefix(b"#!") {
        return Err(InspectError::Script(path, script_interpreter(line)));
    }
    if !bytes.starts_with(header::ELFMAG) {
        return Err(InspectError::NotElf(path));
    }
    let Some(start) = bytes.get(..20) else {
        return Err(InspectError::Corrupt(path, "incomplete header".to_owned()));
    };
    if start[header::EI_CLASS] == header::ELFCLASS32 {
        return Err(InspectError::ThirtyTwoBit(path));
    }
    let machine = [start[18], start[19]];
    let machine = match start[header::EI_DATA] {
        header::ELFDATA2MSB => u16::from_be_bytes(machine),
        _ => u16::from_le_bytes(machine),
    };
    if machine != EM_X86_64 {
        let name = header::machine_to_str(machine);
        let name = name.strip_prefix("EM_").unwrap_or(name);
        return Err(InspectError::OtherArchitecture(path, name.to_owned()));
    }
    Ok(())
}

fn script_interpreter(line: &[u8]) -> String {
    let line = line.split(|byte| *byte == b'\n').next().unwrap_or(line);
    let shown = &line[..line.len().min(100)];
    match String::from_utf8_lossy(shown).trim() {
        "" => "an unnamed interpreter".to_owned(),
        name => name.to_owned(),
    }
}

/// goblin does not look at the contents of segments, so a truncated file may pass it.
fn check_complete(elf: &Elf<'_>, bytes: &[u8]) -> Result<(), String> {
    let beyond = elf.program_headers.iter().any(|segment| {
        segment.p_type == PT_LOAD
            && segment.p_offset.checked_add(segment.p_filesz).is_none_or(|end| end > bytes.len() as u64)
    });
    match beyond {
        true => Err("a segment ends beyond the file".to_owned()),
        false => Ok(()),
    }
}

/// Returns the dynamic loader's path.
fn check_dynamic_program<'a>(path: &Path, elf: &Elf<'a>) -> Result<&'a str, InspectError> {
    let path = path.to_owned();
    let flags = elf.dynamic.as_ref().map_or(0, |dynamic| dynamic.info.flags_1);
    match elf.header.e_type {
        ET_EXEC => {}
        ET_DYN if elf.interpreter.is_some() || flags & DF_1_PIE != 0 => {}
        ET_DYN => return Err(InspectError::SharedLibrary(path)),
        ET_REL => return Err(InspectError::NotAProgram(path, "an object file")),
        ET_CORE => return Err(InspectError::NotAProgram(path, "a core dump")),
        _ => {
            return Err(InspectError::NotAProgram(path, "an ELF file of unknown kind"));
        }
    }
    match elf.interpreter {
        Some(interpreter) if !elf.libraries.is_empty() => Ok(interpreter),
        _ => Err(InspectError::StaticallyLinked(path)),
    }
}

fn imports(elf: &Elf<'_>) -> Vec<String> {
    elf.dynsyms
        .iter()
        .filter(goblin::elf::Sym::is_import)
        .filter_map(|symbol| elf.dynstrtab.get_at(symbol.st_name))
        .filter(|name| !name.is_empty())
        .map(|name| without_version(name).to_owned())
        .collect()
}

fn build_id(elf: &Elf<'_>, bytes: &[u8]) -> Option<String> {
    let notes =
        elf.iter_note_headers(bytes).into_iter().chain(elf.iter_note_sections(bytes, Some(".note.gnu.build-id")));
    let note = notes
        .flat_map(|notes| notes.map_while(Result::ok))
        .find(|note| note.n_type == NT_GNU_BUILD_ID && note.name == "GNU")?;
    Some(note.desc.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn has_debug_info(elf: &Elf<'_>) -> bool {
    elf.section_headers
        .iter()
        .any(|section| section.sh_size > 0 && elf.shdr_strtab.get_at(section.sh_name) == Some(".debug_info"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_of(bytes: &[u8]) -> String {
        inspect_bytes(Path::new("x"), bytes).expect_err("is no program").to_string()
    }

    fn header(class: u8, data: u8, machine: [u8; 2]) -> Vec<u8> {
        let mut bytes = vec![0x7f, b'E', b'L', b'F', class, data, 1];
        bytes.resize(18, 0);
        bytes.extend(machine);
        bytes.resize(64, 0);
        bytes
    }

    #[test]
    fn says_what_a_file_is_instead_of_a_program() {
        assert!(error_of(b"").contains("not an ELF"));
        assert!(error_of(b"int main;").contains("not an ELF"));
        assert!(error_of(b"#!/bin/sh -e\necho").contains("a script for /bin/sh -e,"));
        assert!(error_of(b"#!").contains("script"));
        assert!(error_of(b"\x7fELF\x02\x01").contains("truncated"));
        assert!(error_of(&header(1, 1, [3, 0])).contains("32-bit"));
        assert!(error_of(&header(2, 1, [183, 0])).contains("AARCH64"));
        assert!(error_of(&header(2, 2, [0, 21])).contains("PPC64"));
    }
}
