//! Sleep sets: events that need not be taken in a state, because whatever begins with one was explored, or is
//! equivalent to what was. Most states have the one of the state before them, and share it.

use super::footprint::Footprint;
use super::mask::Mask;
use std::ops::Deref;
use std::rc::Rc;

/// How many of these events another event does not wake up.
#[must_use]
pub fn staying(sleepers: &[Footprint], event: &Footprint) -> usize {
    sleepers.iter().filter(|sleeper| !sleeper.conflicts(event)).count()
}

/// A sleep set, in the order in which its members fell asleep.
#[derive(Clone, Debug, Default)]
pub struct Sleep(Option<Rc<Members>>);

#[derive(Clone, Debug, Default)]
struct Members {
    events: Vec<Footprint>,
    mask: Mask,
}

impl Sleep {
    /// An event falls asleep.
    pub fn push(&mut self, event: Footprint) {
        let members = Rc::make_mut(self.0.get_or_insert_default());
        members.mask.add(event.outline());
        members.events.push(event);
    }

    /// The events that an event does not wake up.
    #[must_use]
    pub fn behind(&self, event: &Footprint) -> Sleep {
        if self.may_conflict(event) && self.iter().any(|sleeper| sleeper.conflicts(event)) {
            self.iter().filter(|sleeper| !sleeper.conflicts(event)).copied().collect()
        } else {
            self.clone()
        }
    }

    /// Whether this very event sleeps.
    #[must_use]
    pub fn has(&self, event: &Footprint) -> bool {
        self.0.as_ref().is_some_and(|members| members.mask.has_thread_of(event))
            && self.iter().any(|sleeper| sleeper.token == event.token)
    }

    /// Whether an event may wake up one of them: if not, it does not.
    #[must_use]
    pub fn may_conflict(&self, event: &Footprint) -> bool {
        self.0.as_ref().is_some_and(|members| members.mask.may_conflict(event.outline()))
    }
}

impl Deref for Sleep {
    type Target = [Footprint];
    fn deref(&self) -> &[Footprint] {
        self.0.as_ref().map_or(&[], |members| &members.events)
    }
}

impl FromIterator<Footprint> for Sleep {
    fn from_iter<I: IntoIterator<Item = Footprint>>(events: I) -> Sleep {
        let events: Vec<Footprint> = events.into_iter().collect();
        let mask = events.iter().collect();
        Sleep((!events.is_empty()).then(|| Rc::new(Members { events, mask })))
    }
}
