//! The events that come directly before another one: what its clock is made of, and where races are looked for.
//!
//! Of each thread, the last one is enough: what that thread did before comes before it. And behind the last write of a
//! variable nobody need look, since everything earlier comes before that write.

use super::{EventIndex, History};
use crate::reduce::event::Event;
use crate::reduce::footprint::{Mode, Reach, Touch, VariableId};
use rscale_protocol::{ThreadId, ThreadSet};

/// An event that comes directly before another one, and why.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Predecessor {
    /// The event.
    pub event: EventIndex,
    /// Why.
    pub link: Link,
}

/// Why an event comes before another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Link {
    /// The same thread, or it made the other one possible: they can not be swapped.
    Fixed,
    /// Both touch this variable.
    Variable(VariableId),
    /// One of them acts on the other's thread, whatever it does.
    Reach,
}

impl History {
    /// The events that come directly before one that would be the next. Returns how many pairs of touches were
    /// compared.
    pub fn predecessors(&self, event: &Event, found: &mut Vec<Predecessor>) -> u64 {
        found.clear();
        let thread = event.footprint.thread();
        let previous = self.last_of(thread);
        found.extend(previous.map(|event| Predecessor { event, link: Link::Fixed }));
        found.extend(event.made_possible_by.iter().map(|&event| Predecessor { event, link: Link::Fixed }));
        let compared = event.footprint.touches.iter().map(|touch| self.conflicting(touch, thread, found)).sum();
        self.reaching_predecessors(event, found);
        compared
    }

    /// The last events that a touch conflicts with, one of each thread. Returns how many pairs that decides about.
    fn conflicting(&self, touch: &Touch, thread: ThreadId, found: &mut Vec<Predecessor>) -> u64 {
        let (entries, mut compared) = (self.touched(touch.variable), 0);
        let mut seen = ThreadSet::EMPTY;
        seen.insert(thread);
        while let Some(entry) = entries.len().checked_sub(compared + 1).map(|index| &entries[index]) {
            if !entry.mode.conflicts(touch.mode) {
                // Neither do those before it that are like it: a loop may have read the variable many times.
                compared += entry.alike as usize + 1;
                continue;
            }
            compared += 1;
            if !seen.contains(entry.thread) {
                seen.insert(entry.thread);
                found.push(Predecessor { event: entry.event, link: Link::Variable(touch.variable) });
            }
            if entry.mode == Mode::Write {
                break;
            }
        }
        compared as u64
    }

    /// The events from this one on that depend on whatever some thread does, from the last to the first.
    pub fn reaching_since(&self, event: EventIndex) -> impl Iterator<Item = EventIndex> {
        self.reaching.iter().rev().copied().take_while(move |&index| index >= event)
    }

    fn reaching_predecessors(&self, event: &Event, found: &mut Vec<Predecessor>) {
        let thread = event.footprint.thread();
        let mut add = |event| found.push(Predecessor { event, link: Link::Reach });
        let since = self.last_of(thread);
        for &index in self.reaching.iter().rev() {
            let other = &self.event(index).footprint;
            if Some(index) <= since {
                break;
            }
            if other.thread() != thread && (other.reach == Reach::Everyone || other.reach == Reach::Thread(thread)) {
                add(index);
                break;
            }
        }
        match event.footprint.reach {
            Reach::Own => {}
            Reach::Thread(other) => self.last_of(other).into_iter().for_each(add),
            Reach::Everyone => {
                let threads = (0..self.last.len()).filter_map(ThreadId::from_index);
                threads.filter(|&other| other != thread).filter_map(|other| self.last_of(other)).for_each(add);
            }
        }
    }
}
