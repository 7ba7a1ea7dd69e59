//! What an event touches, and which events depend on each other.

use super::kinds::{self, Kind};
use super::mask::Outline;
use super::touches::Touches;
use rscale_protocol::ThreadId;
use rscale_protocol::arena::Token;
pub use rscale_protocol::dependence::{Mode, Role};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

/// A communication variable, by a small number that belongs to the search.
pub type VariableId = u32;

/// One variable that an event touches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Touch {
    /// The variable.
    pub variable: VariableId,
    /// How.
    pub mode: Mode,
    /// What it does to it.
    pub role: Role,
    /// Whether it may write the variable in another place, whatever it does here.
    pub may_write: bool,
}

impl Touch {
    /// Whether the order of two touches of one variable can matter. Of two arrivals at a barrier it does where the
    /// second is the last one then.
    #[inline]
    pub(super) fn conflicts(&self, other: &Touch) -> bool {
        let is_claimed = self.mode == Mode::Add && (self.role == Role::Claim || other.role == Role::Claim);
        is_claimed || self.mode.conflicts(other.mode)
    }
}

/// Which threads an event acts on, whatever they do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// None but its own.
    Own,
    /// A thread that it cancels or sends a signal to: where that thread is matters.
    Thread(ThreadId),
    /// All of them.
    Everyone,
}

/// All that matters of an event for its order with others. Events are alike: each kind is kept once ([`kinds`]), so
/// that plans and sleep sets, which have very many of them, are lists of single words.
#[derive(Clone, Copy)]
pub struct Footprint(&'static Kind);

/// What a footprint says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parts {
    /// Who, and in which way.
    pub token: Token,
    /// The variables.
    pub touches: Touches,
    /// The threads.
    pub reach: Reach,
    /// How many steps it has: more than one if it is an atomic section.
    pub steps: u32,
}

impl From<Parts> for Footprint {
    fn from(parts: Parts) -> Footprint {
        Footprint(kinds::of(&parts))
    }
}

impl Deref for Footprint {
    type Target = Parts;
    #[inline]
    fn deref(&self) -> &Parts {
        &self.0.parts
    }
}

impl PartialEq for Footprint {
    fn eq(&self, other: &Footprint) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Footprint {}

impl fmt::Debug for Footprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.parts.fmt(formatter)
    }
}

impl Hash for Parts {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let reach = match self.reach {
            Reach::Own => 0,
            Reach::Everyone => 1,
            Reach::Thread(thread) => 2 + u64::from(thread.0),
        };
        hasher.write_u64(u64::from(self.token.to_code()) | reach << 16 | u64::from(self.steps) << 32);
        for touch in &self.touches {
            let how = (touch.mode as u64) << 2 | (touch.role as u64) << 4 | u64::from(touch.may_write);
            hasher.write_u64(u64::from(touch.variable) | how << 32);
        }
    }
}

impl Footprint {
    /// An event of which nobody knows what it will touch.
    #[must_use]
    pub fn unknown(token: Token) -> Footprint {
        Parts { token, touches: Touches::EMPTY, reach: Reach::Everyone, steps: 1 }.into()
    }

    /// The same, but for what is changed.
    #[must_use]
    pub fn with(&self, change: impl FnOnce(&mut Parts)) -> Footprint {
        let mut parts = self.0.parts.clone();
        change(&mut parts);
        parts.into()
    }

    /// Whose event it is.
    #[inline]
    #[must_use]
    pub fn thread(&self) -> ThreadId {
        self.0.outline.thread()
    }

    /// What it touches, roughly.
    #[inline]
    #[must_use]
    pub fn outline(&self) -> &'static Outline {
        &self.0.outline
    }

    /// Whether the order of the two events can matter. An event depends on what its own thread did.
    #[must_use]
    #[inline]
    pub fn conflicts(&self, other: &Footprint) -> bool {
        let (mine, theirs) = (self.outline(), other.outline());
        mine.thread() == theirs.thread() || mine.may_conflict(theirs) && self.0.parts.conflicts(other)
    }

    /// Whether this event, being possible now, could as well come before the whole sequence (a *weak initial* of it):
    /// nothing in it conflicts, up to the same event if it is in there. Returns where that is.
    #[must_use]
    pub fn precedes<'a>(&self, sequence: impl Iterator<Item = &'a Footprint>) -> Option<Precedes> {
        for (index, event) in sequence.enumerate() {
            if event.thread() == self.thread() {
                return (event.token == self.token).then_some(Precedes::As(index));
            }
            if self.conflicts(event) {
                return None;
            }
        }
        Some(Precedes::Beside)
    }

    /// Whether the sequence has this event, and could begin with it.
    #[must_use]
    pub fn is_first_of<'a>(&self, sequence: impl Iterator<Item = &'a Footprint>) -> bool {
        matches!(self.precedes(sequence), Some(Precedes::As(_)))
    }
}

impl Parts {
    /// Whether the order with an event of another thread can matter.
    #[must_use]
    pub fn conflicts(&self, other: &Parts) -> bool {
        self.reaches(other) || other.reaches(self) || self.shares(other)
    }

    #[inline]
    fn reaches(&self, other: &Parts) -> bool {
        match self.reach {
            Reach::Own => false,
            Reach::Thread(thread) => thread == other.token.thread,
            Reach::Everyone => true,
        }
    }

    #[inline]
    fn shares(&self, other: &Parts) -> bool {
        self.touches
            .iter()
            .any(|mine| other.touches.iter().any(|theirs| mine.variable == theirs.variable && mine.conflicts(theirs)))
    }
}

/// In which way an event can come before a sequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Precedes {
    /// It is this member of it.
    As(usize),
    /// It is not in it, and conflicts with none of its members.
    Beside,
}

/// Events for tests.
#[cfg(test)]
pub(super) mod samples {
    use super::*;
    use rscale_protocol::Choice;

    /// An event of a thread that touches one variable.
    pub fn event(thread: u16, variable: VariableId, mode: Mode) -> Footprint {
        let token = Token { thread: ThreadId(thread), choice: Choice::Proceed };
        let touch = Touch { variable, mode, role: Role::None, may_write: false };
        Parts { token, touches: [touch].into_iter().collect(), reach: Reach::Own, steps: 1 }.into()
    }
}

#[cfg(test)]
mod tests {
    use super::samples::event;
    use super::*;
    use Mode::{Add, Read, Write};

    #[test]
    fn reads_commute_and_so_do_additions() {
        for (left, right, conflicts) in
            [(Read, Read, false), (Add, Add, false), (Read, Add, true), (Read, Write, true), (Write, Write, true)]
        {
            assert_eq!(event(1, 7, left).conflicts(&event(2, 7, right)), conflicts, "{left:?} {right:?}");
            assert_eq!(event(2, 7, right).conflicts(&event(1, 7, left)), conflicts, "{right:?} {left:?}");
            assert!(!event(1, 7, left).conflicts(&event(2, 8, right)), "another variable");
            assert!(event(1, 7, left).conflicts(&event(1, 8, right)), "the same thread");
        }
    }

    #[test]
    fn some_events_reach_others_whatever_they_do() {
        let kill = event(1, 0, Write).with(|parts| parts.reach = Reach::Thread(ThreadId(2)));
        assert!(kill.conflicts(&event(2, 9, Read)) && !kill.conflicts(&event(3, 9, Read)));
        let exit = event(1, 0, Write).with(|parts| parts.reach = Reach::Everyone);
        assert!(exit.conflicts(&event(3, 9, Read)) && event(3, 9, Read).conflicts(&exit));
    }

    #[test]
    fn an_event_comes_before_what_it_does_not_conflict_with() {
        let sequence = [event(1, 0, Write), event(2, 1, Write), event(3, 0, Read)];
        let precedes = |event: &Footprint| event.precedes(sequence.iter());
        assert_eq!(precedes(&event(1, 0, Write)), Some(Precedes::As(0)));
        assert_eq!(precedes(&event(2, 1, Write)), Some(Precedes::As(1)));
        assert_eq!(precedes(&event(3, 0, Read)), None, "it reads what the first one writes");
        assert_eq!(precedes(&event(4, 2, Write)), Some(Precedes::Beside));
        assert_eq!(precedes(&event(4, 1, Read)), None);
    }
}
