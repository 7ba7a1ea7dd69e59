//! The queues of a thread: which of its stores become visible in their order.
//!
//! Under TSO there is one. Under PSO there is one for each range of bytes that the thread has stored to since it last
//! waited for its buffer to be empty. Ranges may overlap: then a store waits for the older ones that have bytes in
//! common with it, whatever queues these are in. Which queue a range gets depends on the thread's own history alone:
//! the same shadow thread does the same in all equivalent executions.

use super::model;
use crate::access::locations::Location;
use crate::finish;
use core::cell::Cell;
use rscale_protocol::{MAX_THREADS, MemoryModel, ThreadId};

const NOTHING: Location = Location { start: 0, length: 0 };
/// Stores since the buffer was empty, and queues, of which a library uses no more.
const MOST_STORES: u32 = 64;
const MOST_QUEUES: usize = 8;

/// The queues, by the numbers of their shadow threads.
pub struct Queues {
    queues: [Queue; MAX_THREADS],
}

struct Queue {
    /// What its stores write; nothing if it is free.
    range: Cell<Location>,
    /// Stores that were put into it, ever and since the thread waited for an empty buffer.
    issued: Cell<u32>,
    since: Cell<u32>,
    /// Stores that have become visible.
    flushed: Cell<u32>,
}

impl Queue {
    const fn new() -> Queue {
        Queue { range: Cell::new(NOTHING), issued: Cell::new(0), since: Cell::new(0), flushed: Cell::new(0) }
    }
}

impl Queues {
    pub const fn new() -> Queues {
        Queues { queues: [const { Queue::new() }; MAX_THREADS] }
    }

    /// The queue for a store.
    pub fn of(&self, owner: ThreadId, range: Location) -> ThreadId {
        let fits = |queue: &ThreadId| {
            let known = self.queues[queue.index()].range.get();
            known == NOTHING || known == range || model() == MemoryModel::Tso
        };
        let Some(queue) = model().shadows(owner).find(fits) else { no_queue_left() };
        self.queues[queue.index()].range.set(range);
        queue
    }

    /// Whether there is a queue for a store of a library.
    pub fn has_place(&self, owner: ThreadId, range: Location) -> bool {
        let queues = || model().shadows(owner).map(|queue| &self.queues[queue.index()]);
        let is_known = model() == MemoryModel::Tso || queues().any(|queue| queue.range.get() == range);
        let used = queues().filter(|queue| queue.range.get() != NOTHING).count();
        (is_known || used < MOST_QUEUES) && queues().map(|queue| queue.since.get()).sum::<u32>() < MOST_STORES
    }

    /// The other queues of the thread, as bits, whose stores have bytes in common with this range.
    pub fn overlaps(&self, owner: ThreadId, queue: ThreadId, range: Location) -> u16 {
        let others = model().shadows(owner).enumerate().filter(|&(_, other)| other != queue);
        let meets = others.filter(|(_, other)| self.queues[other.index()].range.get().overlaps(range));
        meets.fold(0, |bits, (number, _)| bits | 1 << number)
    }

    pub fn note_issued(&self, queue: ThreadId) {
        let queue = &self.queues[queue.index()];
        queue.issued.set(queue.issued.get() + 1);
        queue.since.set(queue.since.get() + 1);
    }

    pub fn note_flushed(&self, queue: ThreadId) {
        let queue = &self.queues[queue.index()];
        queue.flushed.set(queue.flushed.get() + 1);
    }

    /// How many stores of a queue have become visible.
    pub fn flushed(&self, queue: ThreadId) -> u32 {
        self.queues[queue.index()].flushed.get()
    }

    /// Which store of the queue, by its number there, has to be visible before another one finds room. None if there is
    /// room for certain.
    pub fn needed_for_room(&self, queue: ThreadId, bound: u32) -> Option<u32> {
        let queue = &self.queues[queue.index()];
        (queue.since.get() >= bound).then(|| queue.issued.get() - bound)
    }

    /// The buffer of the thread is empty: its queues are free for other variables.
    pub fn forget(&self, owner: ThreadId) {
        for queue in model().shadows(owner).map(|queue| &self.queues[queue.index()]) {
            queue.range.set(NOTHING);
            queue.since.set(0);
        }
    }
}

fn no_queue_left() -> ! {
    finish::unsupported(if model() == MemoryModel::Pso {
        b"stores to more than 15 shared places without a fence, which is more than --memory pso can keep apart"
    } else {
        b"has more threads than --memory tso can give store buffers (64)"
    })
}
