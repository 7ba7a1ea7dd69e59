//! What a function reads while it is evaluated.
//!
//! Two things follow from it. Whatever an invariant reads has to be a communication variable, so that each state that
//! it can tell from another is a state of the search: it is reported like a race. And an evaluation need not be made
//! again while everything that it read is as it was.
//!
//! Only accesses of instrumented code are seen. So code of libraries is made inaccessible in the process that
//! evaluates: where the function comes there, it may have read anything, and its result is not remembered.

use crate::access::clocks::Own;
use crate::access::{self, locations::Location};
use crate::snapshot::{for_each_mapping, own_data};
use crate::{arena, sys, world};
use core::cell::Cell;
use core::sync::atomic::Ordering::Relaxed;
use rscale_protocol::arena::{Look, MAX_LOCATIONS, MAX_READS, Piece};
use rscale_protocol::ops::Touches;
use rscale_protocol::{Action, Family};

const MAX_RANGES: usize = 128;
const MAX_WRITES: usize = 256;
const WORD: u64 = 8;

/// Code that is not instrumented: start and end.
static UNWATCHED: [Own<(u64, u64)>; MAX_RANGES] = [const { Own(Cell::new((0, 0))) }; MAX_RANGES];
static UNWATCHED_COUNT: Own<usize> = Own(Cell::new(0));
/// The stack of the evaluation.
static STACK: Own<(u64, u64)> = Own(Cell::new((0, 0)));
/// What the function has written: start and end. What it reads there is its own.
static WRITTEN: [Own<(u64, u64)>; MAX_WRITES] = [const { Own(Cell::new((0, 0))) }; MAX_WRITES];
static WRITTEN_COUNT: Own<usize> = Own(Cell::new(0));

/// Finds the code that is not instrumented, once everything is loaded.
pub fn prepare() {
    let (own_start, own_end) = own_data();
    let is_complete = for_each_mapping(|start, end, permissions| {
        let is_own = start < own_end && own_start < end;
        let is_watched = is_own || access::region::is_known_code(start, end - start);
        if permissions[2] != b'x' || is_watched {
            return true;
        }
        let count = UNWATCHED_COUNT.0.get();
        UNWATCHED_COUNT.0.set(count + 1);
        UNWATCHED.get(count).is_some_and(|place| {
            place.0.set((start, end));
            true
        })
    });
    if !is_complete {
        UNWATCHED_COUNT.0.set(usize::MAX);
    }
}

fn unwatched() -> impl Iterator<Item = (u64, u64)> {
    UNWATCHED.iter().take(UNWATCHED_COUNT.0.get()).map(|range| range.0.get())
}

/// In the process that evaluates: nothing has been read.
/// `is_own_thread`: whether its thread-local variables are always the same.
pub fn begin(stack: (u64, u64), is_own_thread: bool) {
    STACK.0.set(stack);
    WRITTEN_COUNT.0.set(0);
    let setup = &arena::get().setup;
    let sees_all = setup.sees_all.load(Relaxed) != 0 && arena::get().result.unseen_code.load(Relaxed) == 0;
    let is_listed = UNWATCHED_COUNT.0.get() <= MAX_RANGES;
    if !is_own_thread || !sees_all || !is_listed || !access::region::is_installed() {
        return leave_open();
    }
    unwatched().for_each(|(start, end)| {
        // SAFETY: code that is not executed before it is made executable again.
        unsafe { sys::mprotect(start, end - start, libc::PROT_READ) };
    });
}

/// The function may have read what nobody saw.
pub fn leave_open() {
    arena::get().evaluation.is_open.store(1, Relaxed);
}

/// An instruction could not be fetched. True if the function has come to code that is not watched: it may go on.
pub fn enters_unwatched_code(address: u64) -> bool {
    let is_closed = arena::get().evaluation.is_open.load(Relaxed) == 0;
    if !is_closed || !unwatched().any(|(start, end)| (start..end).contains(&address)) {
        return false;
    }
    leave_open();
    unwatched().for_each(|(start, end)| {
        // SAFETY: as it was before.
        unsafe { sys::mprotect(start, end - start, libc::PROT_READ | libc::PROT_EXEC) };
    });
    true
}

/// The function reads memory.
pub fn note(range: Location) {
    let (low, high) = STACK.0.get();
    let is_own = (low..high).contains(&range.start) || is_written(range.start, range.end());
    if range.length == 0 || is_own {
        return;
    }
    report(range);
    let mut start = range.start;
    while start < range.end() {
        let end = ((start & !(WORD - 1)) + WORD).min(range.end());
        note_piece(Piece { look: Look::Memory, address: start, length: (end - start) as u8, value: bytes(start, end) });
        start = end;
    }
}

fn note_piece(piece: Piece) {
    let report = &arena::get().evaluation;
    let is_open = report.is_open.load(Relaxed) != 0;
    if !is_open && !report.pieces.iter().any(|known| known == piece) && !report.pieces.push(piece) {
        leave_open();
    }
}

/// The function writes memory.
pub fn note_write(range: Location) {
    let count = WRITTEN_COUNT.0.get();
    if is_written(range.start, range.end()) {
        return;
    }
    match WRITTEN.get(count) {
        Some(place) => {
            place.0.set((range.start, range.end()));
            WRITTEN_COUNT.0.set(count + 1);
        }
        None => leave_open(),
    }
}

fn is_written(start: u64, end: u64) -> bool {
    WRITTEN[..WRITTEN_COUNT.0.get()].iter().map(|range| range.0.get()).any(|(low, high)| low <= start && end <= high)
}

/// The function sees the state of a mutex. Of one that nobody has used, the model knows nothing yet.
pub fn note_mutex(address: u64) {
    report(Location { start: address, length: 0 });
    match mutex_state(address) {
        Some(value) => note_piece(Piece { look: Look::Mutex, address, length: 0, value }),
        None => leave_open(),
    }
}

/// The function sees another synchronisation object.
pub fn note_object(address: u64) {
    report(Location { start: address, length: 0 });
    leave_open();
}

fn mutex_state(address: u64) -> Option<u64> {
    world::get().look(|model| model.mutex_state(address))
}

/// The bytes of a range of at most a word.
fn bytes(start: u64, end: u64) -> u64 {
    // SAFETY: the function is about to read these bytes, or read them in the same state before.
    let byte = |address: u64| unsafe { (address as *const u8).read_volatile() };
    (start..end).rev().fold(0, |value, address| value << 8 | u64::from(byte(address)))
}

/// Tells the scheduler process what the function reads, if that is not known.
fn report(range: Location) {
    if is_observed(range.start, range.end().max(range.start + 1)) {
        return;
    }
    let arena = arena::get();
    let count = (arena.result.reads.load(Relaxed) as usize).min(MAX_READS);
    if arena.reads[..count].iter().any(|known| known.load() == (range.start, range.length)) {
        return;
    }
    match arena.reads.get(count) {
        Some(place) => {
            place.store(range.start, range.length);
            arena.result.reads.store(count as u32 + 1, Relaxed);
        }
        // It has to be evaluated again, to be reported then.
        None => leave_open(),
    }
}

/// Whether invariants are known to read all of a range.
fn is_observed(start: u64, end: u64) -> bool {
    observed_from(start).next().is_some_and(|(low, high)| low <= start && end <= high)
}

/// The observed ranges from the first one on that ends behind an address: start and end.
fn observed_from(address: u64) -> impl Iterator<Item = (u64, u64)> {
    let arena = arena::get();
    let count = (arena.request.observed.load(Relaxed) as usize).min(MAX_LOCATIONS);
    let range = move |index: usize| {
        let (start, length) = arena.observed[index].load();
        (start, start.saturating_add(length))
    };
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = (low + high) / 2;
        if range(middle).1 <= address { low = middle + 1 } else { high = middle }
    }
    (low..count).map(range)
}

/// Whether the action changes something that invariants read.
pub fn is_changed_by(action: &Action) -> bool {
    let changes = !matches!(action.op.touches(), Touches::Reads | Touches::Nothing);
    let length = if action.op.family() == Family::Memory { u64::from(action.count) } else { 1 };
    changes
        && action.objects().filter_map(|object| object.as_address()).any(|address| {
            let end = address.saturating_add(length.max(1));
            observed_from(address).next().is_some_and(|(start, _)| start < end)
        })
}

/// Whether the function is known to return true: everything that it would read is as it was when it did.
pub fn are_as_before(function: u64) -> bool {
    arena::get().remembered.holds(function, |look, address, length| match look {
        Look::Memory => bytes(address, address + u64::from(length.min(WORD as u8))),
        Look::Mutex => mutex_state(address).unwrap_or(u64::MAX),
    })
}

/// The function has returned true.
pub fn remember(function: u64) {
    let report = &arena::get().evaluation;
    if report.is_open.load(Relaxed) == 0 {
        arena::get().remembered.add(function, &report.pieces);
    }
}
