//! The code before a cloned instruction that tells the shim about its access.
//!
//! There are two conventions. The fast one is for what nearly all accesses are: a few bytes at an address that one
//! instruction computes. Its stub has the address in RCX and may change RAX, RCX and the flags, nothing else. The
//! general one leaves everything to its stub, which finds the registers as the instruction will, except for RCX and the
//! stack pointer.

use std::mem::offset_of;

use iced_x86::{Instruction, Mnemonic};
use rscale_protocol::region::{self, FENCE_SLOT, GENERAL_SLOT, Header, SiteKind, SiteShape};

use super::code::Code;
use super::operand::{Operand, Operands};
use crate::code::sites::{AccessKind, Shape, Site};

/// What a function may keep below its stack pointer.
pub(super) const RED_ZONE: i32 = 128;
/// `lea rsp,[rsp-128]`, which leaves the flags alone.
pub(super) const SKIP_RED_ZONE: [u8; 5] = [0x48, 0x8d, 0x64, 0x24, 0x80];
pub(super) const UNSKIP_RED_ZONE: [u8; 8] = [0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0];
pub(super) const PUSH_RAX: u8 = 0x50;
pub(super) const PUSH_RCX: u8 = 0x51;
pub(super) const POP_RAX: u8 = 0x58;
pub(super) const POP_RCX: u8 = 0x59;
/// `lahf; seto al; push rax`
pub(super) const SAVE_FLAGS: [u8; 5] = [0x9f, 0x0f, 0x90, 0xc0, PUSH_RAX];
/// `pop rax; add al,0x7f; sahf`: the addition overflows if AL is 1.
pub(super) const RESTORE_FLAGS: [u8; 4] = [POP_RAX, 0x04, 0x7f, 0x9e];
/// `add rcx,fs:[0]`
const ADD_THREAD_BASE: [u8; 9] = [0x64, 0x48, 0x03, 0x0c, 0x25, 0, 0, 0, 0];
/// `push rax; mov rax,fs:[0]; lea rcx,[rcx+rax]; pop rax`: the same without flags.
const ADD_THREAD_BASE_QUIETLY: [u8; 15] =
    [PUSH_RAX, 0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0, 0x48, 0x8d, 0x0c, 0x01, POP_RAX];
/// `movzx ecx,al; lea rcx,[rbx+rcx]`
const TRANSLATION_ADDRESS: [u8; 7] = [0x0f, 0xb6, 0xc8, 0x48, 0x8d, 0x0c, 0x0b];
const JUMP_SHORT: u8 = 0xeb;
const CALL_SLOT: [u8; 2] = [0xff, 0x15];

/// Accesses in a row that are not counted: a long loop body is to come to its end not much later than others.
pub(super) const MOST_UNCOUNTED: u8 = 3;

/// What all hooks of one instruction have in common, and where they go.
pub(super) struct Hooks<'a> {
    pub(super) instruction: &'a Instruction,
    pub(super) uses_red_zone: bool,
    pub(super) bias: u64,
    /// Where the region will be.
    pub(super) base: u64,
    pub(super) code: &'a mut Code,
    pub(super) records: &'a mut Vec<region::Site>,
    /// How many accesses have not been counted since one was that this one always follows, if there is one.
    pub(super) since_counted: &'a mut Option<u8>,
}

/// An access whose address can not be told in advance.
pub(super) struct NotHooked;

/// What a fast hook puts into RCX.
enum Address {
    /// Nothing.
    None,
    /// That of an operand.
    Of(Operand),
    /// That of RBX and AL.
    Translation,
}

impl Hooks<'_> {
    /// Hooks one access; `is_second` for that of two which comes last.
    pub(super) fn put(&mut self, site: &Site, is_second: bool) -> Result<(), NotHooked> {
        if site.shape == Shape::Repeated {
            return self.put_string(site);
        }
        if site.kind == AccessKind::Fence {
            self.put_fast(site, FENCE_SLOT, &Address::None);
            return Ok(());
        }
        if matches!(site.shape, Shape::Gathered | Shape::Masked) {
            return self.put_lanes(site);
        }
        let is_plain = matches!(site.shape, Shape::Word | Shape::Wide { .. });
        let slot = region::slot(kind(site.kind), site.size).filter(|_| is_plain);
        let operand = match Operands::of(self.instruction, self.bias) {
            Operands::Unknown => return Err(NotHooked),
            Operands::Translation => {
                self.put_fast(site, slot.ok_or(NotHooked)?, &Address::Translation);
                return Ok(());
            }
            // Only `movdir64b` and relatives name one operand and access two.
            Operands::Explicit(_) if is_second => return Err(NotHooked),
            Operands::Explicit(operand) => operand,
            Operands::String { source, destination } => source.or(destination).ok_or(NotHooked)?,
        };
        match slot {
            Some(slot) => {
                let slot = self.counted_seldom(slot);
                self.put_fast(site, slot, &Address::Of(operand));
            }
            None => self.put_general(site, &operand),
        }
        Ok(())
    }

    /// Hooks all of a string instruction. Its stub may carry it out in pieces and then returns to where it is passed
    /// over.
    pub(super) fn put_string(&mut self, site: &Site) -> Result<(), NotHooked> {
        let form = string_form(self.instruction).ok_or(NotHooked)?;
        let Operands::String { source, destination } = Operands::of(self.instruction, self.bias) else {
            return Err(NotHooked);
        };
        let operand = source.or(destination).ok_or(NotHooked)?;
        let narrow = if operand.is_narrow { region::Site::NARROW } else { 0 };
        self.put_replaceable(site, SiteShape::String, &operand, 0, form | narrow);
        Ok(())
    }

    /// Hooks an instruction that accesses memory lane by lane. Its stub may carry it out, too.
    fn put_lanes(&mut self, site: &Site) -> Result<(), NotHooked> {
        let (lanes, operand) = super::lanes::of(self.instruction, self.bias).ok_or(NotHooked)?;
        let (size, register, string) = lanes.packed();
        self.put_replaceable(&Site { size, ..*site }, SiteShape::Lanes, &operand, register, string);
        Ok(())
    }

    /// A hook with two endings: the second one passes over the instruction.
    fn put_replaceable(&mut self, site: &Site, shape: SiteShape, operand: &Operand, register: u8, string: u8) {
        self.begin_general(operand);
        self.record(site, shape, region::Site::GENERAL, register, string);
        let start = self.code.offset();
        self.end_general();
        self.code.put(&[JUMP_SHORT, 0]);
        let length = (self.code.offset() - start) as u8;
        // Over the second ending, which is as long as this one.
        self.code.bytes[(start + u32::from(length)) as usize - 1] = length;
        self.end_general();
        self.code.put(&[JUMP_SHORT, self.instruction.len() as u8]);
    }

    fn put_fast(&mut self, site: &Site, slot: usize, address: &Address) {
        self.skip_red_zone();
        self.code.put(&[PUSH_RAX, PUSH_RCX]);
        match address {
            Address::None => {}
            Address::Of(operand) => self.code.put_address(operand, self.shift(16)),
            Address::Translation => self.code.put(&TRANSLATION_ADDRESS),
        }
        if site.flags_live {
            self.code.put(&SAVE_FLAGS);
        }
        if matches!(address, Address::Of(operand) if operand.is_thread_local()) {
            self.code.put(&ADD_THREAD_BASE);
        }
        self.call(slot);
        let flags = if site.flags_live { region::Site::FLAGS_SAVED } else { 0 };
        self.record(site, SiteShape::Plain, flags, 0, 0);
        if site.flags_live {
            self.code.put(&RESTORE_FLAGS);
        }
        self.code.put(&[POP_RCX, POP_RAX]);
        self.unskip_red_zone();
    }

    /// The slot for a plain access, which counts unless one shortly before did.
    fn counted_seldom(&mut self, slot: usize) -> usize {
        let others = self.since_counted.map(|others| others + 1).filter(|others| *others <= MOST_UNCOUNTED);
        let uncounted = others.and_then(|_| region::uncounted(slot));
        *self.since_counted = Some(if uncounted.is_some() { others.unwrap_or(0) } else { 0 });
        uncounted.unwrap_or(slot)
    }

    fn put_general(&mut self, site: &Site, operand: &Operand) {
        self.begin_general(operand);
        let register = match site.shape {
            Shape::BitIndexed => self.instruction.op1_register().number() as u8,
            _ => 0,
        };
        self.record(site, shape(site.shape), region::Site::GENERAL, register, 0);
        self.end_general();
    }

    fn begin_general(&mut self, operand: &Operand) {
        self.skip_red_zone();
        self.code.put(&[PUSH_RCX]);
        self.code.put_address(operand, self.shift(8));
        if operand.is_thread_local() {
            self.code.put(&ADD_THREAD_BASE_QUIETLY);
        }
        self.call(GENERAL_SLOT);
    }

    fn end_general(&mut self) {
        self.code.put(&[POP_RCX]);
        self.unskip_red_zone();
    }

    fn call(&mut self, slot: usize) {
        let address = self.base + (offset_of!(Header, slots) + slot * size_of::<u64>()) as u64;
        self.code.put_jump(&CALL_SLOT, address);
    }

    /// How far the stack pointer is below that of the instruction when `pushed` bytes were. A `pop` computes its
    /// address with the stack pointer that it leaves behind.
    fn shift(&self, pushed: i32) -> i32 {
        let popped = match self.instruction.mnemonic() {
            Mnemonic::Pop => self.instruction.stack_pointer_increment(),
            _ => 0,
        };
        pushed + popped + if self.uses_red_zone { RED_ZONE } else { 0 }
    }

    fn skip_red_zone(&mut self) {
        if self.uses_red_zone {
            self.code.put(&SKIP_RED_ZONE);
        }
    }

    fn unskip_red_zone(&mut self) {
        if self.uses_red_zone {
            self.code.put(&UNSKIP_RED_ZONE);
        }
    }

    /// Notes the hook whose call was just put.
    fn record(&mut self, site: &Site, shape: SiteShape, flags: u8, register: u8, string: u8) {
        let red_zone = if self.uses_red_zone { region::Site::RED_ZONE } else { 0 };
        self.records.push(region::Site {
            returns_to: self.code.offset(),
            original_end: self.instruction.next_ip() as u32,
            kind: kind(site.kind) as u8,
            shape: shape as u8,
            size: site.size,
            flags: flags | red_zone,
            register,
            length: site.length,
            string,
        });
    }
}

/// What a string instruction does, if it is one of those that need no privilege.
fn string_form(instruction: &Instruction) -> Option<u8> {
    use Mnemonic as M;
    use region::Site as S;
    let what = match instruction.mnemonic() {
        _ if !instruction.is_string_instruction() => return None,
        M::Movsb | M::Movsw | M::Movsd | M::Movsq => S::READS_SOURCE | S::WRITES_TARGET,
        M::Stosb | M::Stosw | M::Stosd | M::Stosq => S::WRITES_TARGET,
        M::Lodsb | M::Lodsw | M::Lodsd | M::Lodsq => S::READS_SOURCE,
        M::Scasb | M::Scasw | M::Scasd | M::Scasq => S::COMPARES,
        M::Cmpsb | M::Cmpsw | M::Cmpsd | M::Cmpsq => S::READS_SOURCE | S::COMPARES,
        _ => return None,
    };
    let is_until_equal = instruction.has_repne_prefix();
    let repeated = if is_until_equal || instruction.has_rep_prefix() { S::REPEATED } else { 0 };
    Some(what | repeated | if is_until_equal { 0 } else { S::WHILE_EQUAL })
}

fn kind(kind: AccessKind) -> SiteKind {
    match kind {
        AccessKind::Read => SiteKind::Read,
        AccessKind::Write => SiteKind::Write,
        AccessKind::Update => SiteKind::Update,
        AccessKind::Atomic => SiteKind::Atomic,
        AccessKind::Fence => SiteKind::Fence,
    }
}

fn shape(shape: Shape) -> SiteShape {
    match shape {
        Shape::Word | Shape::Wide { .. } => SiteShape::Plain,
        Shape::Gathered | Shape::Masked => SiteShape::Lanes,
        Shape::Repeated => SiteShape::String,
        Shape::BitIndexed => SiteShape::BitIndexed,
        Shape::Unbounded => SiteShape::Unbounded,
    }
}
