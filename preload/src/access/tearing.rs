//! Accesses that the processor may carry out in several steps.
//!
//! What is atomic on x86-64 is up to eight bytes within a cache line, and sixteen bytes at a multiple of sixteen in a
//! vector register: the ten bytes of a `long double` are not. Anything else may be torn: at the end of a cache line,
//! and where more than that is accessed, into parts of these sizes. Each part is a step of its own if it belongs to a
//! communication variable, in an [order](super::order) that nobody promises.
//!
//! The instruction can not be carried out in parts. But what it reads can be put together from parts before, and put in
//! place of what is there while it is carried out; and of what it has written all but the first part can be taken back
//! after, and be put in place part by part. So that there is an "after", the processor steps through the end of the
//! hook and the instruction, and the signal leads to a stub that is like those before accesses.

use super::clocks::Own;
use super::locations::Location;
use super::order::{self, Parts};
use super::point::{self, Place};
use super::{copy_bytes, saving};
use crate::checkpoint::Tape;
use crate::world;
use core::cell::Cell;
use rscale_protocol::region::SiteKind;

const CACHE_LINE: u64 = 64;
const ATOMIC: u64 = 8;
const ATOMIC_IF_ALIGNED: u64 = 16;
/// The largest access that is torn here: larger ones save or restore the whole state of the processor.
const WIDEST: usize = 64;
/// The flag that makes the processor stop after each instruction.
pub const TRAP_FLAG: u64 = 1 << 8;
/// What functions may keep below their stack pointer.
const RED_ZONE: u64 = 128;

type Bytes = [u8; WIDEST];

/// An access of which the instruction is about to be carried out.
#[derive(Clone, Copy)]
struct Pending {
    /// Whether there is one.
    is_some: bool,
    kind: SiteKind,
    range: Location,
    pc: u64,
    /// Where the instruction is, in the clone.
    instruction: u64,
    is_reached: bool,
    /// What would be in memory without it.
    current: Bytes,
    /// What it writes, and when.
    writes: Parts,
}

impl Pending {
    const NONE: Pending = Pending {
        is_some: false,
        kind: SiteKind::Read,
        range: Location { start: 0, length: 0 },
        pc: 0,
        instruction: 0,
        is_reached: false,
        current: [0; WIDEST],
        writes: Parts::NONE,
    };
}

static PENDING: Own<Pending> = Own(Cell::new(Pending::NONE));
/// Whether the stub is to let the processor step. It takes that back.
pub static STEPS: Own<bool> = Own(Cell::new(false));

/// An execution begins.
pub fn begin() {
    PENDING.0.set(Pending::NONE);
    STEPS.0.set(false);
}

/// Saves what is under way.
pub fn save(tape: &mut Tape) {
    tape.put((PENDING.0.get(), STEPS.0.get()));
}

/// Brings back what was under way.
pub fn bring_back(tape: &mut Tape) {
    let (pending, steps) = tape.take();
    PENDING.0.set(pending);
    STEPS.0.set(steps);
}

/// The parts of an access, from the lowest to the highest. Locked instructions have one.
pub fn parts(kind: SiteKind, range: Location) -> impl Iterator<Item = Location> {
    let is_whole = kind == SiteKind::Atomic || range.length > WIDEST as u64;
    let is_vector = range.length.is_multiple_of(ATOMIC_IF_ALIGNED);
    let is_aligned = range.start.is_multiple_of(ATOMIC_IF_ALIGNED);
    let size = if is_vector && is_aligned { ATOMIC_IF_ALIGNED } else { ATOMIC };
    let mut start = range.start;
    core::iter::from_fn(move || {
        let line_end = (start & !(CACHE_LINE - 1)).saturating_add(CACHE_LINE);
        // Counted from the start of the access: a part that ends at a cache line has a rest.
        let part_end = start.saturating_add(size - (start - range.start) % size);
        let end = if is_whole { range.end() } else { range.end().min(line_end).min(part_end) };
        let part = Location { start, length: end - start };
        start = end;
        (part.length > 0).then_some(part)
    })
}

/// Whether several parts of an access belong to communication variables, and others may see it half done.
pub fn is_torn(kind: SiteKind, range: Location) -> bool {
    parts(kind, range).filter(|&part| point::is_communication(part)).nth(1).is_some() && !world::get().is_alone()
}

/// The running thread is about to access a range that is torn, with the instruction at `instruction`: passes the points
/// of its reads and of its first write. The processor has to step from here on.
#[inline(never)]
pub fn before(kind: SiteKind, range: Location, pc: u64, instruction: u64, local: &dyn Fn() -> u64) {
    let mut seen = [0; WIDEST];
    if kind != SiteKind::Write {
        for (index, part) in Parts::of(kind, range, pc).iter().enumerate() {
            point::part(SiteKind::Read, part, place_in(range, part, pc), local);
            copy_bytes(part.start, address_in(&mut seen, range, part), part.length);
            if index == 0 {
                order::begun(false, range);
            }
        }
    }
    let mut writes = Parts::NONE;
    if kind != SiteKind::Read {
        writes = Parts::of(kind, range, pc);
        for first in writes.iter().take(1) {
            point::part(SiteKind::Write, first, place_of_write(range, first, pc), local);
            order::begun(true, range);
        }
    }
    let mut current = [0; WIDEST];
    copy_bytes(range.start, address_in(&mut current, range, range), range.length);
    if kind != SiteKind::Write {
        put(&mut seen, range);
    }
    PENDING.0.set(Pending { is_some: true, kind, range, pc, instruction, is_reached: false, current, writes });
}

/// The processor has stepped: leads to the stub once the instruction has been carried out. False if no access is torn.
pub fn on_step(context: &mut libc::ucontext_t) -> bool {
    let mut pending = PENDING.0.get();
    if !pending.is_some {
        return false;
    }
    let registers = &mut context.uc_mcontext.gregs;
    let pc = registers[libc::REG_RIP as usize] as u64;
    if pending.is_reached && pc != pending.instruction {
        let stack = registers[libc::REG_RSP as usize] as u64 - RED_ZONE - size_of::<u64>() as u64;
        // SAFETY: the thread's own stack, below what it uses.
        unsafe { *(stack as *mut u64) = pc };
        registers[libc::REG_RSP as usize] = stack as i64;
        registers[libc::REG_RIP as usize] = saving::after() as i64;
        registers[libc::REG_EFL as usize] &= !(TRAP_FLAG as i64);
    }
    pending.is_reached |= pc == pending.instruction;
    PENDING.0.set(pending);
    true
}

/// The instruction has faulted, and the program handles that: it begins anew, if it does.
pub fn give_up(context: &mut libc::ucontext_t) {
    let Pending { is_some, kind, range, mut current, .. } = PENDING.0.replace(Pending::NONE);
    if is_some {
        context.uc_mcontext.gregs[libc::REG_EFL as usize] &= !(TRAP_FLAG as i64);
        if kind != SiteKind::Write {
            put(&mut current, range);
        }
    }
}

/// Makes memory hold these bytes. What it holds already is not written: it may be protected.
fn put(bytes: &mut Bytes, range: Location) {
    let mut there = *bytes;
    copy_bytes(range.start, address_in(&mut there, range, range), range.length);
    if there != *bytes {
        copy_bytes(address_in(bytes, range, range), range.start, range.length);
    }
}

/// Where the thread is that has carried out a torn access.
pub fn pending_pc() -> u64 {
    PENDING.0.get().pc
}

/// The instruction has been carried out: passes the points of its other writes. Returns behind the last one.
pub fn after(local: &dyn Fn() -> u64) {
    let Pending { kind, range, pc, mut current, writes, .. } = PENDING.0.replace(Pending::NONE);
    let mut new = [0; WIDEST];
    copy_bytes(range.start, address_in(&mut new, range, range), range.length);
    put(&mut current, range);
    if kind == SiteKind::Read {
        return;
    }
    for (index, part) in writes.iter().enumerate() {
        if index > 0 {
            point::part(SiteKind::Write, part, place_of_write(range, part, pc), local);
        }
        copy_bytes(address_in(&mut new, range, part), part.start, part.length);
    }
}

/// The place of a part of a torn access that is read.
fn place_in(range: Location, part: Location, pc: u64) -> Place {
    Place { pc, part: part.start - range.start, is_torn: true }
}

/// The same for one that is written: an instruction may do both.
fn place_of_write(range: Location, part: Location, pc: u64) -> Place {
    Place { part: WIDEST as u64 + (part.start - range.start), ..place_in(range, part, pc) }
}

/// Where the bytes of a part are kept.
fn address_in(bytes: &mut Bytes, range: Location, part: Location) -> u64 {
    bytes.as_mut_ptr() as u64 + (part.start - range.start)
}
