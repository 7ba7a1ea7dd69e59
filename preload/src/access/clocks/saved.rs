//! Clocks in checkpoints.

use super::rows::{self, ACTIVE, Row, SLOT_COUNT, active_bytes, row, row_of_store, rows_at, slots_used};
use super::{BASE, BUDGET, DRAINED, EPOCH, HIGHEST, LATEST, MEMORY_WRITTEN, ORDERED, ROW, WHOLE, threads};
use crate::buffer;
use crate::checkpoint::Tape;
use rscale_protocol::ThreadId;

/// Slots of an execution that can be saved: to save more takes longer than to repeat its steps.
const MOST_SAVED: usize = 1024;

/// Saves clocks and slots.
pub fn save(tape: &mut Tape) {
    if SLOT_COUNT.0.get() > MOST_SAVED {
        return tape.give_up();
    }
    [&EPOCH, &WHOLE, &ROW, &BASE, &LATEST].into_iter().for_each(|clock| tape.put(clock.0.get()));
    tape.put((BUDGET.0.get(), MEMORY_WRITTEN.0.get(), SLOT_COUNT.0.get(), ACTIVE.0.get()));
    for thread in threads_with_buffers() {
        tape.put((DRAINED[thread.index()].0.get(), ORDERED[thread.index()].0.get()));
    }
    rows_used().for_each(|row| save_row(row, tape));
    for slot in slots_used() {
        // SAFETY: a slot in use.
        tape.put(unsafe { *slot });
        rows_at(slot).into_iter().for_each(|row| save_row(row, tape));
    }
}

/// Brings back what was saved; the world has been brought back already. Slots that were filled since are free.
pub fn bring_back(tape: &mut Tape) {
    HIGHEST.0.set(HIGHEST.0.get().max(LATEST.0.get()));
    [&EPOCH, &WHOLE, &ROW, &BASE, &LATEST].into_iter().for_each(|clock| clock.0.set(tape.take()));
    let (budget, memory_written, count, active): (i64, bool, usize, usize) = tape.take();
    BUDGET.0.set(budget);
    MEMORY_WRITTEN.0.set(memory_written);
    SLOT_COUNT.0.set(count);
    ACTIVE.0.set(active);
    for thread in threads_with_buffers() {
        let (drained, ordered) = tape.take();
        DRAINED[thread.index()].0.set(drained);
        ORDERED[thread.index()].0.set(ordered);
    }
    rows_used().for_each(|row| bring_back_row(row, tape));
    for slot in slots_used() {
        // SAFETY: a slot in use.
        unsafe { *slot = tape.take() };
        rows_at(slot).into_iter().for_each(|row| bring_back_row(row, tape));
    }
}

fn save_row(row: Row, tape: &mut Tape) {
    if let Some(place) = tape.aligned_room(active_bytes()) {
        rows::save(row, place);
    }
}

fn bring_back_row(row: Row, tape: &mut Tape) {
    rows::bring_back(row, tape.aligned_place(active_bytes()));
}

/// The threads, where stores are buffered.
fn threads_with_buffers() -> impl Iterator<Item = ThreadId> {
    threads().take_while(|_| buffer::is_on())
}

/// The rows that hold something: those of threads, of their shadows, and of stores in buffers.
fn rows_used() -> impl Iterator<Item = Row> {
    let shadows = threads_with_buffers().flat_map(|thread| buffer::model().shadows(thread)).map(row);
    threads().map(row).chain(shadows).chain(buffer::slots_used().map(row_of_store))
}
