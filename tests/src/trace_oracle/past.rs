//! What happened before what: the part of an execution that does not depend on how its steps were interleaved.
//!
//! A step that was taken is an *event*. It is known by its thread, by what it did, and by the events right before it in
//! the order of happening: the one before it in its thread, the ones it depends on, and what made it possible (the
//! creation of its thread, the end of the thread it joined, the signal that woke it). So an event knows its whole past.
//! Equal events get equal numbers, and the last event of every thread tells a trace from all others.

use super::machine::{Effect, Object, Touch};
use std::collections::{BTreeMap, HashMap};

/// The number of an event.
type Number = u32;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Event {
    thread: usize,
    touches: Vec<Touch>,
    wakes: Vec<usize>,
    /// Sorted, each of them once.
    after: Vec<Number>,
}

/// All events that were ever seen.
#[derive(Clone, Debug, Default)]
pub struct Events(HashMap<Event, Number>);

impl Events {
    fn number(&mut self, event: Event) -> Number {
        let next = self.0.len() as Number;
        *self.0.entry(event).or_insert(next)
    }
}

/// The last accesses of an object: a write, and the reads since.
#[derive(Clone, Debug, Default)]
struct Accesses {
    write: Option<Number>,
    reads: Vec<Number>,
}

/// What has happened so far.
#[derive(Clone, Debug)]
pub struct Past {
    last: Vec<Option<Number>>,
    woken_by: Vec<Option<Number>>,
    accesses: BTreeMap<Object, Accesses>,
}

impl Past {
    /// Nothing has happened yet.
    #[must_use]
    pub fn new(threads: usize) -> Past {
        Past { last: vec![None; threads], woken_by: vec![None; threads], accesses: BTreeMap::new() }
    }

    /// Equal for two pasts exactly if they are the same up to the order of independent steps.
    #[must_use]
    pub fn canonical(&self) -> &[Option<Number>] {
        &self.last
    }

    /// A thread has taken a step.
    pub fn extend(&mut self, events: &mut Events, thread: usize, effect: Effect) {
        let after = self.right_before(thread, &effect);
        let Effect { touches, wakes, creates, .. } = effect;
        let number = events.number(Event { thread, touches: touches.clone(), wakes: wakes.clone(), after });
        for Touch { object, writes } in touches {
            let accesses = self.accesses.entry(object).or_default();
            if writes {
                *accesses = Accesses { write: Some(number), reads: Vec::new() };
            } else {
                accesses.reads.push(number);
            }
        }
        for waiter in wakes {
            self.woken_by[waiter] = Some(number);
        }
        if let Some(created) = creates {
            self.last[created] = Some(number);
        }
        self.last[thread] = Some(number);
    }

    fn right_before(&mut self, thread: usize, effect: &Effect) -> Vec<Number> {
        let enabling =
            [self.last[thread], self.woken_by[thread].take(), effect.joins.and_then(|other| self.last[other])];
        let mut after: Vec<Number> = enabling.into_iter().flatten().collect();
        for touch in &effect.touches {
            if let Some(accesses) = self.accesses.get(&touch.object) {
                after.extend(accesses.write);
                after.extend(accesses.reads.iter().filter(|_| touch.writes));
            }
        }
        after.sort_unstable();
        after.dedup();
        after
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(number: u8, writes: bool) -> Effect {
        let touches = vec![Touch { object: Object::Variable(number), writes }];
        Effect { touches, ..Effect::default() }
    }

    /// Whether the order of two steps of two threads makes a difference.
    fn is_ordered(first: Effect, second: Effect) -> bool {
        let mut events = Events::default();
        let mut after = |steps: [(usize, &Effect); 2]| {
            let mut past = Past::new(2);
            steps.into_iter().for_each(|(thread, effect)| past.extend(&mut events, thread, effect.clone()));
            past.canonical().to_vec()
        };
        after([(0, &first), (1, &second)]) != after([(1, &second), (0, &first)])
    }

    #[test]
    fn steps_are_ordered_if_one_of_them_writes_what_both_touch() {
        assert!(!is_ordered(touch(0, false), touch(0, false)));
        assert!(is_ordered(touch(0, true), touch(0, false)));
        assert!(is_ordered(touch(0, true), touch(0, true)));
        assert!(!is_ordered(touch(0, true), touch(1, true)));
    }

    #[test]
    fn whom_a_signal_wakes_is_part_of_it() {
        let mut events = Events::default();
        let [first, second] = [1, 2].map(|waiter| {
            let mut past = Past::new(3);
            past.extend(&mut events, 0, Effect { wakes: vec![waiter], ..touch(0, true) });
            past.canonical().to_vec()
        });
        assert_ne!(first, second);
    }
}
