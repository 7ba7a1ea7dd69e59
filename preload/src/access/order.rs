//! The order of the parts of a torn access.
//!
//! The manuals promise none. From the lowest to the highest is enough where two accesses meet that are torn in the same
//! way: whatever each part of one can find of the other, it finds when both are interleaved part by part. It is not
//! enough where another thread accesses some of the bytes in another way, or where there is a third access: then a
//! thread can be late at a lower part and early at a higher one.
//!
//! So what is torn is remembered during an execution, and where such an access meets it, its range is reported like a
//! communication variable, as an *open* one. From then on the order of its parts is a choice, of which each is
//! explored.

use super::detect;
use super::locations::{self, Location};
use super::point;
use super::{tearing, vectors};
use crate::{gate, world};
use core::cell::Cell;
use rscale_protocol::region::SiteKind;
use rscale_protocol::{Action, Op, ThreadSet, Variable};

/// Most parts of an access.
const MOST_PARTS: usize = 10;
/// Ranges that are remembered in an execution; others are open from the start.
const MOST_RANGES: usize = 16;
/// Two accesses that are torn in the same way need no choice.
const MOST_ALIKE: u32 = 2;

/// A range that was accessed in parts.
#[derive(Clone, Copy)]
struct Seen {
    range: Location,
    threads: ThreadSet,
    is_written: bool,
    accesses: u32,
}

impl Seen {
    const NONE: Seen =
        Seen { range: Location { start: 0, length: 0 }, threads: ThreadSet::EMPTY, is_written: false, accesses: 0 };
}

/// What was accessed in parts during this execution.
pub struct Torn {
    seen: [Cell<Seen>; MOST_RANGES],
    count: Cell<usize>,
}

impl Torn {
    /// Nothing.
    pub const fn new() -> Torn {
        Torn { seen: [const { Cell::new(Seen::NONE) }; MOST_RANGES], count: Cell::new(0) }
    }

    fn known(&self) -> &[Cell<Seen>] {
        &self.seen[..self.count.get()]
    }
}

/// The parts of an access, in the order in which they take place.
#[derive(Clone, Copy)]
pub struct Parts {
    parts: [Location; MOST_PARTS],
    count: usize,
}

impl Parts {
    /// None.
    pub const NONE: Parts = Parts { parts: [Location { start: 0, length: 0 }; MOST_PARTS], count: 0 };

    /// The parts of an access by the instruction before `pc`. If their order matters, it is decided here.
    pub fn of(kind: SiteKind, range: Location, pc: u64) -> Parts {
        let mut parts = Parts::NONE;
        for part in tearing::parts(kind, range) {
            parts.parts[parts.count] = part;
            parts.count += 1;
        }
        if tearing::is_torn(kind, range) && locations::is_open(range) {
            parts.put_in_order(pc);
        }
        parts
    }

    /// One after the other.
    pub fn iter(&self) -> impl Iterator<Item = Location> {
        self.parts.into_iter().take(self.count)
    }

    /// The parts that others may see come first, in any order.
    fn put_in_order(&mut self, pc: u64) {
        let parts = &mut self.parts[..self.count];
        let mut shared = 0;
        for index in 0..parts.len() {
            if point::is_communication(parts[index]) {
                parts[shared..=index].rotate_right(1);
                shared += 1;
            }
        }
        for place in 0..shared {
            let chosen = place + choose(shared - place, pc);
            parts[place..=chosen].rotate_right(1);
        }
    }
}

/// A number below the limit, each of which is tried.
fn choose(limit: usize, pc: u64) -> usize {
    let goes_on = |_: &usize| {
        let action = Action { pc, ..Action::new(world::get().current.get(), Op::Choose, Variable(0)) };
        let mut chosen = 0;
        vectors::kept(|| chosen = gate::pass(action));
        chosen != 0
    };
    (1..limit).take_while(goes_on).count()
}

/// The running thread has begun to access a range in parts.
pub fn begun(is_write: bool, range: Location) {
    met(is_write, range, true);
    let torn = &world::get().torn;
    let place = torn.known().iter().position(|seen| seen.get().range == range).unwrap_or(torn.count.get());
    let Some(cell) = torn.seen.get(place) else { return report(range) };
    torn.count.set(torn.count.get().max(place + 1));
    let mut seen = cell.get();
    seen.range = range;
    seen.threads.insert(world::get().current.get());
    (seen.is_written, seen.accesses) = (seen.is_written | is_write, seen.accesses + 1);
    cell.set(seen);
    if seen.accesses > MOST_ALIKE && seen.is_written && seen.threads.len() > 1 {
        report(range);
    }
}

/// The running thread has accessed a range, in one go unless it is torn.
pub fn met(is_write: bool, range: Location, is_torn: bool) {
    let world = world::get();
    for seen in world.torn.known().iter().map(Cell::get) {
        let is_alike = is_torn && seen.range == range;
        let mut others = seen.threads;
        others.remove(world.current.get());
        if !is_alike && seen.range.overlaps(range) && (is_write || seen.is_written) && !others.is_empty() {
            report(seen.range);
        }
    }
}

fn report(range: Location) {
    if !locations::is_open(range) {
        detect::report(range.opened());
    }
}
