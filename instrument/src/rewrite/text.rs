//! What becomes of each byte of the original code.
//!
//! Execution arrives in the original code at certain points only: entries, return addresses, landing pads. Each of them
//! needs a jump to its clone. Original calls stay where they can, so that return addresses are those of the program.
//! All else is dead. One byte of marks for each byte of code keeps account of who needs what.

use std::ops::Range;

use iced_x86::{Code, Instruction};

use super::select::Selection;
use crate::code::decode::{call_target, decode, is_call, is_padding, jump_target};
use crate::code::layout::CodeArea;

/// Part of a function that is cloned: dead unless something below says otherwise.
pub(super) const CLONED: u8 = 1;
/// Filler behind a cloned function, which may be used.
pub(super) const PADDING: u8 = 2;
/// Must stay as it is.
pub(super) const KEPT: u8 = 4;
/// Taken by a jump to a clone.
pub(super) const USED: u8 = 8;
/// Execution may arrive here.
pub(super) const POINT: u8 = 16;
/// An instruction begins here.
pub(super) const INSTRUCTION: u8 = 32;
/// A return instruction of one byte, which is as good as its clone.
pub(super) const RETURN: u8 = 64;
/// An instruction of one byte that does nothing.
pub(super) const NOTHING: u8 = 128;

/// A range of the file's code with its marks and clones.
pub(super) struct TextArea {
    pub(super) range: Range<u64>,
    pub(super) marks: Vec<u8>,
    /// For each byte the offset in the region of the clone of the instruction that begins there.
    pub(super) table: Vec<u32>,
}

impl TextArea {
    fn new(range: Range<u64>) -> Self {
        let length = (range.end - range.start) as usize;
        Self { range, marks: vec![0; length], table: vec![0; length] }
    }
}

/// All code that is rewritten.
pub(super) struct Text {
    pub(super) areas: Vec<TextArea>,
    /// Original calls in cloned functions, by address, with their lengths.
    pub(super) calls: Vec<(u64, u8)>,
    /// Where direct jumps of cloned functions lead, sorted.
    pub(super) targets: Vec<u64>,
}

impl Text {
    /// Marks what each byte is, given which functions are cloned and where unwinding may continue.
    pub(super) fn new(ranges: &[Range<u64>], selection: &Selection<'_>, pads: &[u64]) -> Self {
        let areas = ranges.iter().cloned().map(TextArea::new).collect();
        let mut text = Self { areas, calls: Vec::new(), targets: Vec::new() };
        let mut arrivals = pads.to_vec();
        let mut instructions = Vec::new();
        for surveyed in &selection.cloned {
            let range = &surveyed.function.range;
            // The survey has decoded it before.
            let _ = decode(selection.bytes(range), range.start, &mut instructions);
            text.mark_function(range, &instructions, &mut arrivals);
            if !surveyed.falls_through {
                let gap = range.end..selection.next_start(range.end);
                let length = filler_length(selection.bytes(&gap));
                text.mark(range.end..range.end + length, PADDING);
            }
        }
        for range in &selection.foreign {
            let _ = decode(selection.bytes(range), range.start, &mut instructions);
            let targets = instructions
                .iter()
                .filter_map(|instruction| jump_target(instruction).or_else(|| call_target(instruction)));
            arrivals.extend(targets.filter(|target| !range.contains(target)));
        }
        arrivals.into_iter().for_each(|address| text.mark_arrival(address));
        text.keep_calls();
        text.targets.sort_unstable();
        text
    }

    fn mark_function(&mut self, range: &Range<u64>, instructions: &[Instruction], arrivals: &mut Vec<u64>) {
        self.mark(range.clone(), CLONED);
        for instruction in instructions {
            let marks = match (instruction.code(), instruction.len()) {
                (Code::Retnq, 1) => INSTRUCTION | RETURN,
                (Code::Nopd | Code::Nopw | Code::Nopq, 1) => INSTRUCTION | NOTHING,
                _ => INSTRUCTION,
            };
            self.mark(instruction.ip()..instruction.ip() + 1, marks);
            self.targets.extend(jump_target(instruction));
            if !is_call(instruction) {
                continue;
            }
            self.calls.push((instruction.ip(), instruction.len() as u8));
            arrivals.extend(call_target(instruction));
            if instruction.next_ip() < range.end {
                self.mark(instruction.next_ip()..instruction.next_ip() + 1, POINT);
            }
        }
        let mut entry = range.start;
        // Control-flow enforcement wants the mark at the start.
        if let [first, _, ..] = instructions
            && first.code() == Code::Endbr64
        {
            entry = first.next_ip();
            self.mark(range.start..entry, KEPT);
        }
        self.mark(entry..entry + 1, POINT);
    }

    /// Only the start of an instruction has a clone; what stays leads to one already.
    fn mark_arrival(&mut self, address: u64) {
        if self.marks(address) & (CLONED | INSTRUCTION | KEPT) == CLONED | INSTRUCTION {
            self.mark(address..address + 1, POINT);
        }
    }

    /// A call stays in place unless execution arrives there from elsewhere.
    fn keep_calls(&mut self) {
        for index in 0..self.calls.len() {
            let (address, length) = self.calls[index];
            let range = address..address + u64::from(length);
            if range.clone().all(|byte| self.marks(byte) & POINT == 0) {
                self.mark(range, KEPT);
            }
        }
    }

    /// Whether the original call at this address is used by the clone.
    pub(super) fn is_kept(&self, address: u64) -> bool {
        self.marks(address) & KEPT != 0
    }

    /// Whether execution may come to an instruction from elsewhere than the one before it, indirect jumps aside.
    pub(super) fn is_arrival(&self, address: u64) -> bool {
        self.marks(address) & POINT != 0 || self.targets.binary_search(&address).is_ok()
    }

    fn position(&self, address: u64) -> Option<(usize, usize)> {
        let index = self.areas.iter().position(|area| area.range.contains(&address))?;
        Some((index, (address - self.areas[index].range.start) as usize))
    }

    /// The marks of a byte; none outside.
    pub(super) fn marks(&self, address: u64) -> u8 {
        self.position(address).map_or(0, |(area, byte)| self.areas[area].marks[byte])
    }

    pub(super) fn mark(&mut self, range: Range<u64>, marks: u8) {
        self.change(range, |byte| *byte |= marks);
    }

    pub(super) fn unmark(&mut self, range: Range<u64>, marks: u8) {
        self.change(range, |byte| *byte &= !marks);
    }

    fn change(&mut self, range: Range<u64>, change: impl FnMut(&mut u8)) {
        let Some((area, first)) = self.position(range.start) else { return };
        let marks = &mut self.areas[area].marks;
        let end = marks.len().min(first + (range.end - range.start) as usize);
        marks[first..end].iter_mut().for_each(change);
    }

    /// The clone of the instruction at an address.
    pub(super) fn clone_of(&self, address: u64) -> Option<u32> {
        let (area, byte) = self.position(address)?;
        Some(self.areas[area].table[byte]).filter(|offset| *offset != 0)
    }

    pub(super) fn set_clone(&mut self, address: u64, offset: u32) {
        if let Some((area, byte)) = self.position(address) {
            self.areas[area].table[byte] = offset;
        }
    }
}

/// Bytes that compilers put between functions. Zeroes may be somebody's data.
fn filler_length(bytes: &[u8]) -> u64 {
    let mut instructions = Vec::new();
    let _ = decode(&bytes[..bytes.len().min(MAX_FILLER)], 0, &mut instructions);
    instructions.iter().take_while(|instruction| is_padding(instruction)).map(|filler| filler.len() as u64).sum()
}

/// More than this is hardly there to align something.
const MAX_FILLER: usize = 64;

/// The areas that contain cloned functions, joined until there are few enough.
pub(super) fn ranges(areas: &[CodeArea<'_>], selection: &Selection<'_>, most: usize) -> Vec<Range<u64>> {
    let has_clones = |range: &Range<u64>| {
        let behind = selection.cloned.partition_point(|surveyed| surveyed.function.range.start < range.start);
        selection.cloned.get(behind).is_some_and(|surveyed| surveyed.function.range.start < range.end)
    };
    let mut ranges: Vec<Range<u64>> = areas.iter().map(CodeArea::range).filter(has_clones).collect();
    while ranges.len() > most {
        let distance = |index: &usize| ranges[index + 1].start - ranges[*index].end;
        let closest = (0..ranges.len() - 1).min_by_key(distance).unwrap_or(0);
        ranges[closest].end = ranges[closest + 1].end;
        ranges.remove(closest + 1);
    }
    ranges
}
