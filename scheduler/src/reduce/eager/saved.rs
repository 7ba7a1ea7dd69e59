//! Sections that are written down, so that another process can go on with them.
//!
//! A section was planned from an execution that need not be the last one: a thread may have gone another way since. So
//! its members are written down, but only those that the path does not show: it is run again anyway, and sections that
//! begin one behind the other have most members in common. What conflicts with what is found out again.

use super::ends::Ends;
use super::placed::Placed;
use super::section::{Member, Members, Section};
use crate::reduce::history::{EventIndex, History};
use crate::reduce::saved::SavedEvent;
use rscale_protocol::{ThreadId, ThreadSet, Variable};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Arc;

/// What a search knows of sections.
#[derive(Clone, Default, Serialize, Deserialize, PartialEq, Debug)]
pub struct SavedSections {
    /// Where sections end ([`Ends`]).
    branching: Vec<u64>,
    varying: Vec<u64>,
    /// Those of the path.
    placed: Vec<SavedPlaced>,
    /// Whether sequences were dropped in shared states on it.
    pub(super) is_crowded: bool,
}

/// A section of the path.
#[derive(Clone, Serialize, Deserialize, PartialEq, Debug)]
struct SavedPlaced {
    threads: Vec<SavedThread>,
    start: EventIndex,
    until: EventIndex,
    is_whole: bool,
    relied_on: Vec<(EventIndex, u16, u32)>,
    tried: Vec<(EventIndex, [u64; 2])>,
}

/// The members of a thread.
#[derive(Clone, Serialize, Deserialize, PartialEq, Debug)]
struct SavedThread {
    thread: u16,
    /// How many events of the thread come before them.
    first: u32,
    count: u32,
    /// Those that the path does not show, by their places among all.
    unseen: Vec<(u32, SavedMember)>,
}

#[derive(Clone, Serialize, Deserialize, PartialEq, Debug)]
struct SavedMember {
    event: SavedEvent,
    pc: u64,
}

/// The events of each thread on the path.
struct Shown(HashMap<ThreadId, Vec<EventIndex>>);

impl Shown {
    fn by(history: &History) -> Shown {
        let mut indices: HashMap<ThreadId, Vec<EventIndex>> = HashMap::new();
        for (index, event) in (0..).zip(history.events()) {
            indices.entry(event.footprint.thread()).or_default().push(index);
        }
        Shown(indices)
    }

    /// The event of a thread with this number, as a member.
    fn member(&self, thread: ThreadId, number: u32, history: &History) -> Option<Member> {
        let &index = self.0.get(&thread)?.get(number as usize)?;
        Some(Member::new(history.event(index)))
    }
}

impl SavedSections {
    /// These sections of the path.
    #[must_use]
    pub fn of(ends: &Ends, placed: &[Placed], is_crowded: bool, history: &History) -> SavedSections {
        let (names, shown) = (history.names(), Shown::by(history));
        let [branching, varying] = ends.places();
        let placed = placed.iter().map(|placed| SavedPlaced::of(placed, &shown, history, &names)).collect();
        SavedSections { branching, varying, placed, is_crowded }
    }

    /// What is known, once the path has been followed. None if that makes no sense.
    pub fn restored(&self, history: &mut History) -> Option<(Ends, Vec<Placed>)> {
        let (ends, shown) = (Ends::at(&self.branching, &self.varying), Shown::by(history));
        let placed = self.placed.iter().map(|placed| placed.restored(&shown, history)).collect::<Option<_>>()?;
        Some((ends, placed))
    }
}

impl SavedPlaced {
    fn of(placed: &Placed, shown: &Shown, history: &History, names: &[Variable]) -> SavedPlaced {
        let threads = placed.section.threads();
        SavedPlaced {
            threads: threads.map(|thread| SavedThread::of(thread, shown, history, names)).collect(),
            start: placed.start,
            until: placed.until,
            is_whole: placed.is_whole,
            relied_on: placed.relied_on.iter().map(|&(at, thread, number)| (at, thread.0, number)).collect(),
            tried: placed.tried.iter().map(|&(at, threads)| (at, threads.words())).collect(),
        }
    }

    fn restored(&self, shown: &Shown, history: &mut History) -> Option<Placed> {
        let threads = self.threads.iter().map(|thread| thread.restored(shown, history)).collect::<Option<_>>()?;
        let relied_on = |&(at, thread, number): &(EventIndex, u16, u32)| {
            Some((at, ThreadId::from_index(thread.into())?, number)).filter(|_| at < history.len())
        };
        Some(Placed {
            section: Arc::new(Section::of(threads)),
            start: self.start,
            until: self.until,
            is_whole: self.is_whole,
            relied_on: self.relied_on.iter().map(relied_on).collect::<Option<_>>()?,
            tried: self.tried.iter().map(|&(at, threads)| (at, ThreadSet::from_words(threads))).collect(),
        })
    }
}

impl SavedThread {
    fn of(
        (thread, first, members): (ThreadId, u32, &[Member]),
        shown: &Shown,
        history: &History,
        names: &[Variable],
    ) -> SavedThread {
        let is_unseen = |&(place, member): &(u32, &Member)| {
            shown.member(thread, first + place, history).is_none_or(|shown| !member.is_like(&shown))
        };
        let saved = |(place, member): (u32, &Member)| {
            (place, SavedMember { event: SavedEvent::of(&member.footprint, names), pc: member.pc })
        };
        SavedThread {
            thread: thread.0,
            first,
            count: members.len() as u32,
            unseen: (0..).zip(members).filter(is_unseen).map(saved).collect(),
        }
    }

    fn restored(&self, shown: &Shown, history: &mut History) -> Option<Members> {
        let thread = ThreadId::from_index(self.thread.into())?;
        let mut unseen = self.unseen.iter().peekable();
        let mut member = |place: u32| match unseen.next_if(|(unseen, _)| *unseen == place) {
            Some((_, SavedMember { event, pc })) => Some(Member::doing(event.restored(history)?, *pc)),
            None => shown.member(thread, self.first.checked_add(place)?, history),
        };
        let members = (0..self.count).map(&mut member).collect::<Option<_>>()?;
        unseen.next().is_none().then_some(Members { thread, first: self.first, members })
    }
}
