//! Scheduling points at accesses to communication variables.

use super::clocks;
use super::detect::{self, Kind};
use super::library::Here;
use super::locations::{self, Location};
use super::shadow::{FOR_EVER, Granule};
use super::spin::Look;
use super::{careful, copy_bytes, freed, order, spin, vectors};
use crate::syscalls::signals;
use crate::{buffer, evaluation, finish, gate, sched, world};
use rscale_protocol::region::SiteKind;
use rscale_protocol::{Action, Ending, Extent, Op, Variable};

/// The largest access of one instruction that is split into a read and a write.
const WIDEST: usize = 64;

/// Whether some of the bytes belong to a communication variable.
pub fn is_communication(range: Location) -> bool {
    range.granules().any(|address| {
        let word = Granule::of(address).written();
        word.clock() == FOR_EVER
            && word
                .as_record()
                .is_some_and(|number| super::records::get(number).communication() & range.bytes_in(address) != 0)
    })
}

/// Whether the bytes lie in one granule and all belong to communication variables that are not freed: then there is no
/// race to look for.
fn is_nothing_else(range: Location) -> bool {
    let (word, bytes) = (Granule::of(range.start).written(), range.bytes_in(range.start));
    let record = word.as_record().filter(|_| word.clock() == FOR_EVER).map(super::records::get);
    record.is_some_and(|record| {
        u64::from(bytes.count_ones()) == range.length
            && bytes & !record.communication() == 0
            && record.freed() & bytes == 0
    })
}

/// A communication variable, and which bytes of it are accessed.
#[derive(Clone, Copy)]
pub struct Touched {
    pub location: Location,
    pub extent: Extent,
}

impl Location {
    /// As what a range touches; it does.
    pub fn touched(self, range: Location) -> Touched {
        let common = self.common(range);
        Touched { location: self, extent: Extent::new(common.start - self.start, common.length) }
    }
}

/// Where an instruction of the program accesses memory.
#[derive(Clone, Copy)]
pub struct Place {
    /// The address behind the instruction.
    pub pc: u64,
    /// Which of its accesses it is, if they are steps of their own.
    pub part: u64,
    /// Whether they are the parts of a torn access.
    pub is_torn: bool,
}

impl Place {
    /// Of an instruction whose access is one step.
    pub fn whole(pc: u64) -> Place {
        Place { pc, part: 0, is_torn: false }
    }

    /// Differs from that of any other access: a thread that comes back to it has come round.
    fn key(self) -> u64 {
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        self.pc ^ self.part.wrapping_mul(ODD)
    }
}

/// The running thread is about to access a range in one go: passes its scheduling point, if it has one, and looks for
/// races. `local` is a hash of the thread's local state.
pub fn part(kind: SiteKind, range: Location, place: Place, local: &dyn Fn() -> u64) {
    if is_communication(range) {
        instruction(kind, range, place, local);
        if is_nothing_else(range) {
            return;
        }
    } else if kind != SiteKind::Read {
        spin::note_write(range.start);
    }
    let kind = if kind == SiteKind::Read { Kind::Read } else { Kind::Write };
    detect::instruction(kind, range);
    freed::check(kind, range);
}

/// An access to communication variables.
fn instruction(kind: SiteKind, range: Location, place: Place, local: &dyn Fn() -> u64) {
    let mut touched = locations::touched_by(range);
    let Some(location) = touched.next() else { return };
    if let Some(last) = touched.last() {
        // One step can not work on two variables: they have to become one.
        detect::report(Location { start: location.start, length: last.end() - location.start });
    }
    let touched = location.touched(range);
    let pass = |op| pass(op, 0, touched, place.pc);
    let write = || match buffer::takes(range) {
        true if faults_first(range) => {}
        true => buffer::issue(range, location, place.pc),
        false => pass(Op::Write),
    };
    buffer::set_reads(Some(range));
    let read = |op| {
        if world::get().is_alone() {
            return;
        }
        let look = spin::look(op, location.start, place.key(), local);
        let is_step = look != Look::Loose;
        if is_step {
            self::pass(op, look.flags(), touched, place.pc);
        }
        if op == Op::AtomicUpdate {
            spin::updates(range, location, is_step);
        }
    };
    match kind {
        SiteKind::Read => read(Op::Read),
        SiteKind::Write => write(),
        SiteKind::Atomic => read(Op::AtomicUpdate),
        SiteKind::Update => update(range, || pass(Op::Read), write),
        SiteKind::Fence => {}
    }
    buffer::set_reads(None);
    if !place.is_torn {
        order::met(kind != SiteKind::Read, range, false);
    }
}

/// The instruction reads and then writes, and others may come between: what it has read is put back before it goes on,
/// so that it computes from that.
#[inline(never)]
fn update(range: Location, read: impl Fn(), write: impl Fn()) {
    let mut seen = [0u8; WIDEST];
    let (bytes, length) = (seen.as_mut_ptr() as u64, range.length.min(WIDEST as u64));
    read();
    copy_bytes(range.start, bytes, length);
    write();
    if !faults_first(range) {
        // Nobody else runs before the instruction does.
        copy_bytes(bytes, range.start, length);
    }
}

/// Whether the instruction that writes these bytes can not yet: the program handles the fault, and the instruction begins
/// anew behind that, with its points.
fn faults_first(range: Location) -> bool {
    signals::are_faults_handled() && !careful::is_writable(range.start, range.length)
}

/// Passes the points of all communication variables in a range, which is accessed at once behind them. Whether there
/// were some: others may have run.
pub fn points(kind: Kind, range: Location, here: Here) -> bool {
    if !is_communication(range) {
        return false;
    }
    let each = || locations::touched_by(range).for_each(|location| one(kind, location.touched(range), here));
    here.at_once(locations::touched_by(range).take(2).count(), each);
    true
}

/// Passes the point of a read or write of one communication variable.
pub fn one(kind: Kind, touched: Touched, here: Here) {
    let location = touched.location;
    if kind == Kind::Read {
        spin::also_reads(location);
    }
    buffer::set_reads(Some(location));
    pass(if kind == Kind::Read { Op::Read } else { Op::Write }, here.flags, touched, here.pc);
    buffer::set_reads(None);
    let accessed = touched.extent.bytes().map(|(offset, length)| Location { start: location.start + offset, length });
    order::met(kind == Kind::Write, accessed.unwrap_or(location), false);
}

/// The thread has made very many accesses without a step. If it waits for another thread in a loop, that one must run.
pub fn long_run(pc: u64, local: impl FnOnce() -> u64) {
    if world::get().is_alone() {
        return clocks::BUDGET.0.set(i64::MAX);
    }
    if detect::has_found() && world::get().new_steps.get() > 0 {
        // The search begins anew in any case, and then sees what this thread may be waiting for.
        finish::end(Ending::StepBudget, world::get().steps.get());
    }
    let left = match spin::long_run(pc, local) {
        spin::Verdict::Works => clocks::LONG_RUN,
        spin::Verdict::Suspicious => 0,
        spin::Verdict::LetOthersRun => {
            let flags = if spin::is_waiting(world::get().current.get()) { Action::WAITING } else { 0 };
            if flags == 0 && sched::only_computes() {
                // To look at it takes a while.
                return clocks::BUDGET.0.set(4 * clocks::LONG_RUN);
            }
            let nothing = Location { start: 0, length: 0 };
            pass(Op::Preempt, flags, nothing.touched(nothing), pc);
            return;
        }
    };
    clocks::BUDGET.0.set(left);
}

fn pass(op: Op, flags: u8, touched: Touched, pc: u64) {
    let thread = world::get().current.get();
    let Touched { location, extent } = touched;
    let count = location.length as u32;
    let action = Action { flags, count, pc, extent, ..Action::new(thread, op, Variable(location.start)) };
    evaluation::check_alone(&action);
    vectors::kept(|| {
        gate::pass(action);
    });
    if op == Op::Write {
        spin::written(location.start, thread);
    }
}
