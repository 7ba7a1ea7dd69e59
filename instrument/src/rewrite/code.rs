//! Bytes of machine code, and the few instructions that the rewriter makes itself.
//!
//! Everything is placed once and for all: the address of each byte is known as it is written, so that a relative
//! address needs no second look. Only jumps to clones that do not exist yet are completed later.

use super::operand::{Operand, Place};

const OPERAND_REX: u8 = 0x48;
const RSP: u8 = 4;
/// Stands for "more bytes follow" in a ModRM byte, and for "no index" in the one that follows.
const SIB: u8 = 4;
/// Stands for "no base" where there is no displacement otherwise.
const NO_BASE: u8 = 5;

/// Code under construction; its first byte will be at `base`.
pub(super) struct Code {
    pub(super) bytes: Vec<u8>,
    base: u64,
    is_too_far: bool,
}

impl Code {
    pub(super) fn new(base: u64, capacity: usize) -> Self {
        Self { bytes: Vec::with_capacity(capacity), base, is_too_far: false }
    }

    /// Bytes so far, which is where the next one goes.
    pub(super) fn offset(&self) -> u32 {
        self.bytes.len() as u32
    }

    /// Whether an address was too far away to be reached.
    pub(super) fn is_too_far(&self) -> bool {
        self.is_too_far
    }

    pub(super) fn put(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    pub(super) fn align(&mut self, alignment: usize, filler: u8) {
        self.bytes.resize(self.bytes.len().next_multiple_of(alignment), filler);
    }

    /// The last four bytes of an instruction that refers to `target`.
    pub(super) fn put_distance(&mut self, target: u64) {
        let at = self.bytes.len();
        self.put(&[0; 4]);
        self.set_distance(at, 4, target);
    }

    /// Completes the four bytes at `at` of an instruction that ends `behind` bytes further.
    pub(super) fn set_distance(&mut self, at: usize, behind: usize, target: u64) {
        let from = self.base.wrapping_add((at + behind) as u64);
        let distance = target.wrapping_sub(from) as i64;
        self.is_too_far |= i32::try_from(distance).is_err();
        self.bytes[at..at + 4].copy_from_slice(&(distance as i32).to_le_bytes());
    }

    /// `jmp target`, or whatever else has this opcode.
    pub(super) fn put_jump(&mut self, opcode: &[u8], target: u64) {
        self.put(opcode);
        self.put_distance(target);
    }

    /// `lea rcx, operand`, where the stack pointer is `shift` bytes below what the operand means.
    pub(super) fn put_address(&mut self, operand: &Operand, shift: i32) {
        match operand.place {
            Place::Absolute(address) if i32::try_from(address as i64).is_err() => {
                self.put(&[OPERAND_REX, 0xb9]);
                self.put(&address.to_le_bytes());
            }
            // Without the segment: its base is added elsewhere.
            _ => self.put_with_operand(&Operand { segment: None, ..*operand }, 0x8d, 1, true, shift),
        }
    }

    /// An instruction of one opcode byte with a register (or more of the opcode) and a memory operand.
    pub(super) fn put_with_operand(&mut self, operand: &Operand, opcode: u8, register: u8, is_wide: bool, shift: i32) {
        self.bytes.extend(operand.segment);
        if operand.is_narrow {
            self.put(&[0x67]);
        }
        let (base, index) = operand.place.registers();
        let high = |register: Option<u8>| register.map_or(0, |register| register >> 3);
        let rex = 0x40 | u8::from(is_wide) << 3 | high(index) << 1 | high(base);
        if rex != 0x40 {
            self.put(&[rex]);
        }
        self.put(&[opcode]);
        let register = register << 3;
        match operand.place {
            Place::Relative(target) => {
                self.put(&[register | NO_BASE]);
                self.put_distance(target);
            }
            Place::Absolute(address) => self.put_displaced(&[register | SIB, SIB << 3 | NO_BASE], address as i32),
            Place::Registers { base, index, scale, displacement } => {
                self.put_registers(register, base, (index, scale), displacement, shift);
            }
        }
    }

    fn put_registers(
        &mut self,
        register: u8,
        base: Option<u8>,
        (index, scale): (Option<u8>, u8),
        displacement: i32,
        shift: i32,
    ) {
        let scaled = scale << 6 | index.map_or(SIB, |index| index & 7) << 3;
        let Some(base) = base else {
            self.put_displaced(&[register | SIB, scaled | NO_BASE], displacement);
            return;
        };
        let displacement = if base == RSP { displacement.wrapping_add(shift) } else { displacement };
        let short = i8::try_from(displacement);
        let mode = match short {
            Ok(0) if base & 7 != NO_BASE => 0,
            Ok(_) => 0x40,
            Err(_) => 0x80,
        };
        if index.is_some() || base & 7 == SIB {
            self.put(&[mode | register | SIB, scaled | base & 7]);
        } else {
            self.put(&[mode | register | base & 7]);
        }
        match (mode, short) {
            (0, _) => {}
            (_, Ok(short)) => self.put(&short.to_le_bytes()),
            (_, Err(_)) => self.put(&displacement.to_le_bytes()),
        }
    }

    fn put_displaced(&mut self, bytes: &[u8], displacement: i32) {
        self.put(bytes);
        self.put(&displacement.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use iced_x86::{Decoder, DecoderOptions, Register};
    use proptest::prelude::*;

    use super::*;

    const BASE: u64 = 0x10_0000;

    fn decoded(code: &Code) -> iced_x86::Instruction {
        let instruction = Decoder::with_ip(64, &code.bytes, BASE, DecoderOptions::NONE).decode();
        assert_eq!(instruction.len(), code.bytes.len(), "{:x?}", code.bytes);
        instruction
    }

    proptest! {
        #[test]
        fn operands_come_back_from_the_decoder(
            base in proptest::option::of(0u8..16),
            index in proptest::option::of((0u8..16).prop_filter("no index", |index| *index != RSP)),
            scale in 0u8..4,
            displacement in prop_oneof![Just(0), -128i32..128, -100_000i32..100_000],
            is_narrow: bool,
        ) {
            let scale = if index.is_some() { scale } else { 0 };
            let place = Place::Registers { base, index, scale, displacement };
            let mut code = Code::new(BASE, 0);
            code.put_address(&Operand { place, is_narrow, segment: None }, 24);
            let found = decoded(&code);
            let number = |register: Register| (register != Register::None).then(|| register.number() as u8);
            prop_assert_eq!(found.op0_register(), Register::RCX);
            prop_assert_eq!(number(found.memory_base()), base);
            prop_assert_eq!(number(found.memory_index()), index);
            prop_assert_eq!(found.memory_index_scale(), 1 << scale);
            let expected = displacement + if base == Some(RSP) { 24 } else { 0 };
            prop_assert_eq!(found.memory_displacement64() as i32, expected);
        }
    }

    #[test]
    fn relative_operands_keep_their_target() {
        let operand = Operand { place: Place::Relative(0x2_3456), is_narrow: false, segment: Some(0x64) };
        let mut code = Code::new(BASE, 0);
        code.put_with_operand(&operand, 0xff, 6, false, 0);
        assert_eq!(decoded(&code).ip_rel_memory_address(), 0x2_3456);
        assert_eq!(decoded(&code).segment_prefix(), Register::FS);
        let mut far = Code::new(BASE, 0);
        far.put_jump(&[0xe9], 1 << 40);
        assert!(far.is_too_far() && !code.is_too_far());
    }

    #[test]
    fn absolute_addresses_of_any_size_are_loaded() {
        for address in [0x1234, u64::MAX - 7, 1 << 40] {
            let mut code = Code::new(BASE, 0);
            code.put_address(&Operand { place: Place::Absolute(address), is_narrow: false, segment: None }, 8);
            let found = decoded(&code);
            let value = found.try_immediate(1).unwrap_or_else(|_| found.memory_displacement64());
            assert_eq!(value, address);
        }
    }
}
