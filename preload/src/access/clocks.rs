//! Vector clocks: which steps happened before which.
//!
//! The clock of a thread counts its steps; its row holds, for every thread, up to where it knows of that thread's
//! steps. A step joins the row with what earlier steps left at the variables that it accesses, and leaves its own
//! there: exactly the dependence that the search explores (SCALE, Definition 9). What a thread does between two steps
//! carries the clock after the first, so it is ordered with another thread's step only through the second.
//!
//! Under weak memory a step publishes no more than what is certain to be visible. Every store might be buffered, also
//! one to a location that is no communication variable yet, and so:
//!
//! - a read publishes the thread's accesses up to where its buffer was last empty: later stores may be delayed beyond
//!   it;
//! - a flush publishes what its thread knew and did before the store: under TSO stores become visible in their order,
//!   and loads before a store have taken place. Under PSO, accesses up to the last point that orders stores;
//! - a read that finds an own store learns nothing from those who wrote the location;
//! - everything else takes place with an empty buffer, and publishes all.
//!
//! So if a store could still be invisible to another thread in some execution where it is not here, nothing here orders
//! it before that thread's access: the location is reported. Where the rules order less than the model does, there are
//! more communication variables than necessary.
//!
//! Where data races are looked for (`--races`), reads and writes of communication variables order nothing, locked
//! instructions aside: so whatever synchronisation does not order becomes a communication variable too, and the
//! scheduler process finds it in the log. It orders less than the search explores.
//!
//! Clocks go on across executions, so that nothing has to be cleared: an execution begins at a base above all that was.

mod rows;
mod saved;

use self::rows::{
    ACTIVE, Row, SLOT_COUNT, WIDTH, copy, forget, join, join_all, join_through, row, row_of_store, set_active, slot,
};
pub use self::saved::{bring_back, save};
use super::shadow::{CLOCK_SHIFT, THREAD_SHIFT};
use crate::{arena, buffer};
use core::cell::Cell;
use core::sync::atomic::Ordering::Relaxed;
use rscale_protocol::dependence::{self, Mode};
use rscale_protocol::{Action, MAX_THREADS, MemoryModel, Op, ThreadId, Variable};

/// Accesses of instrumented code that count after which a thread without a step is looked at: some hundredths of a
/// second.
pub const LONG_RUN: i64 = 1 << 21;

/// A cell for the one kernel thread.
#[repr(transparent)]
pub struct Own<T>(pub Cell<T>);

// SAFETY: only the kernel thread that runs program and shim touches it.
unsafe impl<T> Sync for Own<T> {}

/// Clock and thread of the running thread, as in a shadow word without bytes.
pub static EPOCH: Own<u64> = Own(Cell::new(0));
/// The same with all bytes.
pub static WHOLE: Own<u64> = Own(Cell::new(0));
/// The row of the running thread.
pub static ROW: Own<u64> = Own(Cell::new(0));
/// The base of this execution, as in a shadow word.
pub static BASE: Own<u64> = Own(Cell::new(0));
/// Accesses left until the run of the thread is called long.
pub static BUDGET: Own<i64> = Own(Cell::new(0));
/// The highest clock in use, and the highest that ever was.
static HIGHEST: Own<u64> = Own(Cell::new(0));
static LATEST: Own<u64> = Own(Cell::new(0));
/// Whether data races are looked for.
static SEEKS_RACES: Own<bool> = Own(Cell::new(false));
/// Whether something that depends on all of memory has happened in this execution.
static MEMORY_WRITTEN: Own<bool> = Own(Cell::new(false));
/// Up to which of its clocks each thread's accesses are visible for certain, to whoever it reads from or writes to
/// later, and to those who see its later stores.
static DRAINED: [Own<u64>; MAX_THREADS] = [const { Own(Cell::new(0)) }; MAX_THREADS];
/// See [`DRAINED`].
static ORDERED: [Own<u64>; MAX_THREADS] = [const { Own(Cell::new(0)) }; MAX_THREADS];
/// Reserves rows and slots for this many threads.
pub fn reserve(threads: usize) -> bool {
    SEEKS_RACES.0.set(arena::get().setup.races.load(Relaxed) != 0);
    rows::map(threads)
}

/// The clock at which this execution began.
pub fn base() -> u64 {
    BASE.0.get() >> CLOCK_SHIFT
}

/// Up to where the running thread knows of another one.
pub fn known(me: ThreadId, other: ThreadId) -> u64 {
    // SAFETY: rows have an entry for every thread of the pool, and threads beyond it do not run.
    unsafe { *row(me).add(other.index()) }
}

/// An execution begins, with nothing but the main thread.
pub fn begin() {
    let base = LATEST.0.get().max(HIGHEST.0.get()) + 1;
    LATEST.0.set(base);
    SLOT_COUNT.0.set(0);
    BASE.0.set(base << CLOCK_SHIFT);
    MEMORY_WRITTEN.0.set(false);
    set_active(1);
    reset(ThreadId::MAIN, base);
    resume(ThreadId::MAIN);
}

/// The threads of this execution.
fn threads() -> impl Iterator<Item = ThreadId> {
    let count = crate::world::get().look(|model| model.threads.count());
    (0..count.min(WIDTH.0.get())).map(|index| ThreadId(index as u16))
}

fn reset(thread: ThreadId, clock: u64) {
    forget(row(thread));
    // SAFETY: the row has an entry for its own thread.
    unsafe { *row(thread).add(thread.index()) = clock };
}

/// The thread goes on: its accesses from here carry its clock.
fn resume(thread: ThreadId) {
    set_epoch(thread);
    BUDGET.0.set(LONG_RUN);
    super::spin::resume(thread);
}

/// A thread comes into being: it knows nothing until its first step. If there was one with its number, it goes on from
/// that one's clock: what others know of the old one says nothing about the new one.
pub fn create(thread: ThreadId) {
    if super::is_on() {
        let clock = base().max(known(thread, thread) + 1);
        LATEST.0.set(LATEST.0.get().max(clock)); // the next execution begins above it
        set_active(ACTIVE.0.get().max(thread.index() + 1));
        reset(thread, clock);
        // What its shadows knew in an execution that went on from the same checkpoint as this one is not so here.
        if buffer::is_on() {
            buffer::model().shadows(thread).for_each(|shadow| forget(row(shadow)));
        }
        super::spin::create(thread);
    }
}

/// The running thread takes a step, which touches what the table says. Where this orders less than the search explores,
/// more locations become scheduling points than necessary; never may it order more.
pub fn step(action: &Action, touched: impl FnOnce() -> dependence::Row) {
    if !super::is_on() {
        return;
    }
    let mine = row(action.thread);
    let touched = if orders_nothing(action.op) { dependence::Row::NOTHING } else { touched() };
    let own = publish(action);
    if let Some((mode, _)) = touched.first {
        touch(mine, action, action.object, mode);
    }
    if let Some((mode, _)) = touched.second {
        touch(mine, action, action.second, mode);
    }
    match action.op {
        // They follow the creation, and what opened the barrier.
        Op::ThreadStart | Op::BarrierLeave => read(mine, action.object),
        // A section depends on what its steps touch.
        Op::AtomicBegin | Op::AtomicEnd => {}
        _ if touched.everyone => write_memory(mine),
        _ => {}
    }
    if MEMORY_WRITTEN.0.get() {
        read(mine, Variable::MEMORY);
    }
    advance(action.thread, own);
    resume(action.thread);
}

/// The step touches a variable.
#[inline(always)]
fn touch(mine: Row, action: &Action, variable: Variable, mode: Mode) {
    match mode {
        // It sees an own store, not what others wrote.
        Mode::Read if action.op == Op::Read && buffer::finds_own(action) => join(slot(variable)[1], mine),
        Mode::Read | Mode::Add => read(mine, variable),
        // Whether it changes anything is not known yet.
        Mode::Write if action.op == Op::AtomicUpdate => read(mine, variable),
        Mode::Write => write(mine, variable),
    }
}

/// Whether data races are looked for.
pub fn seeks_races() -> bool {
    SEEKS_RACES.0.get()
}

/// Whether the order of such steps says nothing about what happened before what.
fn orders_nothing(op: Op) -> bool {
    seeks_races() && matches!(op, Op::Read | Op::OwnRead | Op::Write | Op::Flush)
}

/// Makes the row say what a step may publish, and returns the thread's own clock.
#[inline(always)]
fn publish(action: &Action) -> u64 {
    let own = known(action.thread, action.thread);
    if buffer::is_on() {
        publish_visible(action, own);
    }
    own
}

#[inline(never)]
fn publish_visible(action: &Action, own: u64) {
    let thread = action.thread;
    if action.op == Op::Fence {
        buffer::model().shadows(thread).for_each(|shadow| join(row(thread), row(shadow)));
    }
    if action.op.leaves_stores_buffered() {
        // SAFETY: the row has an entry for its own thread.
        unsafe { *row(thread).add(thread.index()) = DRAINED[thread.index()].0.get().min(own) };
    } else {
        DRAINED[thread.index()].0.set(own);
        ORDERED[thread.index()].0.set(own);
    }
}

/// What the thread does from here on comes after its clock.
fn advance(thread: ThreadId, own: u64) {
    // SAFETY: the row has an entry for its own thread.
    unsafe { *row(thread).add(thread.index()) = own + 1 };
    LATEST.0.set(LATEST.0.get().max(own + 1));
}

/// The thread makes a store that is buffered: what it knows is kept for the flush.
pub fn issue(thread: ThreadId, slot: usize) {
    let (own, kept) = (known(thread, thread), row_of_store(slot));
    // All of it: there may be more threads when the store becomes visible, and its row is none that was cleared.
    copy(kept, row(thread));
    if buffer::model() == MemoryModel::Pso {
        // SAFETY: the row has an entry for every thread.
        unsafe { *kept.add(thread.index()) = ORDERED[thread.index()].0.get().min(own) };
    }
    advance(thread, own);
    set_epoch(thread);
}

/// A shadow thread makes the store in a slot visible.
pub fn flush(shadow: ThreadId, slot: usize, variable: Variable) {
    join(row(shadow), row_of_store(slot));
    if !orders_nothing(Op::Flush) {
        write(row(shadow), variable);
    }
}

/// The thread passes a fence with nothing in its buffer that others could notice. `is_full`: it orders more than
/// stores.
pub fn fenced(thread: ThreadId, is_full: bool) {
    let own = known(thread, thread);
    ORDERED[thread.index()].0.set(own);
    if is_full {
        DRAINED[thread.index()].0.set(own);
    }
    advance(thread, own);
    set_epoch(thread);
}

/// From here on every access of instrumented code takes the slow path.
pub fn let_nothing_pass() {
    BUDGET.0.set(i64::MIN / 2);
    WHOLE.0.set(u64::MAX); // no word is that
}

/// Accesses of the thread carry its clock from here on.
fn set_epoch(thread: ThreadId) {
    EPOCH.0.set(known(thread, thread) << CLOCK_SHIFT | u64::from(thread.0) << THREAD_SHIFT);
    WHOLE.0.set(EPOCH.0.get() | 0xff);
    ROW.0.set(row(thread) as u64);
}

/// The last step of the running thread, an atomic update, has changed the variable.
pub fn updated(thread: ThreadId, variable: Variable) {
    let mine = row(thread);
    // SAFETY: the row has an entry for its own thread.
    let own = unsafe { &mut *mine.add(thread.index()) };
    // What the thread has accessed since is not before whoever reads the variable next.
    *own -= 1;
    write(mine, variable);
    *own += 1;
}

/// The thread was woken by a step on the variable, the last one there: what happened before that step happened before
/// whatever the thread does now, although its own next step is on another variable.
pub fn woken(thread: ThreadId, by: Variable) {
    if super::is_on() {
        let [writes, _] = slot(by);
        join(row(thread), writes);
    }
}

fn read(mine: Row, variable: Variable) {
    let [writes, all] = slot(variable);
    join_through(mine, writes, all);
}

fn write(mine: Row, variable: Variable) {
    let [writes, all] = slot(variable);
    join_all(mine, all, writes);
}

/// Every step so far has read memory as a whole: the last ones of all threads know of all.
fn write_memory(mine: Row) {
    for thread in threads() {
        let theirs = row(thread);
        if theirs != mine && known(thread, thread) > base() {
            // SAFETY: the row has an entry for every thread.
            let before = unsafe { *mine.add(thread.index()) };
            join(mine, theirs);
            // What that thread did since its last step is not known, nor what it may have stored before.
            let last = known(thread, thread) - 1;
            let visible = if buffer::is_on() { DRAINED[thread.index()].0.get().min(last) } else { last };
            // SAFETY: as above.
            unsafe { *mine.add(thread.index()) = before.max(visible) };
        }
    }
    MEMORY_WRITTEN.0.set(true);
    write(mine, Variable::MEMORY);
}
