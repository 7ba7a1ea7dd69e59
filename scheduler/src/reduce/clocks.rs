//! Vector clocks of events: for each thread, how many events of the execution one has to take to have all of that
//! thread's events that happen before one.

use super::history::EventIndex;
use rscale_protocol::{MAX_THREADS, ThreadId};

/// The clocks of events, one after the other.
#[derive(Debug, Default)]
pub struct Clocks {
    all: Vec<EventIndex>,
    /// Threads that a clock has room for.
    width: usize,
}

impl Clocks {
    /// Threads that a clock has room for.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// The clock of an event.
    #[must_use]
    #[inline]
    pub fn of(&self, event: EventIndex) -> &[EventIndex] {
        &self.all[event as usize * self.width..][..self.width]
    }

    /// What the clock of an event says of a thread.
    #[must_use]
    #[inline]
    pub fn at(&self, event: EventIndex, thread: ThreadId) -> EventIndex {
        self.all[event as usize * self.width + thread.index()]
    }

    /// The clocks of some events, in order.
    pub fn range(&self, events: std::ops::Range<usize>) -> std::slice::ChunksExact<'_, EventIndex> {
        self.all[events.start * self.width..events.end * self.width].chunks_exact(self.width)
    }

    /// Adds the clock of the next event, which knows what its predecessors know: events and their threads.
    #[inline]
    pub fn push(&mut self, thread: ThreadId, mut predecessors: impl Iterator<Item = (EventIndex, ThreadId)>) {
        let (start, width) = (self.all.len(), self.width);
        let place = |event: EventIndex| event as usize * width;
        match predecessors.next() {
            None => self.all.resize(start + width, 0),
            Some((first, _)) => self.all.extend_from_within(place(first)..place(first) + width),
        }
        let (earlier, clock) = self.all.split_at_mut(start);
        for (event, thread) in predecessors {
            // Most others come before the first one, or are it.
            if clock[thread.index()] <= event {
                let known = &earlier[place(event)..][..width];
                clock.iter_mut().zip(known).for_each(|(mine, &theirs)| *mine = (*mine).max(theirs));
            }
        }
        clock[thread.index()] = (start / width) as EventIndex + 1;
    }

    /// Takes back all but the first ones.
    pub fn truncate(&mut self, events: EventIndex) {
        self.all.truncate(events as usize * self.width);
    }

    /// Makes clocks wide enough for a thread; most programs create all their threads in the first execution.
    #[inline]
    pub fn make_room(&mut self, thread: ThreadId) {
        if thread.index() >= self.width {
            self.widen(thread);
        }
    }

    #[cold]
    fn widen(&mut self, thread: ThreadId) {
        let width = (thread.index() + 1).max(self.width * 3 / 2).next_multiple_of(4).min(MAX_THREADS);
        let events = self.all.len().checked_div(self.width).unwrap_or(0);
        let mut all = vec![0; events * width];
        if self.width > 0 {
            for (new, old) in all.chunks_exact_mut(width).zip(self.all.chunks_exact(self.width)) {
                new[..old.len()].copy_from_slice(old);
            }
        }
        *self = Clocks { all, width };
    }

    /// Bytes that are kept.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.all.capacity() * size_of::<EventIndex>()
    }
}
