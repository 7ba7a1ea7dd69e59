//! What an event touches, and which events depend on each other.

use rscale_protocol::ThreadId;
use rscale_protocol::arena::Token;
pub use rscale_protocol::dependence::{Mode, Role};
use smallvec::SmallVec;

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

/// All that matters of an event for its order with others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Footprint {
    /// Who, and in which way.
    pub token: Token,
    /// The variables.
    pub touches: SmallVec<[Touch; 2]>,
    /// The threads.
    pub reach: Reach,
    /// How many steps it has: more than one if it is an atomic section.
    pub steps: u32,
}

impl Footprint {
    /// An event of which nobody knows what it will touch.
    #[must_use]
    pub fn unknown(token: Token) -> Footprint {
        Footprint { token, touches: SmallVec::new(), reach: Reach::Everyone, steps: 1 }
    }

    /// Whose event it is.
    #[must_use]
    pub fn thread(&self) -> ThreadId {
        self.token.thread
    }

    /// Whether the order of the two events can matter. An event depends on what its own thread did.
    #[must_use]
    pub fn conflicts(&self, other: &Footprint) -> bool {
        self.thread() == other.thread() || self.reaches(other) || other.reaches(self) || self.shares(other)
    }

    fn reaches(&self, other: &Footprint) -> bool {
        match self.reach {
            Reach::Own => false,
            Reach::Thread(thread) => thread == other.thread(),
            Reach::Everyone => true,
        }
    }

    fn shares(&self, other: &Footprint) -> bool {
        self.touches.iter().any(|mine| {
            other.touches.iter().any(|theirs| mine.variable == theirs.variable && mine.mode.conflicts(theirs.mode))
        })
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
}

/// In which way an event can come before a sequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Precedes {
    /// It is this member of it.
    As(usize),
    /// It is not in it, and conflicts with none of its members.
    Beside,
}
