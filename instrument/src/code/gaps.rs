//! Finds functions where neither symbols nor unwind tables know of any.
//!
//! The bytes between known functions are decoded in order and split where execution can not run on. A function that
//! a call, a jump or a pointer leads to is as good as any other. The rest may be code or a table of
//! numbers, so it is reported with its origin, and nobody should overwrite it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use iced_x86::Instruction;

use super::decode::{Fault, decode, ends_flow, is_padding, jump_target, padding_length};
use super::functions::{self, Function, Origin};
use super::layout::{CodeArea, CodeSymbolKind, Layout};
use super::outline::Outline;

/// Compilers start functions at multiples of this, except to save space.
const FUNCTION_ALIGNMENT: u64 = 16;

/// What leads into the gaps, as far as code tells.
#[derive(Default)]
pub(super) struct References {
    /// Where calls lead, and jumps out of known functions.
    targets: BTreeSet<u64>,
    /// Where jumps within gaps lead, and where they come from.
    jumps: BTreeSet<(u64, u64)>,
    /// Addresses that code computes, for whatever purpose.
    addresses: BTreeSet<u64>,
}

impl References {
    /// Adds what a known function refers to.
    pub(super) fn add(&mut self, outline: &Outline) {
        self.targets.extend(&outline.calls);
        self.targets.extend(outline.leaving.iter().map(|(_, target)| *target));
        self.addresses.extend(&outline.addresses);
    }

    /// Adds what the code of a gap refers to, as far as it decodes.
    fn add_gap(&mut self, gap: &Range<u64>, layout: &Layout<'_>, instructions: &mut Vec<Instruction>) {
        let bytes = layout.bytes(gap);
        let padding = padding_length(bytes);
        // What decodes before a fault is as good as anything.
        let _ = decode(&bytes[padding..], gap.start + padding as u64, instructions);
        let outline = Outline::of(instructions, gap, layout);
        self.add(&outline);
        let jump = |instruction: &Instruction| Some((jump_target(instruction)?, instruction.ip()));
        self.jumps.extend(instructions.iter().filter_map(jump));
    }

    /// Whether a call, or a jump from somewhere else, leads to the start of a range.
    fn lead_to(&self, range: &Range<u64>) -> bool {
        let mut arriving = self.jumps.range((range.start, 0)..=(range.start, u64::MAX));
        self.targets.contains(&range.start) || arriving.any(|(_, from)| !range.contains(from))
    }
}

/// The functions in the gaps between `known`, given what those refer to.
pub(super) fn sweep(layout: &Layout<'_>, known: &[Function], mut references: References) -> Vec<Function> {
    let gaps = gaps(layout, known);
    let mut instructions = Vec::new();
    for gap in &gaps {
        references.add_gap(gap, layout, &mut instructions);
    }
    let sweep = Sweep { layout, references, names: names(layout) };
    gaps.iter().flat_map(|gap| sweep.functions(gap)).collect()
}

/// The names of functions and labels by address.
fn names(layout: &Layout<'_>) -> BTreeMap<u64, Vec<String>> {
    let mut names: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for symbol in layout.symbols.iter().filter(|symbol| symbol.kind != CodeSymbolKind::Data) {
        names.entry(symbol.address).or_default().push(symbol.name.clone());
    }
    names
}

/// What neither functions nor variables cover.
fn gaps(layout: &Layout<'_>, known: &[Function]) -> Vec<Range<u64>> {
    let data = layout.symbols.iter().filter(|symbol| symbol.kind == CodeSymbolKind::Data);
    let mut covered: Vec<Range<u64>> = known.iter().map(|function| function.range.clone()).collect();
    covered.extend(data.map(|symbol| symbol.address..symbol.address + symbol.size));
    covered.sort_by_key(|range| range.start);
    let mut gaps = Vec::new();
    let mut next = covered.iter().peekable();
    for area in &layout.areas {
        let mut position = area.address;
        while let Some(range) = next.next_if(|range| range.start < area.range().end) {
            if range.start > position {
                gaps.push(position..range.start);
            }
            position = position.max(range.end);
        }
        if position < area.range().end {
            gaps.push(position..area.range().end);
        }
    }
    gaps
}

struct Sweep<'a> {
    layout: &'a Layout<'a>,
    references: References,
    names: BTreeMap<u64, Vec<String>>,
}

impl Sweep<'_> {
    fn functions(&self, gap: &Range<u64>) -> Vec<Function> {
        let targets = self.references.targets.range(gap.clone());
        let named = self.names.range(gap.clone()).map(|(address, _)| address);
        // What stands before it may end in a call that does not return.
        let entry = Some(self.layout.entry).filter(|entry| gap.contains(entry));
        let cuts: BTreeSet<u64> = targets.chain(named).copied().chain(entry).chain([gap.start]).collect();
        let ends = cuts.iter().copied().skip(1).chain([gap.end]);
        let pieces = cuts.iter().copied().zip(ends);
        pieces.flat_map(|(start, end)| self.split(start..end)).map(|range| self.function(range)).collect()
    }

    /// Splits a piece without known entries into what look like functions, without the padding.
    fn split(&self, piece: Range<u64>) -> Vec<Range<u64>> {
        let mut found = Vec::new();
        let mut instructions = Vec::new();
        let mut start = piece.start;
        while start < piece.end {
            let bytes = self.layout.bytes(&(start..piece.end));
            let padding = padding_length(bytes);
            let code = start + padding as u64;
            let outcome = decode(&bytes[padding..], code, &mut instructions);
            let rest = self.carve(&instructions, &mut found);
            // Zeroes may fill the space between functions; anything else makes the rest of the piece a riddle.
            let end = match outcome {
                Ok(()) => rest.map(|rest| (rest, end_without_padding(&instructions))),
                Err(Fault::Zeroes(offset)) => rest.map(|rest| (rest, code + offset)),
                Err(Fault::Undecodable(offset) | Fault::Cut(offset)) => {
                    Some((rest.unwrap_or(code + offset), piece.end))
                }
            };
            found.extend(end.map(|(rest, end)| rest..end));
            start = match outcome {
                Err(Fault::Zeroes(offset)) => code + offset,
                _ => piece.end,
            };
        }
        found
    }

    /// Adds all functions whose end is recognised. Returns the start of the code behind the last of them.
    fn carve(&self, instructions: &[Instruction], found: &mut Vec<Range<u64>>) -> Option<u64> {
        let mut remaining = instructions;
        loop {
            let padding = remaining.iter().take_while(|instruction| is_padding(instruction)).count();
            remaining = &remaining[padding..];
            let start = remaining.first()?.ip();
            let Some(last) = self.last_of_function(remaining) else { return Some(start) };
            found.push(start..remaining[last].next_ip());
            remaining = &remaining[last + 1..];
        }
    }

    /// The first instruction that execution can not pass and that no earlier jump passes over, if what follows
    /// looks like the start of something else.
    fn last_of_function(&self, instructions: &[Instruction]) -> Option<usize> {
        let end = instructions.last()?.next_ip();
        let mut reach = 0;
        instructions.iter().enumerate().position(|(index, instruction)| {
            if let Some(target) = jump_target(instruction).filter(|target| *target < end) {
                reach = reach.max(target);
            }
            let behind = instruction.next_ip();
            ends_flow(instruction)
                && behind > reach
                && instructions.get(index + 1).is_none_or(|next| self.looks_like_start(next))
        })
    }

    fn looks_like_start(&self, instruction: &Instruction) -> bool {
        let address = instruction.ip();
        is_padding(instruction)
            || address.is_multiple_of(FUNCTION_ALIGNMENT)
            || self.references.addresses.contains(&address)
            || self.is_pointed_to(address)
    }

    fn is_pointed_to(&self, address: u64) -> bool {
        self.layout.pointers.binary_search(&address).is_ok()
    }

    fn function(&self, range: Range<u64>) -> Function {
        let names = self.names.get(&range.start).cloned().unwrap_or_default();
        let start = range.start;
        let is_referred_to = self.references.lead_to(&range)
            || self.is_pointed_to(start)
            || self.layout.entry == start
            || self.layout.area(start).is_some_and(CodeArea::is_startup);
        let origin = if !names.is_empty() {
            Origin::Symbol
        } else if is_referred_to {
            Origin::Reference
        } else if self.references.addresses.contains(&start) {
            Origin::Address
        } else {
            Origin::Sweep
        };
        functions::function(self.layout, range, names, origin)
    }
}

fn end_without_padding(instructions: &[Instruction]) -> u64 {
    instructions.iter().rev().find(|instruction| !is_padding(instruction)).map_or(0, Instruction::next_ip)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn swept(bytes: &'static [u8], targets: &[u64]) -> Vec<(Range<u64>, Origin)> {
        swept_from(0, bytes, targets)
    }

    fn swept_from(entry: u64, bytes: &'static [u8], targets: &[u64]) -> Vec<(Range<u64>, Origin)> {
        let layout = Layout {
            areas: vec![CodeArea { name: ".text".to_owned(), address: 0x1000, bytes }],
            symbols: Vec::new(),
            constants: Vec::new(),
            pointers: Vec::new(),
            entry,
        };
        let references = References { targets: targets.iter().copied().collect(), ..References::default() };
        let functions = sweep(&layout, &[], references);
        functions.into_iter().map(|function| (function.range, function.origin)).collect()
    }

    #[test]
    fn padding_separates_functions() {
        let code = &[0x90, 0x31, 0xc0, 0xc3, 0x66, 0x90, 0x90, 0x31, 0xc0, 0xc3, 0xcc];
        assert_eq!(swept(code, &[0x1007]), [(0x1001..0x1004, Origin::Sweep), (0x1007..0x100a, Origin::Reference)]);
    }

    #[test]
    fn the_entry_begins_a_function_behind_a_call_that_does_not_return() {
        // 1: call elsewhere; nop; nop; entry: xor ebp,ebp; lea rdi,[1b]; hlt
        let code = &[0xe8, 0, 0x10, 0, 0, 0x90, 0x90, 0x31, 0xed, 0x48, 0x8d, 0x3d, 0xf0, 0xff, 0xff, 0xff, 0xf4];
        let expected = [(0x1000..0x1005, Origin::Address), (0x1007..0x1011, Origin::Reference)];
        assert_eq!(swept_from(0x1007, code, &[]), expected);
    }

    #[test]
    fn zeroes_separate_functions_and_are_none() {
        let code = &[0x31, 0xc0, 0xc3, 0, 0, 0, 0, 0, 0x31, 0xc0, 0xc3, 0, 0, 0, 0, 0];
        assert_eq!(swept(code, &[]), [(0x1000..0x1003, Origin::Sweep), (0x1008..0x100b, Origin::Sweep)]);
        assert_eq!(swept(&[0; 64], &[]), []);
    }

    #[test]
    fn a_jump_over_a_return_keeps_the_function_together() {
        // je 1f; ret; nop; 1: ret
        assert_eq!(swept(&[0x74, 0x02, 0xc3, 0x90, 0xc3], &[]), [(0x1000..0x1005, Origin::Sweep)]);
    }

    #[test]
    fn targets_split_and_undecodable_bytes_stay_together() {
        let code = &[0xc3, 0x06, 0x06, 0x06, 0x31, 0xc0, 0xc3];
        let expected =
            [(0x1000..0x1001, Origin::Sweep), (0x1001..0x1004, Origin::Sweep), (0x1004..0x1007, Origin::Reference)];
        assert_eq!(swept(code, &[0x1004]), expected);
    }

    #[test]
    fn computed_addresses_are_remembered_as_such() {
        // lea rax,[rip+2]; ret; nop; 1: ret
        let code = &[0x48, 0x8d, 0x05, 2, 0, 0, 0, 0xc3, 0x90, 0xc3];
        assert_eq!(swept(code, &[]), [(0x1000..0x1008, Origin::Sweep), (0x1009..0x100a, Origin::Address)]);
    }

    #[test]
    fn calls_and_jumps_within_the_gap_count() {
        // 1: ret; nop; nop; 2: jmp 1b; nop; call 2b; ret
        let code = &[0xc3, 0x90, 0x90, 0xeb, 0xfb, 0x90, 0xe8, 0xf8, 0xff, 0xff, 0xff, 0xc3];
        let expected =
            [(0x1000..0x1001, Origin::Reference), (0x1003..0x1005, Origin::Reference), (0x1006..0x100c, Origin::Sweep)];
        assert_eq!(swept(code, &[]), expected);
    }
}
