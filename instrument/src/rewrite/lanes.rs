//! Instructions that access memory lane by lane: gathers, and moves of the lanes that a vector chooses.

use iced_x86::{EncodingKind, Instruction, Mnemonic, OpKind, Register};
use rscale_protocol::region::{Gathered, Lanes};

use super::operand::{Operand, Operands, Place};

/// Bytes of the narrower vector registers.
const NARROW: usize = 16;

/// What such an instruction does, and the operand from which its addresses count. None for what mask registers choose.
pub(super) fn of(instruction: &Instruction, bias: u64) -> Option<(Lanes, Operand)> {
    use Mnemonic as M;
    if instruction.encoding() == EncodingKind::EVEX {
        return None;
    }
    match instruction.mnemonic() {
        M::Vpgatherdd | M::Vgatherdps => gathered(instruction, 4, false, bias),
        M::Vpgatherdq | M::Vgatherdpd => gathered(instruction, 8, false, bias),
        M::Vpgatherqd | M::Vgatherqps => gathered(instruction, 4, true, bias),
        M::Vpgatherqq | M::Vgatherqpd => gathered(instruction, 8, true, bias),
        M::Vmaskmovps | M::Vpmaskmovd => masked(instruction, 4, bias),
        M::Vmaskmovpd | M::Vpmaskmovq => masked(instruction, 8, bias),
        M::Maskmovdqu | M::Vmaskmovdqu => masked_bytes(instruction),
        _ => None,
    }
}

fn number(register: Register) -> u8 {
    register.number() as u8
}

/// `vpgatherdd data, [base + index * scale], mask` and the like.
fn gathered(instruction: &Instruction, element: usize, is_wide: bool, bias: u64) -> Option<(Lanes, Operand)> {
    let index = instruction.memory_index();
    let in_index = index.size() / if is_wide { 8 } else { 4 };
    let count = in_index.min(instruction.op0_register().size() / element) as u8;
    let shift = instruction.memory_index_scale().trailing_zeros() as u8;
    let gathered = Some(Gathered { index: number(index), shift, is_wide });
    let (data, mask) = (number(instruction.op0_register()), number(instruction.op2_register()));
    let mut operand = Operand::explicit(instruction, bias);
    if let Place::Registers { index, scale, .. } = &mut operand.place {
        (*index, *scale) = (None, 0);
    }
    let lanes = Lanes { element: element as u8, count, data, mask, gathered };
    (!operand.is_narrow).then_some((lanes, operand))
}

/// `vmaskmovps data, mask, [address]`, or `[address], mask, data`.
fn masked(instruction: &Instruction, element: usize, bias: u64) -> Option<(Lanes, Operand)> {
    let is_load = instruction.op0_kind() == OpKind::Register;
    let data = if is_load { instruction.op0_register() } else { instruction.op2_register() };
    let (count, mask) = ((data.size() / element) as u8, number(instruction.op1_register()));
    let lanes = Lanes { element: element as u8, count, data: number(data), mask, gathered: None };
    Some((lanes, Operand::explicit(instruction, bias)))
}

/// `maskmovdqu data, mask`, at RDI.
fn masked_bytes(instruction: &Instruction) -> Option<(Lanes, Operand)> {
    let Operands::String { destination: Some(operand), .. } = Operands::of(instruction, 0) else { return None };
    let (data, mask) = (number(instruction.op1_register()), number(instruction.op2_register()));
    Some((Lanes { element: 1, count: NARROW as u8, data, mask, gathered: None }, operand))
}

#[cfg(test)]
mod tests {
    use super::*;
    use iced_x86::{Decoder, DecoderOptions};

    fn lanes(bytes: &[u8]) -> Option<Lanes> {
        let instruction = Decoder::with_ip(64, bytes, 0x1000, DecoderOptions::NONE).decode();
        of(&instruction, 0).map(|(lanes, _)| lanes)
    }

    #[test]
    fn lanes_and_registers_are_told() {
        // vpgatherdd ymm1,[rax+ymm2*4],ymm3
        let gathered = Some(Gathered { index: 2, shift: 2, is_wide: false });
        let expected = Lanes { element: 4, count: 8, data: 1, mask: 3, gathered };
        assert_eq!(lanes(&[0xc4, 0xe2, 0x65, 0x90, 0x0c, 0x90]), Some(expected));
        // vpgatherqd xmm1,[rax+ymm2],xmm3
        let gathered = Some(Gathered { index: 2, shift: 0, is_wide: true });
        let expected = Lanes { element: 4, count: 4, data: 1, mask: 3, gathered };
        assert_eq!(lanes(&[0xc4, 0xe2, 0x65, 0x91, 0x0c, 0x10]), Some(expected));
        // vpgatherdq xmm1,[rax+xmm2],xmm3
        let gathered = Some(Gathered { index: 2, shift: 0, is_wide: false });
        let expected = Lanes { element: 8, count: 2, data: 1, mask: 3, gathered };
        assert_eq!(lanes(&[0xc4, 0xe2, 0xe1, 0x90, 0x0c, 0x10]), Some(expected));
        // vmaskmovps ymm1,ymm2,[rax]; vmaskmovps [rax],ymm2,ymm1
        let expected = Lanes { element: 4, count: 8, data: 1, mask: 2, gathered: None };
        assert_eq!(lanes(&[0xc4, 0xe2, 0x6d, 0x2c, 0x08]), Some(expected));
        assert_eq!(lanes(&[0xc4, 0xe2, 0x6d, 0x2e, 0x08]), Some(expected));
        // maskmovdqu xmm1,xmm2
        let expected = Lanes { element: 1, count: 16, data: 1, mask: 2, gathered: None };
        assert_eq!(lanes(&[0x66, 0x0f, 0xf7, 0xca]), Some(expected));
    }
}
