//! Clocks in checkpoints.

use super::rows::{
    ACTIVE, MOST_ACTIVE, Row, SLOT_COUNT, Slot, active_bytes, can_go_back, row, row_of_store, rows_at, slots_used,
};
use super::{BASE, BUDGET, DRAINED, EPOCH, HIGHEST, LATEST, MEMORY_WRITTEN, ORDERED, ROW, WHOLE, threads};
use crate::buffer;
use crate::checkpoint::Tape;

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

/// The rows that hold something: those of threads, of their shadows, and of stores in buffers.
fn rows_used() -> impl Iterator<Item = Row> {
    let weak = threads().filter(|_| buffer::is_on());
    let shadows = weak.flat_map(|thread| buffer::model().shadows(thread)).map(row);
    threads().map(row).chain(shadows).chain(buffer::slots_used().map(row_of_store))
}
