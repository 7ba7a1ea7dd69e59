//! The memory operands of an instruction, in a form that can be encoded again.

use iced_x86::{Instruction, Mnemonic, OpKind, Register};

const RSI: u8 = 6;
const RDI: u8 = 7;
/// Adds the base of FS.
const FS_PREFIX: u8 = 0x64;

/// Where an operand lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// At an address of the process that code near it reaches.
    Relative(u64),
    /// At this number.
    Absolute(u64),
    /// `[base + index << scale + displacement]`, registers by number.
    Registers { base: Option<u8>, index: Option<u8>, scale: u8, displacement: i32 },
}

impl Place {
    fn register(number: u8) -> Self {
        Self::Registers { base: Some(number), index: None, scale: 0, displacement: 0 }
    }

    pub(super) fn registers(&self) -> (Option<u8>, Option<u8>) {
        match self {
            Self::Registers { base, index, .. } => (*base, *index),
            Self::Relative(_) | Self::Absolute(_) => (None, None),
        }
    }
}

/// A memory operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Operand {
    pub(super) place: Place,
    /// Addresses have 32 bits.
    pub(super) is_narrow: bool,
    /// The prefix of the segment that is added.
    pub(super) segment: Option<u8>,
}

impl Operand {
    /// The explicit operand of an instruction; `bias` leads from the file's addresses to the process.
    pub(super) fn explicit(instruction: &Instruction, bias: u64) -> Self {
        let segment = segment(instruction);
        let (base, index) = (instruction.memory_base(), instruction.memory_index());
        let displacement = instruction.memory_displacement64();
        if instruction.is_ip_rel_memory_operand() {
            let target = instruction.ip_rel_memory_address().wrapping_add(bias);
            return Self { place: Place::Relative(target), is_narrow: false, segment };
        }
        if base == Register::None && index == Register::None {
            return Self { place: Place::Absolute(displacement), is_narrow: false, segment };
        }
        let number = |register: Register| (register != Register::None).then(|| register.number() as u8);
        let place = Place::Registers {
            base: number(base),
            index: number(index),
            scale: instruction.memory_index_scale().trailing_zeros() as u8,
            displacement: displacement as i32,
        };
        let is_narrow = base.size() == 4 || index.size() == 4;
        Self { place, is_narrow, segment }
    }

    /// What RSI points to, as string instructions have it.
    pub(super) fn source(instruction: &Instruction) -> Self {
        let is_narrow = has_kind(instruction, &[OpKind::MemorySegESI]);
        Self { place: Place::register(RSI), is_narrow, segment: segment(instruction) }
    }

    /// What RDI points to. Only the vector instructions that store there allow another segment.
    pub(super) fn destination(instruction: &Instruction) -> Self {
        let is_narrow = has_kind(instruction, &[OpKind::MemoryESEDI, OpKind::MemorySegEDI]);
        let takes_segment = has_kind(instruction, &[OpKind::MemorySegRDI, OpKind::MemorySegEDI]);
        let segment = segment(instruction).filter(|_| takes_segment);
        Self { place: Place::register(RDI), is_narrow, segment }
    }

    /// What RAX points to, without any operand saying so.
    pub(super) fn accumulator() -> Self {
        Self { place: Place::register(0), is_narrow: false, segment: None }
    }

    /// Whether the address is relative to the thread's own data.
    pub(super) fn is_thread_local(&self) -> bool {
        self.segment.is_some()
    }
}

/// The memory operands that an instruction has, and whether it is the strings' kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operands {
    /// One that it names.
    Explicit(Operand),
    /// RBX and AL.
    Translation,
    /// What RSI and RDI point to.
    String { source: Option<Operand>, destination: Option<Operand> },
    /// None, or one that can not be told.
    Unknown,
}

impl Operands {
    pub(super) fn of(instruction: &Instruction, bias: u64) -> Self {
        const SOURCES: [OpKind; 2] = [OpKind::MemorySegRSI, OpKind::MemorySegESI];
        const DESTINATIONS: [OpKind; 4] =
            [OpKind::MemoryESRDI, OpKind::MemoryESEDI, OpKind::MemorySegRDI, OpKind::MemorySegEDI];
        match instruction.mnemonic() {
            Mnemonic::Xlatb => return Self::Translation,
            Mnemonic::Clzero => return Self::Explicit(Operand::accumulator()),
            _ => {}
        }
        if has_kind(instruction, &[OpKind::Memory]) {
            return Self::Explicit(Operand::explicit(instruction, bias));
        }
        let source = has_kind(instruction, &SOURCES).then(|| Operand::source(instruction));
        let destination = has_kind(instruction, &DESTINATIONS).then(|| Operand::destination(instruction));
        if source.is_none() && destination.is_none() {
            return Self::Unknown;
        }
        Self::String { source, destination }
    }
}

fn has_kind(instruction: &Instruction, kinds: &[OpKind]) -> bool {
    (0..instruction.op_count()).any(|operand| kinds.contains(&instruction.op_kind(operand)))
}

/// Other segments than FS have no base, and functions that use GS are not cloned.
fn segment(instruction: &Instruction) -> Option<u8> {
    (instruction.segment_prefix() == Register::FS).then_some(FS_PREFIX)
}

#[cfg(test)]
mod tests {
    use iced_x86::{Decoder, DecoderOptions};

    use super::*;

    const BIAS: u64 = 0x5000_0000;

    fn operands(bytes: &[u8]) -> Operands {
        Operands::of(&Decoder::with_ip(64, bytes, 0x1000, DecoderOptions::NONE).decode(), BIAS)
    }

    fn registers(base: u8, index: Option<u8>, scale: u8, displacement: i32) -> Place {
        Place::Registers { base: Some(base), index, scale, displacement }
    }

    #[test]
    fn explicit_operands_are_taken_apart() {
        let explicit = |place, is_narrow, segment| Operands::Explicit(Operand { place, is_narrow, segment });
        let plain = explicit(registers(4, Some(10), 2, -8), false, None);
        assert_eq!(operands(&[0x42, 0x8b, 0x44, 0x94, 0xf8]), plain, "mov eax,[rsp+r10*4-8]");
        let relative = explicit(Place::Relative(BIAS + 0x1016), false, None);
        assert_eq!(operands(&[0x8b, 0x05, 0x10, 0, 0, 0]), relative, "mov eax,[rip+16]");
        let local = explicit(Place::Absolute(-8i64 as u64), false, Some(0x64));
        assert_eq!(operands(&[0x64, 0x8b, 0x04, 0x25, 0xf8, 0xff, 0xff, 0xff]), local, "mov eax,fs:[-8]");
        let narrow = explicit(registers(0, None, 0, 0), true, None);
        assert_eq!(operands(&[0x67, 0x8b, 0x00]), narrow, "mov eax,[eax]");
        let absolute = explicit(Place::Absolute(1 << 40), false, None);
        assert_eq!(operands(&[0xa1, 0, 0, 0, 0, 0, 1, 0, 0]), absolute, "mov eax,[1 << 40]");
    }

    #[test]
    fn implied_operands_are_known() {
        let operand = |number, segment| Operand { place: registers(number, None, 0, 0), is_narrow: false, segment };
        let both = Operands::String { source: Some(operand(6, Some(0x64))), destination: Some(operand(7, None)) };
        assert_eq!(operands(&[0x64, 0xa4]), both, "movsb from fs");
        let store = Operands::String { source: None, destination: Some(operand(7, None)) };
        assert_eq!(operands(&[0xf3, 0xaa]), store, "rep stosb");
        assert_eq!(operands(&[0x0f, 0xf7, 0xc1]), store, "maskmovq mm0,mm1");
        assert_eq!(operands(&[0xd7]), Operands::Translation);
        assert_eq!(operands(&[0x90]), Operands::Unknown);
    }
}
