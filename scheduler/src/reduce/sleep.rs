//! Sleep sets: events that need not be taken in a state, because whatever begins with one was explored, or is equivalent
//! to what was. Most states have the one of the state before them, and share it.

use super::footprint::Footprint;
use std::ops::Deref;
use std::rc::Rc;

/// How many of these events another event does not wake up.
#[must_use]
pub fn staying(sleepers: &[Footprint], event: &Footprint) -> usize {
    sleepers.iter().filter(|sleeper| !sleeper.conflicts(event)).count()
}

/// A sleep set, in the order in which its members fell asleep.
#[derive(Clone, Debug, Default)]
pub struct Sleep(Option<Rc<Vec<Footprint>>>);

impl Sleep {
    /// An event falls asleep.
    pub fn push(&mut self, event: Footprint) {
        Rc::make_mut(self.0.get_or_insert_default()).push(event);
    }

    /// The events that an event does not wake up.
    #[must_use]
    pub fn behind(&self, event: &Footprint) -> Sleep {
        if self.iter().any(|sleeper| sleeper.conflicts(event)) {
            self.iter().filter(|sleeper| !sleeper.conflicts(event)).cloned().collect()
        } else {
            self.clone()
        }
    }
}

impl Deref for Sleep {
    type Target = [Footprint];
    fn deref(&self) -> &[Footprint] {
        self.0.as_ref().map_or(&[], |events| events)
    }
}

impl FromIterator<Footprint> for Sleep {
    fn from_iter<I: IntoIterator<Item = Footprint>>(events: I) -> Sleep {
        let events: Vec<Footprint> = events.into_iter().collect();
        Sleep((!events.is_empty()).then(|| Rc::new(events)))
    }
}
