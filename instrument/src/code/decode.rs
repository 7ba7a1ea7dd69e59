//! Turns a range of bytes into instructions, or says where they stop being code.

use iced_x86::{Code, Decoder, DecoderError, DecoderOptions, FlowControl, Instruction, Mnemonic};

const BITS: u32 = 64;

/// Two instructions of nothing but zeroes, see [`Fault::Zeroes`].
const ZEROES_OF_PADDING: usize = 4;

/// Where a range stops being code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// No instruction has these bytes.
    Undecodable(u64),
    /// The last instruction would reach beyond the range.
    Cut(u64),
    /// Zeroes, which decode as instructions that no program contains in a row.
    Zeroes(u64),
}

/// Decodes all of `bytes`, linked at `start`, into `into`. On a fault the instructions before it stay there.
pub(crate) fn decode(bytes: &[u8], start: u64, into: &mut Vec<Instruction>) -> Result<(), Fault> {
    into.clear();
    let mut decoder = Decoder::with_ip(BITS, bytes, start, DecoderOptions::NONE);
    let mut previous_was_zero = false;
    while decoder.can_decode() {
        let position = decoder.position();
        let instruction = decoder.decode();
        if instruction.is_invalid() {
            return Err(match decoder.last_error() {
                DecoderError::NoMoreBytes => Fault::Cut(position as u64),
                _ => Fault::Undecodable(position as u64),
            });
        }
        let is_zero = is_zeroes(bytes, position, &instruction);
        if is_zero && previous_was_zero {
            into.pop();
            return Err(Fault::Zeroes(position as u64 - 2));
        }
        previous_was_zero = is_zero;
        into.push(instruction);
    }
    Ok(())
}

/// `00 00`, which is `add [rax],al`.
fn is_zeroes(bytes: &[u8], position: usize, instruction: &Instruction) -> bool {
    instruction.code() == Code::Add_rm8_r8 && bytes.get(position..position + 2) == Some(&[0, 0])
}

/// Whether compilers and linkers fill the space between functions with it.
pub(crate) fn is_padding(instruction: &Instruction) -> bool {
    matches!(instruction.mnemonic(), Mnemonic::Nop | Mnemonic::Int3)
}

/// The number of bytes at the start of `bytes` that are padding: no-operations, breakpoints or zeroes.
pub(crate) fn padding_length(bytes: &[u8]) -> usize {
    let mut length = 0;
    loop {
        let rest = &bytes[length..];
        let zeroes = rest.iter().take_while(|byte| **byte == 0).count();
        let instruction = Decoder::new(BITS, rest, DecoderOptions::NONE).decode();
        if zeroes >= ZEROES_OF_PADDING || zeroes == rest.len() {
            length += zeroes;
        } else if !instruction.is_invalid() && is_padding(&instruction) {
            length += instruction.len();
        } else {
            return length;
        }
        if length == bytes.len() {
            return length;
        }
    }
}

/// Whether execution never continues behind this instruction.
pub(crate) fn ends_flow(instruction: &Instruction) -> bool {
    match instruction.flow_control() {
        FlowControl::UnconditionalBranch | FlowControl::IndirectBranch | FlowControl::Return => true,
        FlowControl::Exception => true,
        _ => instruction.mnemonic() == Mnemonic::Hlt,
    }
}

/// The target of a direct jump, conditional or not, inside or outside of the function.
pub(crate) fn jump_target(instruction: &Instruction) -> Option<u64> {
    let is_jump = matches!(
        instruction.flow_control(),
        FlowControl::UnconditionalBranch | FlowControl::ConditionalBranch | FlowControl::XbeginXabortXend
    );
    (is_jump && has_near_target(instruction)).then(|| instruction.near_branch_target())
}

/// A call proper. The decoder also counts system calls as such, which keep flags and stack as they are.
pub(crate) fn is_call(instruction: &Instruction) -> bool {
    instruction.mnemonic() == Mnemonic::Call
}

/// The target of a direct call.
pub(crate) fn call_target(instruction: &Instruction) -> Option<u64> {
    (is_call(instruction) && has_near_target(instruction)).then(|| instruction.near_branch_target())
}

fn has_near_target(instruction: &Instruction) -> bool {
    use iced_x86::OpKind::{NearBranch16, NearBranch32, NearBranch64};
    instruction.op_count() == 1 && matches!(instruction.op0_kind(), NearBranch16 | NearBranch32 | NearBranch64)
}

/// The instruction at exactly this address.
pub(crate) fn index_at(instructions: &[Instruction], address: u64) -> Option<usize> {
    instructions.binary_search_by_key(&address, Instruction::ip).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(bytes: &[u8]) -> Option<Fault> {
        decode(bytes, 0x1000, &mut Vec::new()).err()
    }

    #[test]
    fn says_where_code_ends() {
        assert_eq!(fault(&[0x90, 0xc3]), None);
        assert_eq!(fault(&[0x90, 0x06, 0xc3]), Some(Fault::Undecodable(1)));
        assert_eq!(fault(&[0xc3, 0xe8, 0, 0]), Some(Fault::Cut(1)));
        assert_eq!(fault(&[0xc3, 0, 0, 0, 0]), Some(Fault::Zeroes(1)));
        assert_eq!(fault(&[0, 0, 0xc3]), None, "one may be meant");
    }

    #[test]
    fn measures_padding() {
        assert_eq!(padding_length(&[]), 0);
        assert_eq!(padding_length(&[0xc3]), 0);
        assert_eq!(padding_length(&[0x66, 0x90, 0x90, 0xcc, 0xc3]), 4);
        assert_eq!(padding_length(&[0, 0, 0, 0, 0]), 5);
        assert_eq!(padding_length(&[0x90, 0, 0, 0, 0, 0, 0x90, 0xc3]), 7);
        assert_eq!(padding_length(&[0, 0, 0xc3]), 0);
        assert_eq!(padding_length(&[0x0f, 0x1f]), 0, "an incomplete instruction");
    }
}
