//! Memory accesses of the program.
//!
//! Instrumented code calls a [stub](stubs) before each access that another thread may see. Most of these accesses can
//! not matter to other threads, and the stub finds that out in a few instructions: for every eight bytes of the
//! program's memory the [shadow] remembers who accessed them last, and when. Only where two threads access the same
//! bytes in no particular order ([detect]), the location becomes a *communication variable*: it is reported to the
//! scheduler process, which starts over with the larger set, and from then on every access to it is a scheduling point
//! ([point]).
//!
//! What "in no particular order" means is what the search explores: two steps are ordered by the [clocks] if they are
//! dependent. So a location that is never reported is accessed in the same order in all equivalent executions, and no
//! schedule is missed by not stopping there.
//!
//! None of this is restored with the program's memory: clocks never go back, and what an earlier execution left behind
//! is recognised by its age.

pub mod careful;
pub mod clocks;
mod detect;
mod element;
pub mod freed;
pub mod hanging;
mod lanes;
mod library;
pub mod local;
pub mod locations;
pub mod order;
mod pieces;
pub mod point;
pub mod polling;
mod records;
pub mod region;
mod saving;
mod shadow;
mod site;
pub mod spin;
mod strings;
mod stubs;
pub mod tearing;
mod vast;
pub mod vectors;
mod widening;

use crate::checkpoint::Tape;
use crate::{arena, kernel_threads, snapshot, sys};
use clocks::Own;
use core::cell::Cell;
use core::sync::atomic::Ordering::Relaxed;
use rscale_protocol::MAX_THREADS;

pub use detect::Kind;
pub use library::Here;
pub use pieces::Taken;

/// Whether an execution runs whose memory accesses are watched. The stubs of wrapped functions read it.
pub static WATCHING: Own<bool> = Own(Cell::new(false));

/// Whether memory accesses are watched. Code may be instrumented without that, for the sake of evaluations alone.
pub fn is_on() -> bool {
    region::is_installed() && arena::get().setup.watches.load(Relaxed) != 0
}

/// Whether accesses are to be made known now.
pub fn is_watching() -> bool {
    WATCHING.0.get()
}

/// Instruments the program, and reserves what the stubs need: its constructors may run next.
pub fn install(regions: i32) -> Result<(), &'static [u8]> {
    crate::buffer::prepare();
    region::install(regions)?;
    vectors::prepare();
    let threads = match kernel_threads::are_used() {
        true => MAX_THREADS,
        false => (arena::get().setup.thread_pool.load(Relaxed) as usize).clamp(1, MAX_THREADS),
    };
    let reserved = shadow::reserve() && clocks::reserve(threads) && records::reserve(threads);
    if reserved { Ok(()) } else { Err(b"could not reserve address space to watch memory accesses (ulimit -v?)") }
}

/// An execution begins.
pub fn begin() {
    if is_on() {
        clocks::begin();
        records::begin();
        widening::begin();
        spin::begin();
        tearing::begin();
        hanging::begin();
        locations::refresh();
        arena::get().result.races.store(0, Relaxed);
        WATCHING.0.set(true);
    }
}

/// From here on, what the shadow holds can be saved.
pub fn track() {
    if is_on() {
        shadow::track();
    }
}

/// A write to this address faulted. True if it is the shadow's, and the write is to be tried again.
pub fn make_writable(address: u64) -> bool {
    shadow::make_writable(address)
}

/// Fibers are about to run.
pub fn enter() {
    if is_on() {
        vectors::forget();
    }
}

/// Saves what is known of this execution.
pub fn save(tape: &mut Tape) {
    if is_on() {
        clocks::save(tape);
        records::save(tape);
        widening::save(tape);
        spin::save(tape);
        tearing::save(tape);
        shadow::save(tape);
    }
}

/// Brings back what was known. The result of the execution before may still be read: it stays.
pub fn bring_back(tape: &mut Tape) {
    if is_on() {
        clocks::bring_back(tape);
        records::bring_back(tape);
        widening::bring_back(tape);
        spin::bring_back(tape);
        tearing::bring_back(tape);
        shadow::bring_back(tape);
    }
}

/// Whether what was saved can be brought back.
pub fn can_go_back() -> bool {
    shadow::can_go_back()
}

/// Address space outside the snapshot, used as it is touched.
fn reserve(address: u64, length: u64) -> Option<u64> {
    let start = sys::map(address, length, libc::PROT_READ | libc::PROT_WRITE)?;
    snapshot::exclude(start, start + length);
    Some(start)
}

/// Copies bytes that the instruction at hand accesses, or that are the shim's own.
pub fn copy_bytes(from: u64, to: u64, length: u64) {
    // SAFETY: where bytes of the program are not there, its instruction would fault as this does; ranges do not overlap.
    unsafe { core::ptr::copy_nonoverlapping(from as *const u8, to as *mut u8, length as usize) };
}
