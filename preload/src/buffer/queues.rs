//! The queues of a thread: which of its stores become visible in their order.
//!
//! Under TSO there is one. Under PSO there is one for each communication variable that the thread has stored to since it
//! last waited for its buffer to be empty. One store belongs to one variable, so stores that overlap, of whatever size, are
//! in the same queue and keep their order. Which queue a variable gets depends on the thread's own history alone: the
//! same shadow thread does the same in all equivalent executions.

use super::model;
use crate::finish;
use core::cell::Cell;
use rscale_protocol::{MAX_THREADS, MemoryModel, ThreadId};

/// The queues, by the numbers of their shadow threads.
pub struct Queues {
    queues: [Queue; MAX_THREADS],
}

struct Queue {
    /// The variable whose stores it has; 0 for none.
    location: Cell<u64>,
    /// Stores that were put into it, ever and since the thread waited for an empty buffer.
    issued: Cell<u32>,
    since: Cell<u32>,
    /// Stores that have become visible.
    flushed: Cell<u32>,
}

impl Queues {
    pub const fn new() -> Queues {
        const EMPTY: Queue =
            Queue { location: Cell::new(0), issued: Cell::new(0), since: Cell::new(0), flushed: Cell::new(0) };
        Queues { queues: [EMPTY; MAX_THREADS] }
    }

    /// The queue for a store to a variable.
    pub fn of(&self, owner: ThreadId, location: u64) -> ThreadId {
        let fits = |queue: &ThreadId| {
            let known = self.queues[queue.index()].location.get();
            known == 0 || known == location || model() == MemoryModel::Tso
        };
        let Some(queue) = model().shadows(owner).find(fits) else { no_queue_left() };
        self.queues[queue.index()].location.set(location);
        queue
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

    /// Which store of the queue, by its number there, has to be visible before another one finds room. None if there is room
    /// for certain.
    pub fn needed_for_room(&self, queue: ThreadId, bound: u32) -> Option<u32> {
        let queue = &self.queues[queue.index()];
        (queue.since.get() >= bound).then(|| queue.issued.get() - bound)
    }

    /// The buffer of the thread is empty: its queues are free for other variables.
    pub fn forget(&self, owner: ThreadId) {
        for queue in model().shadows(owner).map(|queue| &self.queues[queue.index()]) {
            queue.location.set(0);
            queue.since.set(0);
        }
    }
}

fn no_queue_left() -> ! {
    finish::unsupported(if model() == MemoryModel::Pso {
        b"stores to more than 15 shared locations without a fence, which is more than --memory pso can keep apart"
    } else {
        b"has more threads than --memory tso can give store buffers (64)"
    })
}
