//! Whether a file has instructions that read the time-stamp counter of the processor.
//!
//! They can be made to fault, but then every switch between such a process and another one changes a control register,
//! which a virtual machine traps: a switch takes 9 us instead of 2. So it is done only for programs that need it.

use std::path::Path;

use iced_x86::{Instruction, Mnemonic};

use super::decode::decode;
use super::layout::{CodeArea, code_areas};
use crate::image::Image;
use crate::unwind::tables::UnwindTables;

/// `rdtsc`, and `rdtscp`.
const OPCODES: [&[u8]; 2] = [&[0x0f, 0x31], &[0x0f, 0x01, 0xf9]];

/// Whether code of a file reads the time-stamp counter. True where that can not be told.
#[must_use]
pub fn are_read_by(path: &Path) -> bool {
    Image::read(path).is_none_or(|image| are_read_in(&image))
}

fn are_read_in(image: &Image) -> bool {
    let Some(file) = image.file() else { return true };
    let tables = std::cell::OnceCell::new();
    let mut instructions = Vec::new();
    code_areas(&file).iter().any(|area| {
        suspects(area).any(|address| {
            let tables = tables.get_or_init(|| UnwindTables::new(image));
            is_instruction(address, area, tables.as_ref(), &mut instructions)
        })
    })
}

/// Where the bytes of one of the instructions stand: mostly by chance, as a part of others.
fn suspects(area: &CodeArea<'_>) -> impl Iterator<Item = u64> {
    let starts = area.bytes.iter().enumerate().filter(|(_, byte)| **byte == OPCODES[0][0]).map(|(start, _)| start);
    let is_suspect = |start: &usize| OPCODES.iter().any(|opcode| area.bytes[*start..].starts_with(opcode));
    starts.filter(is_suspect).map(|start| area.address + start as u64)
}

/// Whether the function that has an address reads the counter; true if it is not known where that begins.
fn is_instruction(
    address: u64,
    area: &CodeArea<'_>,
    tables: Option<&UnwindTables>,
    instructions: &mut Vec<Instruction>,
) -> bool {
    let Some(function) = tables.and_then(|tables| tables.range(address)) else { return true };
    let offset = |address: u64| address.checked_sub(area.address).and_then(|offset| usize::try_from(offset).ok());
    let bytes = offset(function.start).zip(offset(function.end)).and_then(|(start, end)| area.bytes.get(start..end));
    let Some(bytes) = bytes else { return true };
    let is_code = decode(bytes, function.start, instructions).is_ok();
    let reads = |instruction: &Instruction| matches!(instruction.mnemonic(), Mnemonic::Rdtsc | Mnemonic::Rdtscp);
    !is_code || instructions.iter().any(reads)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_told_from_bytes_of_others() {
        let mut instructions = Vec::new();
        let mut reads = |code: &[u8]| {
            let area = CodeArea { name: ".text".into(), address: 0x1000, bytes: code };
            let found: Vec<u64> = suspects(&area).collect();
            decode(code, area.address, &mut instructions).expect("code");
            let is_there = instructions.iter().any(|instruction| found.contains(&instruction.ip()));
            (found.len(), is_there)
        };
        assert_eq!(reads(&[0x90, 0x0f, 0x31, 0xc3]), (1, true), "rdtsc");
        assert_eq!(reads(&[0x0f, 0x01, 0xf9, 0xc3]), (1, true), "rdtscp");
        assert_eq!(reads(&[0xb8, 0x0f, 0x31, 0x00, 0x00, 0xc3]), (1, false), "mov eax, 0x310f");
        assert_eq!(reads(&[0x0f, 0x01, 0xf8, 0xc3]), (0, false), "swapgs");
    }

    #[test]
    fn where_nothing_is_known_they_are() {
        assert!(are_read_by(Path::new("/no/such/file")));
        let area = CodeArea { name: ".text".into(), address: 0x1000, bytes: &[0x0f, 0x31] };
        assert!(is_instruction(0x1000, &area, None, &mut Vec::new()));
    }
}
