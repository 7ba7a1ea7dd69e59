//! The kinds of events that a process has come across, each kept once and for good.
//!
//! A search plans very many sequences, of very few kinds of events: what a thread does to a variable comes again in
//! every execution. So a planned event is a reference to its kind, which is never given back: there are about as many
//! of them as the program has steps, however many executions there are. All searches of the process have the same
//! kinds, so that workers can hand each other what they have planned; each thread remembers those that it has seen.

use super::footprint::Parts;
use super::mask::Outline;
use crate::frontend::VariableHasher;
use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::{Mutex, PoisonError};

/// A kind of event.
#[derive(Debug)]
pub struct Kind {
    /// What it touches, roughly: mostly that is all that is looked at.
    pub outline: Outline,
    /// All of it.
    pub parts: Parts,
}

type Kinds = HashMap<&'static Parts, &'static Kind, BuildHasherDefault<VariableHasher>>;

static ALL: Mutex<Option<Kinds>> = Mutex::new(None);

thread_local! {
    static SEEN: RefCell<Kinds> = RefCell::default();
}

/// The kind of an event.
pub fn of(parts: &Parts) -> &'static Kind {
    SEEN.with_borrow_mut(|seen| match seen.get(parts) {
        Some(kind) => kind,
        None => {
            let kind = among_all(parts);
            seen.insert(&kind.parts, kind);
            kind
        }
    })
}

fn among_all(parts: &Parts) -> &'static Kind {
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    let all = all.get_or_insert_default();
    match all.get(parts) {
        Some(kind) => kind,
        None => {
            let kind: &'static Kind = Box::leak(Box::new(Kind { outline: Outline::of(parts), parts: parts.clone() }));
            all.insert(&kind.parts, kind);
            kind
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::footprint::Footprint;
    use super::super::mask::tests::any_event;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn events_are_equal_if_they_say_the_same(one in any_event(), other in any_event()) {
            prop_assert_eq!(one == other, *one == *other);
            prop_assert_eq!(Footprint::from((*one).clone()), one);
            let elsewhere = std::thread::spawn(move || Footprint::from((*one).clone())).join();
            prop_assert_eq!(elsewhere.ok(), Some(one), "workers agree");
        }
    }
}
