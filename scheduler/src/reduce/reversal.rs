//! Reversals: how the second event of a race can come before the first one.

use super::elsewhere::footprint_without;
use super::event::{Event, Wait};
use super::footprint::{Footprint, Mode, Role, Touch};
use super::history::{EventIndex, History};
use super::sequence::Sequence;
use rscale_protocol::arena::{Step, Token};
use rscale_protocol::{Choice, MemoryModel, Op};

/// What was executed.
#[derive(Clone, Copy)]
pub struct Executed<'a> {
    /// The steps.
    pub steps: &'a [Step],
    /// The events that they are.
    pub history: &'a History,
}

/// Two events whose order is to be reversed.
#[derive(Debug)]
pub struct Race {
    /// The first event; the reversal goes where it went.
    pub first: EventIndex,
    /// The second event.
    pub second: Second,
    /// Why nothing had to be planned when it was last looked at, if an event that was explored before is the reason.
    pub cover: Option<Cover>,
}

impl Race {
    /// A race that has not been looked at.
    #[must_use]
    pub fn new(first: EventIndex, second: Second) -> Race {
        Race { first, second, cover: None }
    }

    /// Whether nothing has to be planned because of what lies in the first events alone, which have not changed.
    #[must_use]
    pub fn is_covered_before(&self, unchanged: EventIndex) -> bool {
        self.cover.and_then(|cover| cover.met).is_some_and(|met| met < unchanged)
    }
}

/// An event that sleeps in the state where a reversal goes, and with which the reversal could begin. Executions that
/// share their beginnings share the reason, so what comes later is all that has to be looked at again.
#[derive(Clone, Copy, Debug)]
pub struct Cover {
    /// Its place in the sleep set.
    pub sleeper: usize,
    /// Where the execution has it, if it does before the second event of the race comes: what follows does not matter.
    pub met: Option<EventIndex>,
}

/// The second event of a race.
#[derive(Debug)]
pub enum Second {
    /// One of the execution.
    Executed(EventIndex),
    /// One of the execution, but it gives up waiting.
    Late(EventIndex),
    /// One that a thread would have taken next, where the execution ended.
    Pending(Footprint),
    /// One that could have been taken instead of the first one.
    Instead(Footprint),
}

/// A sequence that reverses a race: what comes after the first event but does not happen after it, and then the second
/// event.
pub struct Reversal<'a> {
    /// The execution that it is taken from.
    pub executed: Executed<'a>,
    /// The first event; the sequence goes where it went.
    pub first: EventIndex,
    /// Events from here on do not count.
    until: EventIndex,
    /// The second event, as it would be.
    last: Footprint,
    /// The second event, as it was, if it was executed.
    pub second: Option<EventIndex>,
    /// The first event, where it follows: it ended the process, and will do so again. Without it, what conflicts with
    /// it could come before the sequence.
    end: Option<&'a Footprint>,
    /// Events of the sequence that are not what they were, because the first one does not come before them.
    changed: Vec<(EventIndex, Footprint)>,
}

/// How much of the execution a reversal takes over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// What comes before the second event.
    UpToSecond,
    /// All of it.
    Whole,
}

impl<'a> Reversal<'a> {
    /// The reversal of a race.
    #[must_use]
    pub fn of(race: &Race, executed: Executed<'a>, extent: Extent) -> Reversal<'a> {
        let history = executed.history;
        let (until, last, second) = match &race.second {
            Second::Executed(index) => (*index, footprint_without(history, race.first, *index), Some(*index)),
            Second::Late(index) => (*index, late(&history.event(*index).footprint), Some(*index)),
            Second::Pending(footprint) => (history.len(), *footprint, None),
            Second::Instead(footprint) => (race.first, *footprint, None),
        };
        let is_whole = extent == Extent::Whole && second.is_some();
        let until = if is_whole { history.len() } else { until };
        let first = history.event(race.first);
        let ends_again = extent == Extent::Whole && second.is_none() && first.ends_early_behind(&last);
        let end = ends_again.then_some(&first.footprint);
        let mut reversal = Reversal { executed, first: race.first, until, last, second, end, changed: Vec::new() };
        if first.op == Op::BarrierArrive {
            reversal.make_room_at_barrier();
        }
        reversal
    }

    /// One less has arrived at a barrier: nobody but the second event can be the last but one.
    fn make_room_at_barrier(&mut self) {
        let history = self.executed.history;
        let is_claim = |touch: &Touch| touch.role == Role::Claim;
        let arrivals = self.events().filter(|&index| history.event(index).op == Op::BarrierArrive);
        let claims = arrivals.map(|index| (index, history.event(index).footprint));
        let without = |footprint: Footprint| {
            footprint.with(|parts| {
                parts.touches.iter_mut().filter(|touch| is_claim(touch)).for_each(|touch| touch.role = Role::None);
            })
        };
        let claims = claims.filter(|claim| claim.1.touches.iter().any(is_claim));
        self.changed = claims.map(|(index, footprint)| (index, without(footprint))).collect();
    }

    /// The events of the execution in it, in order; the second event follows them, and perhaps the end of the process.
    pub fn events(&self) -> impl Iterator<Item = EventIndex> + Clone + use<'a> {
        let (history, first) = (self.executed.history, self.first);
        let thread = history.event(first).footprint.thread();
        (first + 1..self.until).filter(move |&index| history.knows(index, thread) <= first)
    }

    /// Puts the whole sequence in one place.
    pub fn collect(&self, sequence: &mut Sequence) {
        if self.changed.is_empty() {
            sequence.extend(self.executed.history.unordered_behind(self.first, self.until));
            sequence.extend(self.conclusion().copied());
        } else {
            sequence.extend(self.sequence().copied());
        }
    }

    /// The whole sequence.
    pub fn sequence(&self) -> impl Iterator<Item = &Footprint> + Clone {
        let history = self.executed.history;
        let footprint = move |index| match self.changed.iter().find(|changed| changed.0 == index) {
            Some((_, changed)) => changed,
            None => &history.event(index).footprint,
        };
        self.events().map(footprint).chain(self.conclusion())
    }

    /// What follows the events of the execution in it.
    fn conclusion(&self) -> impl Iterator<Item = &Footprint> + Clone {
        std::iter::once(&self.last).chain(self.end)
    }

    /// Whether the sequence could begin with an event that is possible where it goes ([`Footprint::precedes`]); what it
    /// has before `from` is known not to be in the way.
    #[must_use]
    pub fn could_begin_with(&self, event: &Footprint, from: EventIndex) -> Option<Option<EventIndex>> {
        if !self.changed.is_empty() {
            return event.precedes(self.sequence()).map(|_| None);
        }
        let (history, from) = (self.executed.history, from.max(self.first + 1));
        let met = history.next_of(event.thread(), from).filter(|&index| index < self.until && self.has(index));
        if met.is_some_and(|index| history.event(index).footprint.token != event.token) {
            return None;
        }
        // Mostly it is the second event of the race that is in the way.
        if met.is_none() && event.precedes(self.conclusion()).is_none() {
            return None;
        }
        let range = from..met.unwrap_or(self.until);
        let is_free = match history.conflicts_in(event, range.clone()) {
            Some(mut others) => !others.any(|index| self.has(index)),
            None => !range.into_iter().any(|index| self.has(index) && history.event(index).footprint.conflicts(event)),
        };
        is_free.then_some(met)
    }

    /// Whether an event behind the first one does not happen after it.
    fn has(&self, index: EventIndex) -> bool {
        !self.executed.history.happens_before(self.first, index)
    }

    /// Whether the second event is a plain access of memory, which is possible wherever its thread is there.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        let history = self.executed.history;
        let is_access = |event: &Event| matches!(event.op, Op::Read | Op::Write) && event.wait == Wait::Nothing;
        history.memory_model() == MemoryModel::Sc
            && self.changed.is_empty()
            && self.second.is_some_and(|second| is_access(history.event(second)))
    }

    /// What the path takes now, where the first event went.
    #[must_use]
    pub fn taken(&self) -> Token {
        self.executed.history.event(self.first).footprint.token
    }
}

/// A wait that gives up: it has seen that it would have to go on waiting.
fn late(footprint: &Footprint) -> Footprint {
    footprint.with(|parts| {
        parts.token.choice = Choice::TimeOut;
        parts.touches.truncate(1);
        parts.touches.iter_mut().for_each(|touch| (touch.mode, touch.role) = (Mode::Read, Role::None));
    })
}
