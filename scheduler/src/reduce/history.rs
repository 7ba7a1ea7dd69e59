//! The events of the current execution, and which of them happens before which.
//!
//! Every event has a clock: for each thread, how many events of the execution one has to take to have all of that
//! thread's events that happen before it. So whether one event happens before another is one comparison. The search
//! keeps the events of the path to the state where it goes on, and takes back the others.

mod predecessors;

pub use predecessors::{Link, Predecessor};

use super::clocks::Clocks;
use super::event::Event;
use super::familiar::Familiar;
use super::footprint::{Footprint, Mode, Reach, Role, Touch, VariableId};
use super::names::Names;
use super::repeats::{Mark, Repeats};
use super::shapes::{Sections, Shapes};
use crate::frontend::VariableHasher;
use rscale_protocol::{MemoryModel, ThreadId, ThreadSet, Variable};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Range;

/// The place of an event in the execution.
pub type EventIndex = u32;

/// One touch of a variable.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Whose.
    pub event: EventIndex,
    /// Its thread.
    pub thread: ThreadId,
    /// How.
    pub mode: Mode,
    /// What it does.
    pub role: Role,
    /// How many touches directly before it are of the same mode.
    pub alike: u32,
}

impl Entry {
    /// Whether its order with another touch of the variable can matter.
    fn conflicts(&self, touch: &Touch) -> bool {
        let Entry { mode, role, .. } = *self;
        Touch { mode, role, ..*touch }.conflicts(touch)
    }
}

/// The events so far.
#[derive(Debug, Default)]
pub struct History {
    events: Vec<Event>,
    /// What they touch.
    footprints: Vec<Footprint>,
    clocks: Clocks,
    names: HashMap<Variable, VariableId, BuildHasherDefault<VariableHasher>>,
    /// Where these numbers come from, which other searches may use too.
    numbers: Names,
    /// Who touched each variable, in order.
    touched: Vec<Vec<Entry>>,
    /// The last event of each thread, plus one.
    last: Vec<EventIndex>,
    /// Events that act on more than they touch.
    reaching: Vec<EventIndex>,
    shapes: Shapes,
    memory_model: MemoryModel,
    /// Who waits on each condition variable.
    waiting: HashMap<VariableId, ThreadSet, BuildHasherDefault<VariableHasher>>,
    /// How many of the first events have not changed for a while.
    unchanged: EventIndex,
    repeats: Repeats,
    familiar: Familiar,
}

impl History {
    /// No events yet, of an execution under a memory model.
    #[must_use]
    pub fn under(memory_model: MemoryModel) -> History {
        History { memory_model, ..History::default() }
    }

    /// Numbers variables as others do; nothing is numbered yet.
    pub fn agree_with(&mut self, numbers: &Names, sections: &Sections) {
        self.numbers = numbers.clone();
        self.shapes.agree_with(sections);
    }

    /// What sections touch, by all that share the search.
    #[must_use]
    pub fn sections(&self) -> &Sections {
        self.shapes.sections()
    }

    /// The numbers of variables, for others.
    #[must_use]
    pub fn numbers(&self) -> &Names {
        &self.numbers
    }

    /// The memory model.
    #[must_use]
    pub fn memory_model(&self) -> MemoryModel {
        self.memory_model
    }

    /// The events.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// What threads have done before, in this execution or another.
    #[inline]
    #[must_use]
    pub fn familiar(&self) -> &Familiar {
        &self.familiar
    }

    /// The same, to add to it.
    pub fn familiar_mut(&mut self) -> &mut Familiar {
        &mut self.familiar
    }

    /// Where the execution has come back to a state.
    #[must_use]
    pub fn repeats(&self) -> &Repeats {
        &self.repeats
    }

    /// The event at a place.
    #[must_use]
    pub fn event(&self, index: EventIndex) -> &Event {
        &self.events[index as usize]
    }

    /// The events behind one, up to another, that do not happen after it.
    pub fn unordered_behind(&self, first: EventIndex, until: EventIndex) -> impl Iterator<Item = Footprint> {
        let thread = self.footprints[first as usize].thread().index();
        let range = first as usize + 1..(until as usize).max(first as usize + 1);
        let unordered = self
            .clocks
            .range(range.clone())
            .zip(&self.footprints[range])
            .filter(move |(clock, _)| clock[thread] <= first);
        unordered.map(|(_, &event)| event)
    }

    /// How many there are: the place of the next one.
    #[must_use]
    pub fn len(&self) -> EventIndex {
        self.events.len() as EventIndex
    }

    /// The number of a variable.
    pub fn variable(&mut self, name: Variable) -> VariableId {
        let (touched, numbers) = (&mut self.touched, &self.numbers);
        *self.names.entry(name).or_insert_with(|| {
            let number = numbers.number(name);
            touched.resize_with(touched.len().max(number as usize + 1), Vec::new);
            number
        })
    }

    /// The names of the variables, by their numbers.
    #[must_use]
    pub fn names(&self) -> Vec<Variable> {
        let mut names = vec![Variable(0); self.touched.len()];
        self.names.iter().for_each(|(&name, &number)| names[number as usize] = name);
        names
    }

    /// The number of a variable, if an event has touched it.
    #[must_use]
    pub fn known(&self, name: Variable) -> Option<VariableId> {
        self.names.get(&name).copied()
    }

    /// Who touched the variable, in order.
    #[must_use]
    pub fn touched(&self, variable: VariableId) -> &[Entry] {
        &self.touched[variable as usize]
    }

    /// Whether no event acts on more than it touches.
    #[must_use]
    pub fn reaches_nobody(&self) -> bool {
        self.reaching.is_empty()
    }

    /// Who waits on the condition variable.
    #[must_use]
    pub fn waiting(&self, variable: VariableId) -> ThreadSet {
        self.waiting.get(&variable).copied().unwrap_or_default()
    }

    /// The last event of a thread.
    #[must_use]
    pub fn last_of(&self, thread: ThreadId) -> Option<EventIndex> {
        self.last.get(thread.index()).and_then(|last| last.checked_sub(1))
    }

    /// How many events the thread has.
    #[must_use]
    pub fn count_of(&self, thread: ThreadId) -> u32 {
        self.last_of(thread).map_or(0, |last| self.event(last).number + 1)
    }

    /// The event of the same thread before this one.
    #[must_use]
    pub fn before(&self, index: EventIndex) -> Option<EventIndex> {
        self.event(index).previous
    }

    /// The first event of a thread from a place on.
    #[must_use]
    pub fn next_of(&self, thread: ThreadId, from: EventIndex) -> Option<EventIndex> {
        let own = std::iter::successors(self.last_of(thread), |&index| self.before(index));
        own.take_while(|&index| index >= from).last()
    }

    /// The events of other threads in a range that conflict with an event. None if that takes to look at all of them.
    pub fn conflicts_in<'a>(
        &'a self,
        event: &'a Footprint,
        range: Range<EventIndex>,
    ) -> Option<impl Iterator<Item = EventIndex> + 'a> {
        if event.reach != Reach::Own || self.reaching.last().is_some_and(|&last| last >= range.start) {
            return None;
        }
        let at_variable = move |touch: &'a Touch| {
            let later = self.touched(touch.variable).iter().rev().skip_while({
                let end = range.end;
                move |entry| entry.event >= end
            });
            let start = range.start;
            let here = later.take_while(move |entry| entry.event >= start);
            // Nothing there acts on more than it touches, so that their touches decide.
            here.filter(move |entry| entry.thread != event.thread() && entry.conflicts(touch))
        };
        Some(event.touches.iter().flat_map(at_variable).map(|entry| entry.event))
    }

    /// Whether the first event happens before the second, or is it.
    #[must_use]
    #[inline]
    pub fn happens_before(&self, first: EventIndex, second: EventIndex) -> bool {
        first <= second && self.knows(second, self.footprints[first as usize].thread()) > first
    }

    /// How many events of the execution one has to take to have all of a thread's that happen before this one.
    #[must_use]
    #[inline]
    pub fn knows(&self, index: EventIndex, thread: ThreadId) -> EventIndex {
        self.clocks.at(index, thread)
    }

    /// How many of the first events have been there since [`History::settle`] was last called.
    #[must_use]
    pub fn unchanged(&self) -> EventIndex {
        self.unchanged
    }

    /// From now on, changes are counted against the events as they are now.
    pub fn settle(&mut self) {
        self.unchanged = self.len();
    }

    /// How many events of the execution one has to take to have all of each thread's that happen before this one.
    #[must_use]
    pub fn clock(&self, index: EventIndex) -> &[EventIndex] {
        self.clocks.of(index)
    }

    /// Adds an event behind the others, with its predecessors.
    #[inline]
    pub fn push(&mut self, mut event: Event, predecessors: &[Predecessor]) {
        let index = self.len();
        let thread = event.footprint.thread();
        self.clocks.make_room(thread);
        if self.last.len() < self.clocks.width() {
            self.last.resize(self.clocks.width(), 0);
        }
        event.previous = self.last_of(thread);
        event.number = event.previous.map_or(0, |previous| self.event(previous).number + 1);
        if event.footprint.steps > 1 {
            self.shapes.see(&event);
        }
        let footprints = &self.footprints;
        let known = predecessors.iter().map(|other| (other.event, footprints[other.event as usize].thread()));
        self.clocks.push(thread, known);
        self.last[thread.index()] = index + 1;
        for touch in &event.footprint.touches {
            let touched = &mut self.touched[touch.variable as usize];
            let alike = touched.last().filter(|last| last.mode == touch.mode).map_or(0, |last| last.alike + 1);
            touched.push(Entry { event: index, thread, mode: touch.mode, role: touch.role, alike });
        }
        if event.footprint.reach != Reach::Own {
            self.reaching.push(index);
        }
        if let Some(waiters) = &event.waiters {
            self.waiting.insert(waiters.variable, waiters.after);
        }
        self.footprints.push(event.footprint);
        self.events.push(event);
    }

    /// What the last event means for the question whether the execution comes back to a state.
    pub fn mark(&mut self, mark: Mark) {
        if let Some(last) = self.footprints.last() {
            self.repeats.push(self.footprints.len() as EventIndex - 1, last.thread(), mark);
        }
    }

    /// Takes back all but the first events.
    pub fn truncate(&mut self, count: EventIndex) {
        while self.len() > count
            && let Some(event) = self.events.pop()
        {
            let thread = event.footprint.thread();
            self.last[thread.index()] = event.previous.map_or(0, |previous| previous + 1);
            for touch in &event.footprint.touches {
                self.touched[touch.variable as usize].pop();
            }
            if event.footprint.reach != Reach::Own {
                self.reaching.pop();
            }
            if let Some(waiters) = &event.waiters {
                self.waiting.insert(waiters.variable, waiters.before);
            }
        }
        self.footprints.truncate(count as usize);
        self.clocks.truncate(count);
        self.unchanged = self.unchanged.min(count);
        self.repeats.truncate(count);
    }

    /// Forgets all events, but not what it has learned about the program's sections.
    pub fn clear(&mut self) {
        let mut shapes = std::mem::take(&mut self.shapes);
        shapes.restart();
        let numbers = self.numbers.clone();
        *self = History { shapes, numbers, ..History::under(self.memory_model) };
    }

    /// Whether atomic sections may touch anything in another place.
    #[must_use]
    pub fn sections_vary(&self) -> bool {
        self.shapes.vary()
    }

    /// It is known from an earlier process that they may, or nothing is known.
    pub fn set_sections_vary(&mut self, vary: bool) {
        self.shapes.set_vary(vary);
    }

    /// Whether that has come to light since the search began: plans made before may have left something out.
    #[must_use]
    pub fn was_wrong(&self) -> bool {
        self.shapes.are_news()
    }

    /// Bytes that are kept.
    #[must_use]
    pub fn memory(&self) -> usize {
        let entries: usize = self.touched.iter().map(Vec::capacity).sum();
        self.events.capacity() * (size_of::<Event>() + size_of::<Footprint>())
            + self.clocks.memory()
            + entries * size_of::<Entry>()
    }
}
