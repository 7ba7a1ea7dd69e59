//! Makes a survey, in two passes over all functions.
//!
//! Whether a stack slot is private, a jump hits an instruction or bytes are data may depend on any other function of
//! the file. The first pass therefore collects an outline of each function, the second decides. Decoding
//! twice is cheaper than keeping the instructions of a large program in memory.

use std::ops::Range;

use iced_x86::Instruction;

use super::decode::{decode, ends_flow, index_at, is_call, jump_target};
use super::functions::{self, Function, Origin, Role};
use super::gaps;
use super::layout::{CodeSymbolKind, Layout};
use super::liveness::{CallFlags, FlagLiveness};
use super::outline::Outline;
use super::parts::joined_stacks;
use super::sites::{self, Surroundings};
use super::skips::{SkipReason, Skipped};
use super::stack::StackUse;
use super::survey::{Survey, Surveyed};
use crate::unwind::tables::UnwindRange;

/// What the first pass found out.
pub(super) struct Surveyor<'a> {
    layout: &'a Layout<'a>,
    /// By address, without overlaps.
    functions: Vec<Function>,
    outlines: Vec<Outline>,
    stacks: Vec<StackUse>,
    /// Direct jumps between functions, as (target, source), sorted.
    jumps: Vec<(u64, u64)>,
    /// Addresses in code that are accessed as data, or have a variable's name, sorted.
    data: Vec<u64>,
}

impl<'a> Surveyor<'a> {
    /// Finds all functions; `unwind` holds those of the unwind tables.
    pub(super) fn new(layout: &'a Layout<'a>, unwind: &[UnwindRange]) -> Self {
        let mut functions = functions::known(layout, unwind);
        let mut references = gaps::References::default();
        outlines(layout, &functions).iter().for_each(|outline| references.add(outline));
        functions.extend(gaps::sweep(layout, &functions, references));
        functions.sort_by_key(|function| function.range.start);
        let outlines = outlines(layout, &functions);
        let stacks = joined_stacks(&functions, &outlines);
        let jumps = sorted(outlines.iter().flat_map(|outline| &outline.leaving).map(|(from, to)| (*to, *from)));
        let variables = layout.symbols.iter().filter(|symbol| symbol.kind == CodeSymbolKind::Data);
        let accessed = outlines.iter().flat_map(|outline| &outline.data).copied();
        let data = sorted(accessed.chain(variables.map(|symbol| symbol.address)));
        Self { layout, functions, outlines, stacks, jumps, data }
    }

    pub(super) fn survey(&self) -> Survey {
        let survey = self.second_pass(CallFlags::Lost);
        match survey.call_flags {
            CallFlags::Lost => survey,
            CallFlags::Kept => self.second_pass(CallFlags::Kept),
        }
    }

    fn second_pass(&self, call_flags: CallFlags) -> Survey {
        let mut survey = Survey {
            functions: Vec::with_capacity(self.functions.len()),
            skipped: Vec::new(),
            support: Vec::new(),
            text_bytes: self.layout.areas.iter().map(|area| area.bytes.len() as u64).sum(),
            takes_thread_local_address: self.outlines.iter().any(|outline| outline.takes_thread_local_address),
            call_flags,
        };
        let mut instructions = Vec::new();
        for (index, function) in self.functions.iter().enumerate() {
            if function.role != Role::Program {
                survey.support.push(function.clone());
                continue;
            }
            match self.decoded(function, &mut instructions) {
                Ok(()) => self.examine(index, &instructions, &mut survey),
                Err(reason) => survey.skipped.push(Skipped { function: function.clone(), reason }),
            }
        }
        survey
    }

    /// Decodes a function unless something speaks against its being code.
    fn decoded(&self, function: &Function, instructions: &mut Vec<Instruction>) -> Result<(), SkipReason> {
        let range = &function.range;
        if let Some(address) = first_in(&self.data, range) {
            return Err(SkipReason::DataInCode { offset: address - range.start });
        }
        decode(self.layout.bytes(range), range.start, instructions)?;
        let is_doubtful = match function.origin {
            Origin::Symbol | Origin::Unwind | Origin::Reference => false,
            Origin::Address => !looks_like_function(instructions),
            Origin::Sweep => true,
        };
        if is_doubtful {
            return Err(SkipReason::Unreferenced);
        }
        if let Some((to, from)) = self.jump_into_instruction(range, instructions) {
            return Err(SkipReason::JumpIntoInstruction { offset: to - range.start, from });
        }
        match instructions.iter().find(|instruction| sites::uses_other_segment(instruction)) {
            Some(instruction) => Err(SkipReason::OtherSegment { offset: instruction.ip() - range.start }),
            None => Ok(()),
        }
    }

    /// A jump, from within or from elsewhere, whose target is no instruction.
    fn jump_into_instruction(&self, range: &Range<u64>, instructions: &[Instruction]) -> Option<(u64, u64)> {
        let first = self.jumps.partition_point(|(target, _)| *target < range.start);
        let foreign = self.jumps[first..].iter().copied().take_while(|(target, _)| *target < range.end);
        let own = instructions
            .iter()
            .filter_map(|instruction| Some((jump_target(instruction)?, instruction.ip())))
            .filter(|(target, _)| range.contains(target));
        foreign.chain(own).find(|(target, _)| index_at(instructions, *target).is_none())
    }

    fn examine(&self, index: usize, instructions: &[Instruction], survey: &mut Survey) {
        let (function, outline) = (&self.functions[index], &self.outlines[index]);
        let flags = FlagLiveness::of(instructions, survey.call_flags);
        if flags.reads_flags_of_callee() || (flags.reads_flags_at_entry() && !self.is_jumped_to(function)) {
            survey.call_flags = CallFlags::Kept;
        }
        let around = Surroundings { layout: self.layout, own: outline.stack, joined: self.stacks[index] };
        let sites = sites::find(instructions, &around, &flags);
        survey.functions.push(Surveyed {
            function: function.clone(),
            sites,
            prefetches: sites::prefetches(instructions, &flags),
            callees: outline.calls.iter().copied().chain(outline.leaving.iter().map(|(_, to)| *to)).collect(),
            indirect_jumps: outline.indirect_jumps,
            leaving_jumps: outline.leaving.len() as u32,
            falls_through: outline.falls_through,
            is_leaf: outline.stack.is_leaf(),
            uses_red_zone: outline.stack.uses_red_zone() || self.stacks[index].uses_red_zone(),
            takes_stack_address: self.stacks[index].takes_address(),
        });
    }

    fn is_jumped_to(&self, function: &Function) -> bool {
        let first = self.jumps.partition_point(|(target, _)| *target < function.range.start);
        self.jumps.get(first).is_some_and(|(target, _)| *target == function.range.start)
    }
}

/// Whether a program would contain these instructions, and no more than these.
fn looks_like_function(instructions: &[Instruction]) -> bool {
    let has_end = instructions.last().is_some_and(|last| ends_flow(last) || is_call(last));
    has_end && !instructions.iter().any(Instruction::is_privileged)
}

fn outlines(layout: &Layout<'_>, functions: &[Function]) -> Vec<Outline> {
    let mut instructions = Vec::new();
    let mut outline = |function: &Function| {
        // Up to a fault, the instructions are as good as any.
        let _ = decode(layout.bytes(&function.range), function.range.start, &mut instructions);
        Outline::of(&instructions, &function.range, layout)
    };
    functions.iter().map(&mut outline).collect()
}

fn sorted<T: Ord>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    items.sort_unstable();
    items
}

fn first_in(addresses: &[u64], range: &Range<u64>) -> Option<u64> {
    let first = addresses.partition_point(|address| *address < range.start);
    addresses.get(first).copied().filter(|address| range.contains(address))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::layout::CodeArea;
    use super::super::sites::Site;
    use super::*;

    const START: u64 = 0x1000;

    fn layout(bytes: &[u8], pointers: Vec<u64>) -> Layout<'_> {
        Layout {
            areas: vec![CodeArea { name: ".text".to_owned(), address: START, bytes }],
            symbols: Vec::new(),
            constants: Vec::new(),
            pointers,
            entry: 0,
        }
    }

    fn whole(range: Range<u64>) -> UnwindRange {
        UnwindRange { range, is_part: false }
    }

    fn survey(bytes: &[u8]) -> Survey {
        let end = START + bytes.len() as u64;
        Surveyor::new(&layout(bytes, Vec::new()), &[whole(START..end)]).survey()
    }

    fn reason(bytes: &[u8]) -> Option<SkipReason> {
        survey(bytes).skipped.first().map(|skipped| skipped.reason)
    }

    #[test]
    fn what_can_not_be_instrumented_is_skipped_with_the_reason() {
        assert_eq!(reason(&[0x8b, 0x07, 0x90, 0x90, 0xc3]), None);
        assert_eq!(reason(&[0x8b, 0x07, 0x06, 0x90, 0xc3]), Some(SkipReason::Undecodable { offset: 2 }));
        assert_eq!(reason(&[0x8b, 0x07, 0xe8, 0, 0]), Some(SkipReason::CutInstruction { offset: 2 }));
        assert_eq!(reason(&[0xc3, 0, 0, 0, 0]), Some(SkipReason::DataInCode { offset: 1 }));
        assert_eq!(reason(&[0x8b, 0x07, 0xc3]), None, "short, but a breakpoint has room");
        let other_segment = [0x65, 0x8b, 0x07, 0x90, 0x90, 0xc3];
        assert_eq!(reason(&other_segment), Some(SkipReason::OtherSegment { offset: 0 }));
        // je +1 into lock inc [rdi]
        let into_lock = [0x74, 0x01, 0xf0, 0xff, 0x07, 0xc3];
        assert_eq!(reason(&into_lock), Some(SkipReason::JumpIntoInstruction { offset: 3, from: START }));
        // mov eax,[rip+1]; ret; data
        let own_data = [0x8b, 0x05, 1, 0, 0, 0, 0xc3, 1, 2, 3, 4];
        assert_eq!(reason(&own_data), Some(SkipReason::DataInCode { offset: 7 }));
    }

    #[test]
    fn a_jump_from_another_function_into_an_instruction_is_noticed() {
        // jmp to the middle of the second function's mov eax,1
        let code = [0xeb, 0x02, 0x90, 0xb8, 1, 0, 0, 0, 0xc3];
        let layout = layout(&code, Vec::new());
        let survey = Surveyor::new(&layout, &[START..START + 3, START + 3..START + 9].map(whole)).survey();
        let expected = SkipReason::JumpIntoInstruction { offset: 1, from: START };
        assert_eq!(survey.skipped.iter().map(|skipped| skipped.reason).collect::<Vec<_>>(), [expected]);
    }

    #[test]
    fn flags_that_cross_a_call_are_kept_everywhere() {
        // call next; next: mov eax,[rdi]; setc al; ret
        let odd = survey(&[0xe8, 0, 0, 0, 0, 0x8b, 0x07, 0x0f, 0x92, 0xc0, 0xc3]);
        assert_eq!(odd.call_flags, CallFlags::Kept);
        assert!(odd.functions[0].sites[0].flags_live);
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_are_surveyed(
            bytes in proptest::collection::vec(any::<u8>(), 0..600),
            ranges in proptest::collection::vec((0u64..700, 0u64..300), 0..8),
            pointers in proptest::collection::vec(START..START + 700, 0..8),
        ) {
            let ranges: Vec<UnwindRange> =
                ranges.into_iter().map(|(start, size)| whole(START + start..START + start + size)).collect();
            let layout = layout(&bytes, sorted(pointers.into_iter()));
            let survey = Surveyor::new(&layout, &ranges).survey();
            let all = survey.functions.iter().map(|surveyed| &surveyed.function);
            let all = sorted(all.chain(survey.skipped.iter().map(|skipped| &skipped.function)).map(|function| {
                (function.range.start, function.range.end)
            }));
            prop_assert!(all.iter().all(|(start, end)| START <= *start && start < end && *end <= START + 600));
            prop_assert!(all.windows(2).all(|pair| pair[0].1 <= pair[1].0), "ranges overlap");
            for surveyed in &survey.functions {
                let range = &surveyed.function.range;
                let is_inside = |site: &Site| {
                    range.contains(&site.address) && site.address + u64::from(site.length) <= range.end
                };
                prop_assert!(surveyed.sites.iter().all(is_inside));
            }
        }
    }
}
