//! Vector clocks: which steps happened before which.
//!
//! The clock of a thread counts its steps; its row holds, for every thread, up to where it knows of that thread's steps. A
//! step joins the row with what earlier steps left at the variables that it accesses, and leaves its own there: exactly
//! the dependence that the search explores (SCALE, Definition 9). What a thread does between two steps carries the clock
//! after the first, so it is ordered with another thread's step only through the second.
//!
//! Under weak memory a step publishes no more than what is certain to be visible. Every store might be buffered, also one
//! to a location that is no communication variable yet, and so:
//!
//! - a read publishes the thread's accesses up to where its buffer was last empty: later stores may be delayed beyond it;
//! - a flush publishes what its thread knew and did before the store: under TSO stores become visible in their order, and
//!   loads before a store have taken place. Under PSO, accesses up to the last point that orders stores;
//! - a read that finds an own store learns nothing from those who wrote the location;
//! - everything else takes place with an empty buffer, and publishes all.
//!
//! So if a store could still be invisible to another thread in some execution where it is not here, nothing here orders it
//! before that thread's access: the location is reported. Where the rules order less than the model does, there are more
//! communication variables than necessary.
//!
//! Where data races are looked for (`--races`), reads and writes of communication variables order nothing, locked
//! instructions aside: so whatever synchronisation does not order becomes a communication variable too, and the scheduler
//! process finds it in the log. It orders less than the search explores.
//!
//! Clocks go on across executions, so that nothing has to be cleared: an execution begins at a base above all that was.

use super::shadow::{CLOCK_SHIFT, THREAD_SHIFT};
use crate::checkpoint::Tape;
use crate::{arena, buffer};
use core::cell::Cell;
use core::sync::atomic::Ordering::Relaxed;
use rscale_protocol::dependence::{self, Mode};
use rscale_protocol::{Action, MAX_THREADS, MemoryModel, Op, ThreadId, Variable};

/// Variables that an execution can have; a power of two.
const SLOTS: usize = 1 << 17;
/// Accesses of instrumented code after which a thread without a step is looked at: some hundredths of a second.
pub const LONG_RUN: i64 = 1 << 23;

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
/// How many threads the rows have room for.
static WIDTH: Own<usize> = Own(Cell::new(0));
/// How many entries of a row mean something: those of the threads of this execution. The others of rows that are read are
/// zero, and need not be looked at.
static ACTIVE: Own<usize> = Own(Cell::new(0));
/// How many it ever were.
static MOST_ACTIVE: Own<usize> = Own(Cell::new(0));
/// Whether data races are looked for.
static SEEKS_RACES: Own<bool> = Own(Cell::new(false));
/// Whether something that depends on all of memory has happened in this execution.
static MEMORY_WRITTEN: Own<bool> = Own(Cell::new(false));
/// Up to which of its clocks each thread's accesses are visible for certain, to whoever it reads from or writes to later, and
/// to those who see its later stores.
static DRAINED: [Own<u64>; MAX_THREADS] = [const { Own(Cell::new(0)) }; MAX_THREADS];
/// See [`DRAINED`].
static ORDERED: [Own<u64>; MAX_THREADS] = [const { Own(Cell::new(0)) }; MAX_THREADS];
static TABLE: Own<u64> = Own(Cell::new(0));

/// Slots of this execution that are known: enough for those that can be saved.
const MOST_SAVED: usize = 1024;
static SLOTS_USED: [Own<u64>; MOST_SAVED] = [const { Own(Cell::new(0)) }; MOST_SAVED];
static SLOT_COUNT: Own<usize> = Own(Cell::new(0));

/// What steps left at a variable; two rows follow: of the writes, and of all accesses.
#[repr(C)]
struct Slot {
    variable: u64,
    /// The base of the execution that filled it.
    base: u64,
}

type Row = *mut u64;

/// Reserves rows and slots for this many threads.
pub fn reserve(threads: usize) -> bool {
    WIDTH.0.set(threads);
    SEEKS_RACES.0.set(arena::get().setup.races.load(Relaxed) != 0);
    let length = (rows() * row_bytes() + (SLOTS + 1) * slot_bytes()) as u64;
    let Some(table) = super::reserve(0, length.next_multiple_of(4096)) else { return false };
    TABLE.0.set(table);
    true
}

/// One row for each thread. Under weak memory also for each shadow thread, and for each store in a buffer.
fn rows() -> usize {
    if buffer::is_on() { MAX_THREADS + buffer::CAPACITY } else { WIDTH.0.get() }
}

fn row_bytes() -> usize {
    WIDTH.0.get() * 8
}

/// Bytes of the part of a row that means something.
fn active_bytes() -> u64 {
    ACTIVE.0.get() as u64 * 8
}

/// The rows of a slot.
fn rows_at(slot: u64) -> [Row; 2] {
    let first = slot + size_of::<Slot>() as u64;
    [first as Row, (first + row_bytes() as u64) as Row]
}

fn slot_bytes() -> usize {
    size_of::<Slot>() + 2 * row_bytes()
}

/// The clock at which this execution began.
pub fn base() -> u64 {
    BASE.0.get() >> CLOCK_SHIFT
}

/// The row of a thread.
fn row(thread: ThreadId) -> Row {
    (TABLE.0.get() + (thread.index() * row_bytes()) as u64) as Row
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

/// Saves clocks and slots.
pub fn save(tape: &mut Tape) {
    if !can_go_back() {
        return tape.give_up();
    }
    [&EPOCH, &WHOLE, &ROW, &BASE, &LATEST].into_iter().for_each(|clock| tape.put(clock.0.get()));
    tape.put((BUDGET.0.get(), MEMORY_WRITTEN.0.get(), SLOT_COUNT.0.get(), ACTIVE.0.get()));
    rows_used().for_each(|row| tape.save(row as u64, active_bytes()));
    for thread in threads() {
        tape.put((DRAINED[thread.index()].0.get(), ORDERED[thread.index()].0.get()));
    }
    for slot in slots_used(0) {
        let [writes, all] = rows_at(slot);
        tape.save(slot, size_of::<Slot>() as u64);
        [writes, all].into_iter().for_each(|row| tape.save(row as u64, active_bytes()));
    }
}

/// Brings back what was saved; the world has been brought back already.
pub fn bring_back(tape: &mut Tape) {
    HIGHEST.0.set(HIGHEST.0.get().max(LATEST.0.get()));
    [&EPOCH, &WHOLE, &ROW, &BASE, &LATEST].into_iter().for_each(|clock| clock.0.set(tape.take()));
    let (budget, memory_written, count, active): (i64, bool, usize, usize) = tape.take();
    BUDGET.0.set(budget);
    MEMORY_WRITTEN.0.set(memory_written);
    ACTIVE.0.set(active);
    rows_used().for_each(|row| bring_back_row(row, tape));
    for thread in threads() {
        let (drained, ordered) = tape.take();
        DRAINED[thread.index()].0.set(drained);
        ORDERED[thread.index()].0.set(ordered);
    }
    // The one that was brought back last may have had fewer; the others are where they were.
    SLOT_COUNT.0.set(SLOT_COUNT.0.get().max(count));
    for slot in slots_used(0).take(count) {
        tape.bring_back(slot, size_of::<Slot>() as u64);
        rows_at(slot).into_iter().for_each(|row| bring_back_row(row, tape));
    }
    // SAFETY: slots in the reserved memory; those that were filled since are free.
    slots_used(count).for_each(|slot| unsafe { (*(slot as *mut Slot)).base = 0 });
    SLOT_COUNT.0.set(count);
}

/// Brings back a row. Entries behind those that were saved may not be zero any more.
fn bring_back_row(row: Row, tape: &mut Tape) {
    tape.bring_back(row as u64, active_bytes());
    // SAFETY: rows have an entry for every thread that there ever was.
    (ACTIVE.0.get()..MOST_ACTIVE.0.get()).for_each(|index| unsafe { *row.add(index) = 0 });
}

/// Whether all slots of this execution are known.
pub fn can_go_back() -> bool {
    SLOT_COUNT.0.get() <= MOST_SAVED
}

/// The rows that hold something: those of threads, of their shadows, and of stores in buffers.
fn rows_used() -> impl Iterator<Item = Row> {
    let weak = threads().filter(|_| buffer::is_on());
    let shadows = weak.flat_map(|thread| buffer::model().shadows(thread)).map(row);
    threads().map(row).chain(shadows).chain(buffer::slots_used().map(row_of_store))
}

/// The threads of this execution.
fn threads() -> impl Iterator<Item = ThreadId> {
    let count = crate::world::get().look(|model| model.threads.count());
    (0..count.min(WIDTH.0.get())).map(|index| ThreadId(index as u16))
}

fn slots_used(first: usize) -> impl Iterator<Item = u64> {
    SLOTS_USED[first..SLOT_COUNT.0.get()].iter().map(|slot| slot.0.get())
}

/// A slot is filled for the first time in this execution.
fn note_slot(slot: u64) {
    let count = SLOT_COUNT.0.get();
    if let Some(place) = SLOTS_USED.get(count) {
        place.0.set(slot);
    }
    SLOT_COUNT.0.set((count + 1).min(MOST_SAVED + 1));
}

fn set_active(count: usize) {
    ACTIVE.0.set(count);
    MOST_ACTIVE.0.set(MOST_ACTIVE.0.get().max(count));
}

fn reset(thread: ThreadId, clock: u64) {
    // SAFETY: the row lies in the reserved memory.
    unsafe {
        row(thread).write_bytes(0, WIDTH.0.get());
        *row(thread).add(thread.index()) = clock;
    }
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
            // SAFETY: the rows lie in the reserved memory.
            let clear = |shadow| unsafe { row(shadow).write_bytes(0, WIDTH.0.get()) };
            buffer::model().shadows(thread).for_each(clear);
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
    for (variable, touch) in [(action.object, touched.first), (action.second, touched.second)] {
        match touch {
            // It sees an own store, not what others wrote.
            Some((Mode::Read, _)) if action.op == Op::Read && buffer::finds_own(action) => {
                join(slot(variable)[1], mine)
            }
            Some((Mode::Read | Mode::Add, _)) => read(mine, variable),
            // Whether it changes anything is not known yet.
            Some(_) if action.op == Op::AtomicUpdate => read(mine, variable),
            Some((Mode::Write, _)) => write(mine, variable),
            None => {}
        }
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

/// Whether data races are looked for.
pub fn seeks_races() -> bool {
    SEEKS_RACES.0.get()
}

/// Whether the order of such steps says nothing about what happened before what.
fn orders_nothing(op: Op) -> bool {
    seeks_races() && matches!(op, Op::Read | Op::OwnRead | Op::Write | Op::Flush)
}

/// Makes the row say what a step may publish, and returns the thread's own clock.
fn publish(action: &Action) -> u64 {
    let thread = action.thread;
    let own = known(thread, thread);
    if !buffer::is_on() {
        return own;
    }
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
    own
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
    copy(kept, row(thread), WIDTH.0.get());
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

/// The thread passes a fence with nothing in its buffer that others could notice. `is_full`: it orders more than stores.
pub fn fenced(thread: ThreadId, is_full: bool) {
    let own = known(thread, thread);
    ORDERED[thread.index()].0.set(own);
    if is_full {
        DRAINED[thread.index()].0.set(own);
    }
    advance(thread, own);
    set_epoch(thread);
}

fn row_of_store(slot: usize) -> Row {
    (TABLE.0.get() + ((MAX_THREADS + slot) * row_bytes()) as u64) as Row
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
    join(mine, writes);
    join(all, mine);
}

fn write(mine: Row, variable: Variable) {
    let [writes, all] = slot(variable);
    join(mine, all);
    copy(writes, mine, ACTIVE.0.get());
    copy(all, mine, ACTIVE.0.get());
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

fn join(into: Row, from: Row) {
    // SAFETY: both are rows of the same width, and different ones.
    (0..ACTIVE.0.get()).for_each(|index| unsafe { *into.add(index) = (*into.add(index)).max(*from.add(index)) });
}

#[inline(always)]
fn copy(into: Row, from: Row, entries: usize) {
    // SAFETY: as in `join`. Word by word: rows are short.
    (0..entries).for_each(|index| unsafe { *into.add(index) = *from.add(index) });
}

/// The two rows of a variable, empty if this execution has not accessed it before.
fn slot(variable: Variable) -> [Row; 2] {
    let slots = TABLE.0.get() + (rows() * row_bytes()) as u64;
    let base = base();
    let mut index = (variable.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 47) as usize % SLOTS;
    for _ in 0..SLOTS {
        let slot = (slots + (index * slot_bytes()) as u64) as *mut Slot;
        // SAFETY: the slot lies in the reserved memory, followed by its two rows.
        unsafe {
            let rows = rows_at(slot as u64);
            if (*slot).base == base && (*slot).variable == variable.0 {
                return rows;
            }
            if (*slot).base != base {
                *slot = Slot { variable: variable.0, base };
                note_slot(slot as u64);
                rows[0].write_bytes(0, 2 * WIDTH.0.get());
                return rows;
            }
        }
        index = (index + 1) % SLOTS;
    }
    crate::finish::unsupported(b"synchronises through more variables than rscale can watch")
}
