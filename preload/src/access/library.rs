//! Accesses of library functions and system calls, which are not instrumented: those who wrap them make them known.
//!
//! An access has two sides. At communication variables it passes scheduling points, before memory is touched; and it is
//! remembered for the detection of races. Most callers know the range beforehand and do both at once.

use super::clocks::BUDGET;
use super::detect::{self, Kind};
use super::locations::Location;
use super::{freed, point, spin, vast, vectors};
use crate::{evaluation, gate, section, world};
use rscale_protocol::Action;

/// A place in the program that called a library function or made a system call. Taken at the start: once another thread
/// has run, the gate knows the other one's.
#[derive(Clone, Copy)]
pub struct Here {
    pub(super) pc: u64,
    /// What the actions say beside that.
    pub(super) flags: u8,
}

/// What has become of an access.
#[derive(Clone, Copy, Default)]
struct Passed {
    /// Whether it was looked at: there was more to it than the shadow words show.
    is_seen: bool,
    /// Whether it was a scheduling point: other threads may have run.
    others_ran: bool,
}

impl Here {
    /// Where the wrapped function that runs was called.
    pub fn caller() -> Here {
        Here::at(gate::caller())
    }

    /// A known place.
    pub fn at(pc: u64) -> Here {
        Here { pc, flags: 0 }
    }

    /// The same place, for what libc itself protects.
    pub fn protected(self) -> Here {
        Here { flags: Action::PROTECTED, ..self }
    }

    /// Makes the gate name this place again, after code of the program has run.
    pub fn resume(self) {
        gate::set_caller(self.pc);
    }

    /// A range is about to be accessed. Returns whether other threads may have run.
    pub fn range(self, kind: Kind, start: u64, length: u64) -> bool {
        let range = Location { start, length };
        let passed = self.access(kind, range, detect::divisible);
        if passed.is_seen {
            freed::check(kind, range);
        }
        passed.others_ran
    }

    /// Something that is one thing to the library is about to be changed: wherever others come to it, all of it is one
    /// communication variable.
    pub fn writes_whole<T>(self, start: *const T, length: usize) {
        let range = Location { start: start as u64, length: length as u64 };
        if self.access(Kind::Write, range, detect::instruction).is_seen {
            freed::check(Kind::Write, range);
        }
    }

    /// A block is about to be freed; whether it has been already is for the heap to say.
    pub fn frees<T>(self, start: *const T, length: usize) {
        // Of what nobody has accessed, nobody can be told.
        vast::for_each_part(Location { start: start as u64, length: length as u64 }, |part, is_untouched| {
            if !is_untouched {
                self.access(Kind::Write, part, detect::divisible);
            }
        });
    }

    /// `remember` is how the access is looked at and remembered, where it is.
    fn access(self, kind: Kind, range: Location, remember: fn(Kind, Location)) -> Passed {
        if evaluation::is_under_way() {
            note_evaluated(kind, range);
            return Passed::default();
        }
        if kind == Kind::Write {
            spin::note_write(range.start);
        }
        if !self.is_to_watch(range.length) || detect::quiet(kind, range) {
            return Passed::default();
        }
        let others_ran = point::points(kind, range, self);
        remember(kind, range);
        Passed { is_seen: true, others_ran }
    }

    /// A range is about to be read.
    pub fn reads<T>(self, start: *const T, length: usize) -> bool {
        self.range(Kind::Read, start as u64, length as u64)
    }

    /// A range is about to be written.
    pub fn writes<T>(self, start: *const T, length: usize) -> bool {
        self.range(Kind::Write, start as u64, length as u64)
    }

    /// The scheduling points alone, for a range of which it is not known yet how much will be accessed.
    pub fn points(self, kind: Kind, start: u64, length: u64) -> bool {
        self.is_to_watch(length) && point::points(kind, Location { start, length }, self)
    }

    /// Passes the points of several ranges, so many of which are shared, for a function that accesses all of them
    /// behind the last point: nobody comes between.
    pub fn at_once(self, shared: usize, pass: impl FnOnce()) {
        if shared < 2 || world::get().is_alone() || evaluation::is_under_way() {
            return pass();
        }
        vectors::kept(|| section::begin(self.pc, 0));
        pass();
        vectors::kept(|| section::end(self.pc, 0));
    }

    /// Whether some of the range belongs to a communication variable.
    pub fn is_shared(self, start: u64, length: u64) -> bool {
        length > 0 && super::is_watching() && point::is_communication(Location { start, length })
    }

    /// How many of these belong to communication variables, as far as they will be read.
    pub fn shared<T, const N: usize>(self, starts: [*const T; N], extent: impl FnOnce() -> usize) -> usize {
        if !super::is_watching() {
            return 0;
        }
        let length = extent() as u64;
        starts.iter().filter(|&&start| self.is_shared(start as u64, length)).count()
    }

    /// The memory alone, once it is known what was accessed.
    pub fn note(self, kind: Kind, start: u64, length: u64) {
        let range = Location { start, length };
        if evaluation::is_under_way() {
            return note_evaluated(kind, range);
        }
        if self.is_to_watch(length) && !detect::quiet(kind, range) {
            detect::divisible(kind, range);
            freed::check(kind, range);
        }
    }

    /// Reads whose extent is found by looking: once more when others have run, for they may have changed it.
    pub fn reads_found<T>(self, start: *const T, extent: impl Fn() -> usize) {
        let mut known = 0;
        loop {
            let found = extent();
            let is_final = found <= known || !self.reads(start.wrapping_byte_add(known), found - known);
            if is_final {
                return;
            }
            known = found;
        }
    }

    /// Whether there is something to make known. Counts as one access of a thread that may be waiting in a loop.
    pub(super) fn is_to_watch(self, length: u64) -> bool {
        if !super::is_watching() || length == 0 || evaluation::is_under_way() {
            return false;
        }
        let left = BUDGET.0.get() - 1;
        BUDGET.0.set(left);
        if left < 0 {
            // A call of a library: no two of them are alike.
            point::long_run(self.pc, || left as u64);
        }
        true
    }
}

/// An access of a function that is evaluated.
fn note_evaluated(kind: Kind, range: Location) {
    match kind {
        Kind::Read => evaluation::reads::note(range),
        Kind::Write => evaluation::reads::note_write(range),
    }
}
