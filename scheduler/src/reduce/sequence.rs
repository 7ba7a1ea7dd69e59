//! Sequences of events that are compared with what is planned. That is the greater part of what a search does.

use super::footprint::Footprint;
use smallvec::SmallVec;

/// A sequence. Most are short, and cost no allocation.
pub type Sequence = SmallVec<[Footprint; 128]>;

impl Footprint {
    /// How far this event, being possible now, could go forward through a sequence.
    #[inline]
    #[must_use]
    pub fn meets(&self, sequence: &[Footprint]) -> Meets {
        match sequence.iter().position(|member| self.conflicts(member)) {
            None => Meets::Nothing,
            Some(index) if sequence[index].token == self.token => Meets::Itself(index),
            Some(index) => Meets::Other(index),
        }
    }
}

/// What an event meets first in a sequence that it has to do with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meets {
    /// The same event: the sequence could begin with it.
    Itself(usize),
    /// Something that it conflicts with, or another event of its thread: it has to come after that.
    Other(usize),
    /// Nothing: it could come before the whole sequence.
    Nothing,
}

#[cfg(test)]
mod tests {
    use super::super::footprint::Precedes;
    use super::super::mask::tests::any_event;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_event_meets_what_it_can_not_precede(events in prop::collection::vec(any_event(), 0..6), event in any_event()) {
            let expected = match event.meets(&events) {
                Meets::Itself(index) => Some(Precedes::As(index)),
                Meets::Nothing => Some(Precedes::Beside),
                Meets::Other(index) => {
                    prop_assert!(events[index].conflicts(&event));
                    None
                }
            };
            prop_assert_eq!(event.precedes(events.iter()), expected);
        }
    }
}
