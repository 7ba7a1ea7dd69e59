//! What some events touch, roughly: whether another event can conflict with any of them is mostly told without looking
//! at each of them.

use super::footprint::{Footprint, Mode, Parts, Reach};
use rscale_protocol::arena::Token;
use rscale_protocol::{ThreadId, ThreadSet};
use smallvec::SmallVec;

/// One event: whose it is, and what it touches.
#[derive(Clone, Copy, Debug)]
pub struct Outline {
    /// Whose it is, and in which way it was taken.
    pub token: Token,
    /// Whether it acts on more than it touches.
    reaches: bool,
    /// A bit for each variable that it touches; some share one.
    touched: u64,
    /// Those that it does not only look at.
    changed: u64,
}

impl Outline {
    /// That of an event.
    #[inline]
    #[must_use]
    pub fn of(event: &Parts) -> Outline {
        let (mut touched, mut changed) = (0, 0);
        for touch in &event.touches {
            let bit = 1 << (touch.variable % u64::BITS);
            touched |= bit;
            changed |= if touch.mode == Mode::Read { 0 } else { bit };
        }
        Outline { token: event.token, reaches: event.reach != Reach::Own, touched, changed }
    }

    /// Whose it is.
    #[inline]
    #[must_use]
    pub fn thread(&self) -> ThreadId {
        self.token.thread
    }

    /// Whether it may conflict with an event of another thread: if not, it does not.
    #[inline]
    #[must_use]
    pub fn may_conflict(&self, other: &Outline) -> bool {
        (self.touched & other.changed) | (self.changed & other.touched) != 0 || self.reaches | other.reaches
    }
}

/// The threads and the variables of some events.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mask {
    threads: ThreadSet,
    /// A bit for each variable; some share one.
    touched: u64,
    /// Those that not all of them only look at.
    changed: u64,
    /// Whether one of them acts on more than it touches.
    reaches: bool,
}

impl Mask {
    /// Adds an event.
    #[inline]
    pub fn add(&mut self, event: &Outline) {
        self.threads.insert(event.thread());
        self.touched |= event.touched;
        self.changed |= event.changed;
        self.reaches |= event.reaches;
    }

    /// Whether a thread has one of the events.
    #[inline]
    #[must_use]
    pub fn has_thread_of(&self, event: &Footprint) -> bool {
        self.threads.contains(event.thread())
    }

    /// Whether an event may conflict with one of them: if not, it does not.
    #[inline]
    #[must_use]
    pub fn may_conflict(&self, event: &Outline) -> bool {
        let touches = (self.touched & event.changed) | (self.changed & event.touched) != 0;
        let reaches = (self.reaches || event.reaches) && !self.threads.is_empty();
        touches || reaches || self.threads.contains(event.thread())
    }
}

impl<'a> FromIterator<&'a Footprint> for Mask {
    fn from_iter<I: IntoIterator<Item = &'a Footprint>>(events: I) -> Mask {
        let mut mask = Mask::default();
        events.into_iter().for_each(|event| mask.add(event.outline()));
        mask
    }
}

/// Events that sleep, and wake up as others are taken.
pub struct Sleepers {
    events: SmallVec<[Footprint; 16]>,
    mask: Mask,
}

impl Sleepers {
    /// Takes an event: what conflicts with it wakes up.
    #[inline]
    pub fn take(&mut self, event: &Footprint) {
        if self.mask.may_conflict(event.outline()) {
            self.events.retain(|sleeper| !sleeper.conflicts(event));
            self.mask = self.events.iter().collect();
        }
    }

    /// An event falls asleep.
    pub fn push(&mut self, event: &Footprint) {
        self.events.push(*event);
        self.mask.add(event.outline());
    }

    /// Whose they are.
    #[must_use]
    pub fn threads(&self) -> ThreadSet {
        self.events.iter().map(|event| event.thread()).collect()
    }
}

impl<'a> FromIterator<&'a Footprint> for Sleepers {
    fn from_iter<I: IntoIterator<Item = &'a Footprint>>(events: I) -> Sleepers {
        let events: SmallVec<[Footprint; 16]> = events.into_iter().copied().collect();
        let mask = events.iter().collect();
        Sleepers { events, mask }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::footprint::samples::event;
    use super::*;
    use proptest::prelude::*;

    /// An event of one of a few threads.
    pub fn any_event() -> impl Strategy<Value = Footprint> {
        let mode = prop_oneof![Just(Mode::Read), Just(Mode::Add), Just(Mode::Write)];
        let reach = prop_oneof![
            6 => Just(Reach::Own),
            1 => (0u16..4).prop_map(|thread| Reach::Thread(ThreadId(thread))),
            1 => Just(Reach::Everyone)
        ];
        (0u16..4, 0u32..130, mode, reach)
            .prop_map(|(thread, variable, mode, reach)| event(thread, variable, mode).with(|parts| parts.reach = reach))
    }

    proptest! {
        #[test]
        fn what_conflicts_is_not_overlooked(events in prop::collection::vec(any_event(), 0..5), taken in any_event()) {
            let mask: Mask = events.iter().collect();
            let conflicts = events.iter().any(|event| event.conflicts(&taken));
            prop_assert!(mask.may_conflict(taken.outline()) || !conflicts);
            let mut sleepers: Sleepers = events.iter().collect();
            sleepers.take(&taken);
            let left = events.iter().filter(|event| !event.conflicts(&taken)).map(Footprint::thread);
            prop_assert_eq!(sleepers.threads(), left.collect());
        }
    }
}
