//! A witness of steps: looks at the program before and after each of them.
//!
//! Only while an execution is stepped are all values to be seen, and all names right: a block of the heap may be used
//! again later, and a local variable is gone with its function.

use super::frames;
use super::moment::Moment;
use super::names::Named;
use super::{Explainer, length, objects, values};
use crate::backend::{Backend, RunEnd, Target, ThreadState};
use crate::finding::StepView;
use rscale_protocol::arena::Token;
use rscale_protocol::{Action, Ending, Family, Op, Variable};

/// Bytes of a variable that are read.
const MOST_BYTES: u64 = 64;

/// Sees what steps do.
pub struct Witness {
    explainer: Explainer,
}

/// What there was to see before a step.
pub struct Before {
    place: Option<String>,
    names: Vec<Option<String>>,
    memory: Option<Content>,
}

/// The variable of a memory access, and what it held.
struct Content {
    action: Action,
    named: Named,
    bytes: Vec<u8>,
    shown: String,
}

/// What there was to see of a step.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Seen {
    /// The names at the time of those of its variables that lie in memory. Threads have their names for good.
    pub variables: Vec<Option<String>>,
    /// The line of the program that it comes from, where it is made in a library or a header.
    pub place: Option<String>,
    /// The value read, or the old and the new one; empty for what is no memory access.
    pub value: String,
}

impl Witness {
    /// A witness who knows the names of the program.
    #[must_use]
    pub fn new(explainer: Explainer) -> Witness {
        Witness { explainer }
    }

    /// Looks at what a thread is about to do.
    #[must_use]
    pub fn before(&self, target: &Target, token: Token) -> Option<Before> {
        let moment = Moment::new(target, &self.explainer.stacks, None);
        let state = moment.states.iter().find(|state| state.id == token.thread);
        let flush = || target.flushes().into_iter().find(|action| action.thread == token.thread);
        let action = state.and_then(|state| state.next).or_else(flush)?;
        let place = state.and_then(|state| self.own_place(state, &action, &moment));
        let named = |object: Variable| self.explainer.names.named(object, length(&action), &moment);
        let all: Vec<Named> = objects(&action).map(named).collect();
        let is_in_memory = objects(&action).map(|object| object.as_address().is_some());
        let names = all.iter().zip(is_in_memory).map(|(named, is)| is.then(|| named.name.clone())).collect();
        let is_memory = action.op.family() == Family::Memory;
        let memory = all.into_iter().next().filter(|_| is_memory).and_then(|named| {
            let bytes = read(target, &action)?;
            let shown = values::text(&bytes, &named, &self.explainer.names, &moment);
            Some(Content { action, named, bytes, shown })
        });
        Some(Before { place, names, memory })
    }

    /// The line of the program from which a thread came to a library or a header, if that is where it is.
    fn own_place(&self, state: &ThreadState, action: &Action, moment: &Moment<'_>) -> Option<String> {
        let names = &self.explainer.names;
        let is_elsewhere = action.pc != 0 && frames::is_foreign(&names.location(action.pc));
        let stack = || moment.frames_of(state).iter().map(|frame| names.frame(frame)).collect::<Vec<_>>();
        is_elsewhere.then(stack).and_then(|stack| frames::own_line(&stack))
    }

    /// Looks at what the step has done.
    #[must_use]
    pub fn after(&self, target: &Target, end: Option<&RunEnd>, op: Option<Op>, before: Before) -> Seen {
        if matches!(op, Some(Op::OwnRead | Op::Fence | Op::BufferRoom)) {
            // What was read lies in the buffer, and memory holds something else.
            return Seen { variables: before.names, place: before.place, value: String::new() };
        }
        let value = before.memory.map_or_else(String::new, |content| {
            if matches!(content.action.op, Op::Read | Op::VainUpdate) {
                return content.shown;
            }
            match self.written(target, end, &content) {
                Some(new) => format!("{} -> {new}", content.shown),
                None => format!("{} -> ?", content.shown),
            }
        });
        Seen { variables: before.names, place: before.place, value }
    }

    /// The value that a step has left, unless the memory serves something else by now.
    fn written(&self, target: &Target, end: Option<&RunEnd>, before: &Content) -> Option<String> {
        // Memory is restored as soon as a program has ended in the ordinary way.
        if end.is_none_or(|end| end.ending == Ending::Exit) {
            return None;
        }
        let moment = Moment::new(target, &self.explainer.stacks, end);
        let named = self.explainer.names.named(before.action.object, length(&before.action), &moment);
        let bytes = read(target, &before.action).filter(|bytes| bytes.len() == before.bytes.len())?;
        (named == before.named).then(|| values::text(&bytes, &named, &self.explainer.names, &moment))
    }
}

impl Seen {
    /// Adds it to a step.
    pub fn tell(self, step: &mut StepView) {
        for (name, seen) in step.variables.iter_mut().zip(self.variables) {
            *name = seen.unwrap_or_else(|| std::mem::take(name));
        }
        step.value = self.value;
        if let Some(place) = self.place {
            step.location = place;
        }
    }
}

fn read(target: &Target, action: &Action) -> Option<Vec<u8>> {
    let address = action.object.as_address()?;
    let mut bytes = vec![0; length(action).min(MOST_BYTES) as usize];
    target.memory().read(address, &mut bytes).then_some(bytes)
}
