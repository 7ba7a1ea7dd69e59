//! The slow path of the stubs: an access that the shadow alone can not dismiss.
//!
//! A thread waits for its turn in here, and what it has on its stack is saved and restored with it. So what few
//! accesses need is no part of the frames that all of them have: such functions are not inlined.

use super::detect::Kind;
use super::lanes::LaneInstruction;
use super::locations::Location;
use super::point::{self, Place};
use super::strings::{Progress, StringInstruction};
use super::{clocks, freed, hanging, local, region, saving, tearing, vectors};
use crate::{buffer, evaluation, finish};
use rscale_protocol::Ending;
use rscale_protocol::region::{FENCE_SLOT, GENERAL_SLOT, Lanes, Site, SiteKind, SiteShape, WIDTHS};

/// What the stubs save before they come here, from the lowest address on.
#[repr(C)]
pub struct Frame {
    /// What the hook has saved, for stack walks through the stub, as the next two.
    pub rax: u64,
    pub rcx: u64,
    /// Stack pointer and program counter of the original code.
    pub stack_pointer: u64,
    pub pc: u64,
    /// r15, r14, r13, r12, rbp, rbx, r11, r10, r9, r8, rdi, rsi.
    pub registers: [u64; 12],
    /// The address that is accessed.
    pub address: u64,
    pub slot: u64,
    pub rdx: u64,
    /// In the clone; for the general stub, in the stub.
    pub returns_to: u64,
}

/// What the general stub and its hook save above the frame.
#[repr(C)]
struct GeneralTail {
    flags: u64,
    rax: u64,
    returns_to: u64,
    rcx: u64,
}

const RSI: usize = 11;
const RDI: usize = 10;
const RED_ZONE: u64 = 128;
/// Bytes of vector registers that the stub saves.
const SAVED_VECTORS: u64 = 256;

/// The vector registers, without their upper halves.
type Lower = [[u8; 16]; 16];

/// Called by the stubs.
pub extern "C" fn slow_path(frame: &mut Frame) {
    if frame.slot as usize == saving::AFTER {
        return after(frame);
    }
    if frame.slot as usize == FENCE_SLOT {
        return fence(frame);
    }
    if clocks::BUDGET.0.get() < 0 {
        if evaluation::is_under_way() {
            return evaluated(frame);
        }
        if !super::is_on() {
            return clocks::BUDGET.0.set(i64::MAX);
        }
        let (site, _) = locate(frame);
        if hanging::is_to_end() {
            finish::end(Ending::Hang, 0);
        }
        point::long_run(region::original_end(site), || local_state(frame));
    }
    if !super::is_on() {
        return;
    }
    if frame.slot as usize == GENERAL_SLOT {
        return general(frame);
    }
    let kind = kind_of_slot(frame.slot);
    let range = Location { start: frame.address, length: 1 << (frame.slot as usize % WIDTHS) };
    plain(frame, kind, range);
}

/// An access of a function that is evaluated: nobody but the evaluation is to know of it.
#[inline(never)]
fn evaluated(frame: &mut Frame) {
    let (kind, range) = if frame.slot as usize == GENERAL_SLOT {
        let (site, tail) = locate(frame);
        let note = |kind, range| match kind {
            Kind::Read => evaluation::reads::note(range),
            Kind::Write => evaluation::reads::note_write(range),
        };
        if site.shape == SiteShape::String as u8 {
            // SAFETY: the tail of a general stub's frame.
            let instruction = string_instruction(frame, site, unsafe { &*tail });
            return instruction.for_each_access(note);
        }
        if site.shape == SiteShape::Lanes as u8 {
            let kind = if site_kind(site.kind) == SiteKind::Read { Kind::Read } else { Kind::Write };
            return lane_instruction(frame, site).for_each_access(|range| note(kind, range));
        }
        (site_kind(site.kind), general_range(frame, site, tail))
    } else {
        let width = frame.slot as usize % WIDTHS;
        (kind_of_slot(frame.slot), Location { start: frame.address, length: 1 << width })
    };
    if kind != SiteKind::Write {
        evaluation::reads::note(range);
    }
    if kind != SiteKind::Read {
        evaluation::reads::note_write(range);
    }
}

fn kind_of_slot(slot: u64) -> SiteKind {
    [SiteKind::Read, SiteKind::Write, SiteKind::Update, SiteKind::Atomic][slot as usize / WIDTHS]
}

/// An instruction that orders accesses. Only under weak memory it matters.
#[inline(never)]
fn fence(frame: &mut Frame) {
    let (site, _) = locate(frame);
    match site.size {
        Site::ORDERS_LOADS => {}
        strength => buffer::pass_fence(strength == Site::ORDERS_ALL, region::original_end(site)),
    }
}

/// An access of one instruction to a range that is known.
fn plain(frame: &mut Frame, kind: SiteKind, range: Location) {
    if kind == SiteKind::Atomic && buffer::is_on() {
        let (site, _) = locate(frame);
        buffer::pass_fence(true, region::original_end(site));
    }
    if !point::is_communication(range) {
        if freed::is_freed(range) {
            locate(frame); // the execution ends here, and its stack is looked at
        }
        return tearing::parts(kind, range).for_each(|part| point::part(kind, part, Place::whole(0), &|| 0));
    }
    let (site, tail) = locate(frame);
    let pc = region::original_end(site);
    if !tearing::is_torn(kind, range) {
        let place = Place::whole(pc);
        return tearing::parts(kind, range).for_each(|part| point::part(kind, part, place, &|| local_state(frame)));
    }
    let is_general = frame.slot as usize == GENERAL_SLOT;
    // SAFETY: the tail of a general stub's frame.
    let returns_to = if is_general { unsafe { (*tail).returns_to } } else { frame.returns_to };
    tearing::before(kind, range, pc, returns_to + site.rest(), &|| local_state(frame));
    if is_general {
        // SAFETY: as above; the stub takes the flags from there.
        unsafe { (*tail).flags |= tearing::TRAP_FLAG };
    } else {
        tearing::STEPS.0.set(true);
    }
}

/// A torn access has been carried out.
#[inline(never)]
fn after(frame: &mut Frame) {
    let end = (&raw const *frame as u64) + size_of::<Frame>() as u64;
    frame.stack_pointer = end + size_of::<GeneralTail>() as u64 + RED_ZONE;
    frame.pc = tearing::pending_pc();
    // SAFETY: the stub after a torn access has put these above the frame.
    let [_flags, rax, rcx] = unsafe { *(end as *const [u64; 3]) };
    (frame.rax, frame.rcx) = (rax, rcx);
    tearing::after(&|| local_state(frame));
}

/// An access whose extent takes more than its address to know.
#[inline(never)]
fn general(frame: &mut Frame) {
    let (site, tail) = locate(frame);
    if site.shape == SiteShape::String as u8 {
        return string(frame, site, tail);
    }
    if site.shape == SiteShape::Lanes as u8 {
        return lanes(frame, site, tail);
    }
    let range = general_range(frame, site, tail);
    plain(frame, site_kind(site.kind), range);
}

/// What an instruction accesses that is no string instruction.
fn general_range(frame: &Frame, site: &Site, tail: *mut GeneralTail) -> Location {
    let size = u64::from(site.size);
    if site.shape == SiteShape::Unbounded as u8 {
        return Location { start: frame.address, length: vectors::saved_bytes() };
    }
    if site.shape != SiteShape::BitIndexed as u8 {
        return Location { start: frame.address, length: size.max(1) };
    }
    let bit = register(frame, tail, site.register) as i64 >> 3;
    // Whole words of the operand's size are accessed.
    let offset = bit.div_euclid(size.max(1) as i64) * size as i64;
    Location { start: frame.address.wrapping_add_signed(offset), length: size }
}

/// The registers that a string instruction uses.
fn string_instruction(frame: &Frame, site: &Site, tail: &GeneralTail) -> StringInstruction {
    const DIRECTION: u64 = 1 << 10;
    let mask = address_mask(site);
    StringInstruction {
        form: site.string,
        source: frame.address,
        target: frame.registers[RDI] & mask,
        count: if site.string & Site::REPEATED != 0 { tail.rcx & mask } else { 1 },
        accumulator: tail.rax,
        flags: tail.flags,
        size: u64::from(site.size).clamp(1, 8),
        is_backward: tail.flags & DIRECTION != 0,
        done: 0,
    }
}

fn address_mask(site: &Site) -> u64 {
    const NARROW: u64 = u32::MAX as u64;
    if site.string & Site::NARROW != 0 { NARROW } else { u64::MAX }
}

/// A string instruction. If it was carried out, its registers are those behind it, and it is passed over.
fn string(frame: &mut Frame, site: &Site, tail: *mut GeneralTail) {
    let has = |what| site.string & what != 0;
    // SAFETY: the tail of a general stub's frame; nothing else refers to it.
    let tail = unsafe { &mut *tail };
    let mut instruction = string_instruction(frame, site, tail);
    let progress = instruction.run(region::original_end(site), &|| local_state(frame));
    if progress == Progress::None {
        return;
    }
    let distance = instruction.done.wrapping_mul(instruction.size);
    let distance = if instruction.is_backward { distance.wrapping_neg() } else { distance };
    let moved = |register: u64| register.wrapping_add(distance) & address_mask(site);
    if has(Site::READS_SOURCE) {
        frame.registers[RSI] = moved(frame.registers[RSI]);
    }
    if has(Site::COMPARES | Site::WRITES_TARGET) {
        frame.registers[RDI] = moved(frame.registers[RDI]);
    }
    if has(Site::REPEATED) {
        tail.rcx = instruction.count;
    }
    (tail.rax, tail.flags) = (instruction.accumulator, instruction.flags);
    if progress == Progress::Done {
        tail.returns_to += site.skip();
    }
}

fn lane_instruction(frame: &Frame, site: &Site) -> LaneInstruction {
    // SAFETY: the stub has saved the vector registers below the frame.
    let lower = unsafe { &*(vectors_below(frame) as *const Lower) };
    LaneInstruction::new(Lanes::of(site), site_kind(site.kind), frame.address, lower)
}

/// An instruction that accesses memory lane by lane. If it was carried out, it is passed over.
fn lanes(frame: &mut Frame, site: &Site, tail: *mut GeneralTail) {
    let mut instruction = lane_instruction(frame, site);
    let progress = instruction.run(region::original_end(site), &|| local_state(frame));
    if progress == Progress::None {
        return;
    }
    // SAFETY: as in `lane_instruction`; the stub takes them from there, and nothing else refers to them.
    instruction.leave(unsafe { &mut *(vectors_below(frame) as *mut Lower) });
    if progress == Progress::Done {
        // SAFETY: the tail of a general stub's frame.
        unsafe { (*tail).returns_to += site.skip() };
    }
}

fn site_kind(code: u8) -> SiteKind {
    match code {
        0 => SiteKind::Read,
        1 => SiteKind::Write,
        2 => SiteKind::Update,
        _ => SiteKind::Atomic,
    }
}

/// The value of a register by its number in instructions.
fn register(frame: &Frame, tail: *mut GeneralTail, number: u8) -> u64 {
    match number {
        // SAFETY: the tail of a general stub's frame.
        0 => unsafe { (*tail).rax },
        // SAFETY: as above.
        1 => unsafe { (*tail).rcx },
        2 => frame.rdx,
        3 => frame.registers[5],
        4 => frame.stack_pointer,
        5 => frame.registers[4],
        6 => frame.registers[RSI],
        7 => frame.registers[RDI],
        8..=11 => frame.registers[usize::from(17 - number)],
        _ => frame.registers[usize::from(15 - number)],
    }
}

/// Where the stub has saved the vector registers.
fn vectors_below(frame: &Frame) -> u64 {
    (&raw const *frame as u64 - SAVED_VECTORS) & !15
}

/// A hash of the registers and of everything above the frame: what the hook has pushed, and the thread's own stack.
fn local_state(frame: &Frame) -> u64 {
    let above = &raw const *frame as u64 + size_of::<Frame>() as u64;
    // SAFETY: the stub has saved the vector registers below the frame.
    let lower = unsafe { &*(vectors_below(frame) as *const [u64; SAVED_VECTORS as usize / 8]) };
    let hash = local::hashed(local::state(&frame.registers, above) ^ frame.rdx, lower);
    vectors::mixed_into(hash, local::mix)
}

/// The hook that led here; completes the frame with where the original code would be.
fn locate(frame: &mut Frame) -> (&'static Site, *mut GeneralTail) {
    let end = (&raw const *frame as u64) + size_of::<Frame>() as u64;
    let tail = end as *mut GeneralTail;
    let is_general = frame.slot as usize == GENERAL_SLOT;
    // SAFETY: the general stub has put its own things above the frame.
    let returns_to = if is_general { unsafe { (*tail).returns_to } } else { frame.returns_to };
    let site = region::site(returns_to);
    let has = |flag| u64::from(site.flags & flag != 0);
    let pushed = if is_general { size_of::<GeneralTail>() as u64 } else { 16 + 8 * has(Site::FLAGS_SAVED) };
    frame.stack_pointer = end + pushed + RED_ZONE * has(Site::RED_ZONE);
    frame.pc = region::original_end(site);
    (frame.rax, frame.rcx) = if is_general {
        // SAFETY: the tail of a general stub's frame.
        unsafe { ((*tail).rax, (*tail).rcx) }
    } else {
        // SAFETY: the hook has pushed both, and then the flags if they matter.
        let [rcx, rax] = unsafe { *((end + 8 * has(Site::FLAGS_SAVED)) as *const [u64; 2]) };
        (rax, rcx)
    };
    (site, tail)
}
