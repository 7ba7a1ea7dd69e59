//! What one function has to do with others: calls, jumps, data in the midst of code, the stack.
//!
//! The first pass over all functions makes these; the second needs those of all functions at once.

use std::ops::Range;

use iced_x86::{FlowControl, Instruction, Mnemonic, Register};

use super::decode::{call_target, ends_flow, is_call, jump_target};
use super::layout::Layout;
use super::stack::StackUse;

/// The outside view of one function.
#[derive(Clone, Debug, Default)]
pub(super) struct Outline {
    pub(super) stack: StackUse,
    pub(super) calls: Vec<u64>,
    /// Direct jumps that leave the range: where from and where to.
    pub(super) leaving: Vec<(u64, u64)>,
    /// Addresses in executable areas that are accessed as data.
    pub(super) data: Vec<u64>,
    /// Addresses in executable areas that it computes: of functions, or of data in the midst of them.
    pub(super) addresses: Vec<u64>,
    pub(super) indirect_jumps: u32,
    /// Execution may run over the end of the range.
    pub(super) falls_through: bool,
    /// The base address of thread-local variables is read, so that their addresses may go anywhere.
    pub(super) takes_thread_local_address: bool,
}

impl Outline {
    pub(super) fn of(instructions: &[Instruction], range: &Range<u64>, layout: &Layout<'_>) -> Self {
        let mut outline = Self { stack: StackUse::of(instructions), ..Self::default() };
        for instruction in instructions {
            outline.note_flow(instruction, range);
            outline.note_addresses(instruction, layout);
            outline.takes_thread_local_address |= reads_thread_base(instruction);
        }
        outline.falls_through = instructions.last().is_some_and(runs_on);
        outline
    }

    fn note_flow(&mut self, instruction: &Instruction, range: &Range<u64>) {
        if let Some(target) = jump_target(instruction)
            && !range.contains(&target)
        {
            self.leaving.push((instruction.ip(), target));
        }
        self.calls.extend(call_target(instruction));
        self.indirect_jumps += u32::from(instruction.flow_control() == FlowControl::IndirectBranch);
    }

    fn note_addresses(&mut self, instruction: &Instruction, layout: &Layout<'_>) {
        if instruction.is_ip_rel_memory_operand() && instruction.mnemonic() != Mnemonic::Nop {
            let address = instruction.ip_rel_memory_address();
            let list = if instruction.mnemonic() == Mnemonic::Lea { &mut self.addresses } else { &mut self.data };
            list.extend(layout.area(address).map(|_| address));
        }
        if instruction.mnemonic() == Mnemonic::Mov {
            let value = instruction.try_immediate(1).ok().filter(|value| layout.area(*value).is_some());
            self.addresses.extend(value);
        }
    }
}

fn runs_on(last: &Instruction) -> bool {
    !ends_flow(last) && !is_call(last)
}

/// `mov reg, fs:0`: the thread's own address, from which all its variables are found.
fn reads_thread_base(instruction: &Instruction) -> bool {
    instruction.segment_prefix() == Register::FS
        && instruction.memory_base() == Register::None
        && instruction.memory_index() == Register::None
        && instruction.memory_displacement64() == 0
        && instruction.mnemonic() != Mnemonic::Nop
}
