//! Clones functions, instruction by instruction.
//!
//! Most instructions are copied as they are. Operands relative to the instruction pointer are adjusted to mean the same
//! original address: a function pointer stays what it was. All branches get their widest form, so that the place of
//! each clone is known when it is made; where they lead is filled in when all clones are.

use iced_x86::{Code as Opcode, ConstantOffsets, Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic};
use rscale_protocol::region;

use super::code::Code;
use super::hooks::{Hooks, NotHooked, RED_ZONE, SKIP_RED_ZONE};
use super::operand::Operand;
use super::plan::{Placement, Unhooked};
use super::prefetch;
use super::text::Text;
use super::translate::Routines;
use crate::code::decode::{call_target, is_call, jump_target};
use crate::code::sites::{OperandClass, Site};
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
        let mut prefetches = surveyed.prefetches.iter().peekable();
        let uses_red_zone = surveyed.uses_red_zone;
        // Where a computed jump leads to is not known.
        let may_be_uncounted = surveyed.indirect_jumps == 0;
        let mut since_counted = None;
        while decoder.can_decode() {
            let position = decoder.position();
            decoder.decode_out(&mut instruction);
            let offset = self.code.offset();
            self.origins.push((offset, instruction.ip() as u32));
            text.set_clone(instruction.ip(), offset);
            let count = sites.iter().take_while(|site| site.address == instruction.ip()).count();
            since_counted = since_counted.filter(|_| may_be_uncounted && !text.is_arrival(instruction.ip()));
            self.hook(surveyed, &instruction, &sites[..count], &mut since_counted);
            sites = &sites[count..];
            if let Some(prefetch) = prefetches.next_if(|prefetch| prefetch.address == instruction.ip()) {
                let operand = Operand::explicit(&instruction, self.placement.bias);
                prefetch::put(&mut self.code, &operand, prefetch.flags_live, uses_red_zone);
            }
            since_counted = since_counted.filter(|_| goes_on(&instruction));
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

    fn hook(&mut self, surveyed: &Surveyed, instruction: &Instruction, sites: &[Site], since_counted: &mut Option<u8>) {
        let Placement { bias, base } = self.placement;
        let (code, records, uses_red_zone) = (&mut self.code, &mut self.sites, surveyed.uses_red_zone);
        let mut hooks = Hooks { instruction, uses_red_zone, bias, base, code, records, since_counted };
        let is_hooked = |site: &Site| match site.class {
            OperandClass::Shared => true,
            OperandClass::ThreadLocal => self.hooks_thread_local,
            OperandClass::OwnStack | OperandClass::Constant => false,
        };
        // An instruction that accesses two places is one of the strings' kind, and has one hook.
        let is_pair = sites.len() == 2 && sites.iter().any(is_hooked);
        if is_pair && hooks.put_string(&sites[0]).is_ok() {
            return;
        }
        for (index, site) in sites.iter().enumerate() {
            if is_hooked(site)
                && let Err(NotHooked) = hooks.put(site, index > 0)
            {
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

/// Whether the next instruction may be executed after this one, with nothing of any other function between.
fn goes_on(instruction: &Instruction) -> bool {
    matches!(instruction.flow_control(), FlowControl::Next | FlowControl::ConditionalBranch)
}

/// Not a call or jump through memory, which are made anew.
fn is_plain(instruction: &Instruction) -> bool {
    !matches!(instruction.code(), Opcode::Call_rm64 | Opcode::Jmp_rm64)
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::super::text::{KEPT, TextArea};
    use super::*;
    use crate::code::functions::{Function, Origin, Role};
    use crate::code::sites::{AccessKind, Shape};

    const START: u64 = 0x1000;
    const PLACE: Placement = Placement { bias: 0x5000_0000, base: 0x4000_0000 };

    /// The clone of some code with the calls at these offsets in place, decoded.
    fn cloned(bytes: &[u8], kept: &[u64]) -> Vec<Instruction> {
        cloned_with(bytes, kept, Vec::new(), 0)
    }

    /// The same with hooks, in a function with so many computed jumps.
    fn cloned_with(bytes: &[u8], kept: &[u64], sites: Vec<Site>, indirect_jumps: u32) -> Vec<Instruction> {
        let range = START..START + bytes.len() as u64;
        let area = TextArea { range: range.clone(), marks: vec![0; bytes.len()], table: vec![0; bytes.len()] };
        let mut text = Text { areas: vec![area], calls: Vec::new(), targets: Vec::new() };
        kept.iter().for_each(|offset| text.mark(START + offset..START + offset + 1, KEPT));
        let found = Decoder::with_ip(64, bytes, START, DecoderOptions::NONE);
        text.targets = found.into_iter().filter_map(|one| jump_target(&one)).collect();
        let (names, role, origin) = (Vec::new(), Role::Program, Origin::Symbol);
        let surveyed = Surveyed {
            function: Function { range, names, role, origin, is_part: false },
            sites,
            prefetches: Vec::new(),
            callees: Vec::new(),
            indirect_jumps,
            leaving_jumps: 0,
            falls_through: false,
            is_leaf: true,
            uses_red_zone: false,
            takes_stack_address: false,
        };
        let mut code = Code::new(PLACE.base, 0);
        code.put(&[0; 16]);
        let mut clones = Clones::new(code, PLACE, Routines { plain: 0, over_red_zone: 8 }, false);
        clones.add(&surveyed, bytes, &mut text);
        clones.connect(&text);
        assert!(!clones.code.is_too_far());
        let bytes = &clones.code.bytes[16..];
        Decoder::with_ip(64, bytes, PLACE.base + 16, DecoderOptions::NONE).iter().collect()
    }

    fn targets(instructions: &[Instruction]) -> Vec<u64> {
        instructions.iter().filter(|one| one.near_branch_target() != 0).map(Instruction::near_branch_target).collect()
    }

    #[test]
    fn branches_lead_to_clones_and_elsewhere() {
        // je self; jmp far away; jrcxz self; nop
        let found = cloned(&[0x74, 0xfe, 0xe9, 0, 0x10, 0, 0, 0xe3, 0xf7, 0x90], &[]);
        assert_eq!(found[0].code(), Opcode::Je_rel32_64);
        let (start, behind) = (PLACE.base + 16, PLACE.base + 16 + 11);
        // The last but one jumps over the last.
        let expected = [start, PLACE.bias + START + 0x1007, behind + 4, behind + 9, start];
        assert_eq!(targets(&found), expected);
        assert_eq!(found.last().map(Instruction::mnemonic), Some(Mnemonic::Nop));
    }

    /// Which slots the hooks of reads of four bytes call, at these offsets.
    fn slots(bytes: &[u8], offsets: &[u64], indirect_jumps: u32) -> Vec<usize> {
        let read = |offset: &u64| Site {
            address: START + offset,
            length: 2,
            kind: AccessKind::Read,
            size: 4,
            class: OperandClass::Shared,
            shape: Shape::Word,
            flags_live: false,
        };
        let found = cloned_with(bytes, &[], offsets.iter().map(read).collect(), indirect_jumps);
        let first = PLACE.base + offset_of!(region::Header, slots) as u64;
        let calls = found.iter().filter(|one| one.code() == Opcode::Call_rm64);
        calls.map(|call| (call.ip_rel_memory_address() - first) as usize / size_of::<u64>()).collect()
    }

    #[test]
    fn of_accesses_that_follow_each_other_the_first_is_counted() {
        const LOAD: [u8; 2] = [0x8b, 0x07]; // mov eax,[rdi]
        let counted = region::slot(region::SiteKind::Read, 4).expect("a slot");
        let again = region::uncounted(counted).expect("another");
        let straight = [LOAD; 6].concat();
        let offsets = [0, 2, 4, 6, 8, 10];
        assert_eq!(slots(&straight, &offsets, 0), [counted, again, again, again, counted, again]);
        assert_eq!(slots(&straight, &offsets, 1), [counted; 6], "a computed jump may lead anywhere");
        // 0: mov; 2: mov; 4: jne 2; 6: mov; 8: jmp 8; 10: mov
        let looping = [&LOAD[..], &LOAD, &[0x75, 0xfc], &LOAD, &[0xeb, 0xfe], &LOAD].concat();
        assert_eq!(slots(&looping, &[0, 2, 6, 10], 0), [counted, counted, again, counted]);
        // mov; call; mov
        let calling = [&LOAD[..], &[0xe8, 0, 0, 0, 0], &LOAD].concat();
        assert_eq!(slots(&calling, &[0, 7], 0), [counted, counted]);
    }

    #[test]
    fn calls_stay_or_push_where_they_return_to() {
        let call = [0xe8, 0xfb, 0xff, 0xff, 0xff, 0xc3];
        assert_eq!(targets(&cloned(&call, &[0])), [PLACE.bias + START]);
        let pushed = cloned(&call, &[]);
        assert_eq!(pushed[0].immediate(0), PLACE.bias + START + 5);
        assert_eq!(targets(&pushed), [PLACE.base + 16], "its own clone");
        // call [rsp+8]
        let indirect = cloned(&[0xff, 0x54, 0x24, 0x08], &[]);
        assert_eq!(indirect[1].code(), Opcode::Jmp_rm64);
        assert_eq!(indirect[1].memory_displacement64(), 16);
    }

    #[test]
    fn relative_operands_mean_the_original() {
        // mov dword [rip+0x100],7; lea rax,[rip]
        let found = cloned(&[0xc7, 0x05, 0, 1, 0, 0, 7, 0, 0, 0, 0x48, 0x8d, 0x05, 0, 0, 0, 0], &[]);
        assert_eq!(found[0].ip_rel_memory_address(), PLACE.bias + START + 0x10a);
        assert_eq!(found[0].immediate32(), 7);
        assert_eq!(found[1].ip_rel_memory_address(), PLACE.bias + START + 17);
    }

    #[test]
    fn computed_jumps_go_through_the_routine() {
        let found = cloned(&[0x41, 0xff, 0xe3], &[]); // jmp r11
        assert_eq!((found[0].mnemonic(), found[0].op0_register()), (Mnemonic::Push, iced_x86::Register::R11));
        assert_eq!(targets(&found), [PLACE.base]);
    }
}
