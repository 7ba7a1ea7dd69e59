//! What a thread sees: memory, overlaid with its own stores.
//!
//! Code that is not watched stores to memory as it is, and may do so where a store of its thread is buffered. That must
//! not be lost when the buffer is withdrawn: it becomes what the newest store to these bytes has written.

use super::{all, is_on, of, stores};
use rscale_protocol::ThreadId;

/// The newest store of the thread has taken place, if it was about to: reads what it wrote.
pub fn close(thread: ThreadId) {
    if of(thread).is_open.replace(false)
        && let Some(slot) = all().stores.of(thread).next_back()
    {
        let store = all().stores.get(slot);
        store.new = stores::load(store.range);
    }
}

/// The thread arrives at a gate: from here on, memory is what all threads see.
#[inline(always)]
pub fn withdraw(thread: ThreadId) {
    if is_on() && of(thread).is_applied.replace(false) {
        close(thread);
        for slot in all().stores.of(thread).rev() {
            let store = all().stores.get(slot);
            store.new = stores::load(store.range);
            stores::put(&store.below, store.range);
        }
    }
}

/// The thread goes on: it sees its own stores.
#[inline(always)]
pub fn apply(thread: ThreadId) {
    if is_on() && of(thread).pending.get() > 0 {
        of(thread).is_applied.set(true);
        for slot in all().stores.of(thread) {
            let store = all().stores.get(slot);
            store.below = stores::load(store.range);
            stores::put(&store.new, store.range);
        }
    }
}
