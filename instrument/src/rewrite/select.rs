//! Which functions are cloned.
//!
//! The survey says which can be hooked. A few instructions can be hooked but not moved; no compiler emits them, and the
//! functions that contain them stay as they are.

use std::ops::Range;

use iced_x86::{Code, Instruction, Mnemonic, OpKind, Register};

use super::plan::{Omission, Omitted};
use crate::code::decode::decode;
use crate::code::functions::Function;
use crate::code::layout::CodeArea;
use crate::code::sites::{OperandClass, Site};
use crate::code::survey::{Survey, Surveyed};

/// The bytes of a landing mark and a jump.
const SHORTEST: u64 = 9;

/// The functions of a file, sorted into those that are cloned and all others.
pub(super) struct Selection<'a> {
    areas: &'a [CodeArea<'a>],
    /// By address.
    pub(super) cloned: Vec<&'a Surveyed>,
    /// Code that runs as it is, and where it begins.
    pub(super) foreign: Vec<Range<u64>>,
    pub(super) omitted: Vec<Omitted>,
    /// The starts of all functions, sorted.
    starts: Vec<u64>,
}

impl<'a> Selection<'a> {
    pub(super) fn new(areas: &'a [CodeArea<'a>], survey: &'a Survey, is_excluded: &dyn Fn(&Function) -> bool) -> Self {
        let skipped = survey.skipped.iter().map(|skipped| &skipped.function);
        let foreign: Vec<Range<u64>> = skipped.chain(&survey.support).map(|function| function.range.clone()).collect();
        let cloned = Vec::with_capacity(survey.functions.len());
        let mut selection = Self { areas, cloned, foreign, omitted: Vec::new(), starts: Vec::new() };
        let mut instructions = Vec::new();
        for surveyed in &survey.functions {
            match selection.omission(surveyed, is_excluded, &mut instructions) {
                None if is_harmless(surveyed) => selection.foreign.push(surveyed.function.range.clone()),
                None => selection.cloned.push(surveyed),
                Some(omission) => {
                    let function = surveyed.function.clone();
                    selection.foreign.push(function.range.clone());
                    selection.omitted.push(Omitted { function, omission });
                }
            }
        }
        let cloned = selection.cloned.iter().map(|surveyed| surveyed.function.range.start);
        selection.starts = cloned.chain(selection.foreign.iter().map(|range| range.start)).collect();
        selection.starts.sort_unstable();
        selection
    }

    fn omission(
        &self,
        surveyed: &Surveyed,
        is_excluded: &dyn Fn(&Function) -> bool,
        instructions: &mut Vec<Instruction>,
    ) -> Option<Omission> {
        if is_excluded(&surveyed.function) {
            return Some(Omission::Excluded);
        }
        let range = &surveyed.function.range;
        let bytes = self.bytes(range);
        let is_whole = bytes.len() as u64 == range.end - range.start;
        if !is_whole || decode(bytes, range.start, instructions).is_err() {
            return Some(Omission::Instruction { offset: 0 });
        }
        let fixed = instructions.iter().find(|instruction| !is_movable(instruction))?;
        Some(Omission::Instruction { offset: fixed.ip() - range.start })
    }

    /// The bytes of a range within one area.
    pub(super) fn bytes(&self, range: &Range<u64>) -> &'a [u8] {
        let behind = self.areas.partition_point(|area| area.address <= range.start);
        let Some(area) = self.areas[..behind].last() else { return &[] };
        let start = (range.start - area.address) as usize;
        let end = (range.end.min(area.range().end) - area.address) as usize;
        area.bytes.get(start..end).unwrap_or(&[])
    }

    /// The start of the first function at or behind an address.
    pub(super) fn next_start(&self, address: u64) -> u64 {
        let index = self.starts.partition_point(|start| *start < address);
        self.starts.get(index).copied().unwrap_or(u64::MAX)
    }
}

/// Whether a function is as good as its clone, and has no room for a jump to it.
fn is_harmless(surveyed: &Surveyed) -> bool {
    let needs_hook = |site: &Site| !matches!(site.class, OperandClass::OwnStack | OperandClass::Constant);
    let leaves = surveyed.leaving_jumps + surveyed.indirect_jumps > 0 || surveyed.falls_through || !surveyed.is_leaf;
    surveyed.function.size() < SHORTEST && !leaves && !surveyed.sites.iter().any(needs_hook)
}

/// Whether an instruction does the same elsewhere once its relative operands are adjusted.
fn is_movable(instruction: &Instruction) -> bool {
    let is_near = match instruction.mnemonic() {
        Mnemonic::Call => matches!(instruction.code(), Code::Call_rel32_64 | Code::Call_rm64),
        Mnemonic::Jmp => matches!(instruction.code(), Code::Jmp_rel8_64 | Code::Jmp_rel32_64 | Code::Jmp_rm64),
        Mnemonic::Xbegin => true,
        _ => instruction.op_count() == 0 || !is_short_target(instruction.op0_kind()),
    };
    let is_on_stack = instruction.mnemonic() != Mnemonic::Jmp || instruction.op0_register() != Register::RSP;
    is_near && is_on_stack && instruction.memory_base() != Register::EIP
}

fn is_short_target(kind: OpKind) -> bool {
    matches!(kind, OpKind::NearBranch16 | OpKind::NearBranch32 | OpKind::FarBranch16 | OpKind::FarBranch32)
}
