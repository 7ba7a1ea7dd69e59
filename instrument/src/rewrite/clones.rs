//! Clones functions, instruction by instruction.
//!
//! Most instructions are copied as they are. Operands relative to the instruction pointer are adjusted to mean the same
//! original address: a function pointer stays what it was. All branches get their widest form, so that the place of each clone
//! is known when it is made; where they lead is filled in when all clones are.

use iced_x86::{Code as Opcode, ConstantOffsets, Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic};
use rscale_protocol::region;

use super::code::Code;
use super::hooks::{Hooks, NotHooked, RED_ZONE, SKIP_RED_ZONE};
use super::operand::Operand;
use super::plan::{Placement, Unhooked};
use super::text::Text;
use super::translate::Routines;
use crate::code::decode::{call_target, is_call, jump_target};
use crate::code::sites::{AccessKind, OperandClass, Site};
use crate::code::survey::Surveyed;

const JUMP: [u8; 1] = [0xe9];
const PUSH_IMMEDIATE: u8 = 0x68;
/// `mov dword [rsp+4],imm32`
const STORE_HIGH_HALF: [u8; 4] = [0xc7, 0x44, 0x24, 0x04];
/// The opcode of calls, jumps and pushes, and what tells them apart.
const GROUP: u8 = 0xff;
const GROUP_JUMP: u8 = 4;
const GROUP_PUSH: u8 = 6;
/// Clones of functions begin at multiples of this.
const ALIGNMENT: usize = 16;
const BREAKPOINT: u8 = 0xcc;

/// A jump whose distance is not known yet.
struct Fixup {
    /// Where its last four bytes are.
    at: u32,
    /// Where it leads in the file.
    target: u64,
}

/// The clones of all functions.
pub(super) struct Clones {
    pub(super) code: Code,
    /// Offset of each cloned instruction and its address in the file.
    pub(super) origins: Vec<(u32, u32)>,
    pub(super) sites: Vec<region::Site>,
    pub(super) unhooked: Vec<Unhooked>,
    fixups: Vec<Fixup>,
    placement: Placement,
    translate: Routines,
    hooks_thread_local: bool,
}

impl Clones {
    /// `code` has everything that comes before the clones.
    pub(super) fn new(code: Code, placement: Placement, translate: Routines, hooks_thread_local: bool) -> Self {
        let (origins, sites) = (Vec::new(), Vec::new());
        let (unhooked, fixups) = (Vec::new(), Vec::new());
        Self { code, origins, sites, unhooked, fixups, placement, translate, hooks_thread_local }
    }

    /// Clones one function.
    pub(super) fn add(&mut self, surveyed: &Surveyed, bytes: &[u8], text: &mut Text) {
        self.code.align(ALIGNMENT, BREAKPOINT);
        let start = surveyed.function.range.start;
        let mut decoder = Decoder::with_ip(64, bytes, start, DecoderOptions::NONE);
        let mut instruction = Instruction::default();
        let mut sites = &surveyed.sites[..];
        let uses_red_zone = surveyed.uses_red_zone;
        while decoder.can_decode() {
            let position = decoder.position();
            decoder.decode_out(&mut instruction);
            let offset = self.code.offset();
            self.origins.push((offset, instruction.ip() as u32));
            text.set_clone(instruction.ip(), offset);
            let count = sites.iter().take_while(|site| site.address == instruction.ip()).count();
            self.hook(surveyed, &instruction, &sites[..count], uses_red_zone);
            sites = &sites[count..];
            let raw = &bytes[position..decoder.position()];
            if instruction.is_ip_rel_memory_operand() && is_plain(&instruction) {
                self.copy_relative(&instruction, raw, &decoder.get_constant_offsets(&instruction));
            } else {
                self.clone_instruction(&instruction, raw, uses_red_zone, text);
            }
        }
        if surveyed.falls_through {
            self.jump(&JUMP, surveyed.function.range.end);
        }
    }

    fn hook(&mut self, surveyed: &Surveyed, instruction: &Instruction, sites: &[Site], uses_red_zone: bool) {
        let Placement { bias, base } = self.placement;
        let (code, records) = (&mut self.code, &mut self.sites);
        let mut hooks = Hooks { instruction, uses_red_zone, bias, base, code, records };
        for (site, is_second) in in_order(sites) {
            let is_hooked = match site.class {
                OperandClass::Shared => true,
                OperandClass::ThreadLocal => self.hooks_thread_local,
                OperandClass::OwnStack | OperandClass::Constant => false,
            };
            if is_hooked && let Err(NotHooked) = hooks.put(site, is_second) {
                self.unhooked.push(Unhooked {
                    function: surveyed.function.label(),
                    address: site.address,
                    shape: site.shape,
                });
            }
        }
    }

    fn clone_instruction(&mut self, instruction: &Instruction, raw: &[u8], uses_red_zone: bool, text: &Text) {
        if let Some(target) = jump_target(instruction) {
            self.branch(instruction, raw, target);
        } else if is_call(instruction) {
            self.call(instruction, text);
        } else if instruction.flow_control() == FlowControl::IndirectBranch {
            self.indirect_jump(instruction, uses_red_zone);
        } else {
            self.code.put(raw);
        }
    }

    fn copy_relative(&mut self, instruction: &Instruction, raw: &[u8], offsets: &ConstantOffsets) {
        let displacement = offsets.displacement_offset();
        let at = self.code.bytes.len() + displacement;
        self.code.put(raw);
        let target = instruction.ip_rel_memory_address().wrapping_add(self.placement.bias);
        self.code.set_distance(at, raw.len() - displacement, target);
    }

    fn branch(&mut self, instruction: &Instruction, raw: &[u8], target: u64) {
        match instruction.mnemonic() {
            Mnemonic::Jmp => self.jump(&JUMP, target),
            Mnemonic::Xbegin => self.jump(&[0xc7, 0xf8], target),
            Mnemonic::Loop
            | Mnemonic::Loope
            | Mnemonic::Loopne
            | Mnemonic::Jcxz
            | Mnemonic::Jecxz
            | Mnemonic::Jrcxz => {
                // To the jump behind the next, which is over that jump.
                self.code.put(&raw[..raw.len() - 1]);
                self.code.put(&[0x02, 0xeb, 0x05]);
                self.jump(&JUMP, target);
            }
            _ => {
                // The condition is in the opcode: 0x7? with one byte of distance, 0x0f 0x8? with four.
                let is_short = raw.len() < 5;
                let opcode = raw[raw.len() - if is_short { 2 } else { 5 }];
                self.jump(&[0x0f, 0x80 | opcode & 0x0f], target);
            }
        }
    }

    /// A jump to the clone of what is at `target` in the file, or to that itself.
    fn jump(&mut self, opcode: &[u8], target: u64) {
        self.code.put(opcode);
        self.fixups.push(Fixup { at: self.code.offset(), target });
        self.code.put(&[0; 4]);
    }

    /// Lets the original instruction make the call if it is still there. Otherwise the return address is pushed here.
    fn call(&mut self, instruction: &Instruction, text: &Text) {
        if text.is_kept(instruction.ip()) {
            self.code.put_jump(&JUMP, instruction.ip().wrapping_add(self.placement.bias));
            return;
        }
        let return_address = instruction.next_ip().wrapping_add(self.placement.bias);
        self.code.put(&[PUSH_IMMEDIATE]);
        self.code.put(&(return_address as u32).to_le_bytes());
        // The immediate was sign-extended.
        if i32::try_from(return_address).is_err() {
            self.code.put(&STORE_HIGH_HALF);
            self.code.put(&((return_address >> 32) as u32).to_le_bytes());
        }
        match call_target(instruction) {
            Some(target) => self.jump(&JUMP, target),
            None => self.through_operand(instruction, GROUP_JUMP, size_of::<u64>() as i32),
        }
    }

    fn indirect_jump(&mut self, instruction: &Instruction, uses_red_zone: bool) {
        if uses_red_zone {
            self.code.put(&SKIP_RED_ZONE);
        }
        self.through_operand(instruction, GROUP_PUSH, if uses_red_zone { RED_ZONE } else { 0 });
        let routine = if uses_red_zone { self.translate.over_red_zone } else { self.translate.plain };
        self.code.put_jump(&JUMP, self.placement.base + u64::from(routine));
    }

    /// `jmp` or `push` with the operand of an indirect call or jump, the stack pointer being `shift` bytes lower.
    fn through_operand(&mut self, instruction: &Instruction, operation: u8, shift: i32) {
        if instruction.op0_kind() == iced_x86::OpKind::Register {
            let register = instruction.op0_register().number() as u8;
            if register >= 8 {
                self.code.put(&[0x41]);
            }
            self.code.put(&[GROUP, 0xc0 | operation << 3 | register & 7]);
        } else {
            let operand = Operand::explicit(instruction, self.placement.bias);
            self.code.put_with_operand(&operand, GROUP, operation, false, shift);
        }
    }

    /// Lets all jumps lead where they should, now that all clones are known.
    pub(super) fn connect(&mut self, text: &Text) {
        let Placement { bias, base } = self.placement;
        for Fixup { at, target } in std::mem::take(&mut self.fixups) {
            let address = match text.clone_of(target) {
                Some(offset) => base + u64::from(offset),
                None => target.wrapping_add(bias),
            };
            self.code.set_distance(at as usize, 4, address);
        }
    }
}

/// Not a call or jump through memory, which are made anew.
fn is_plain(instruction: &Instruction) -> bool {
    !matches!(instruction.code(), Opcode::Call_rm64 | Opcode::Jmp_rm64)
}

/// The accesses of one instruction, the reading one first, with the second one marked as such.
fn in_order(sites: &[Site]) -> impl Iterator<Item = (&Site, bool)> {
    let is_reversed = sites.len() == 2 && sites[0].kind != AccessKind::Read;
    let count = sites.len();
    (0..count).map(move |index| (&sites[if is_reversed { count - 1 - index } else { index }], index > 0))
}
