//! Executions that come back to a state they have been in.
//!
//! Threads that lock one mutex, try to get another one in vain, give the first one back and begin anew can keep each
//! other from getting both for ever: there is no end to the executions, each one round longer than the one before. But
//! what can follow a state can follow it the first time already. So nothing else is explored behind a state in which
//! the execution is for the third time: the last events of a round have met the first ones of the next by then, and
//! every end that lies behind the third time is reached by a shorter execution that leaves the loop after the second.
//!
//! States are compared while nothing happens but that mutexes are locked, tried and unlocked, and memory is read: what
//! threads hold is a sum, and where a thread is follows from its local state when it last tried to lock, and the
//! results of its steps since then. Any other step, and any write beside a thread's own stack, begins anew.

use super::history::EventIndex;
use crate::frontend::VariableHasher;
use rscale_protocol::arena::{LocalState, Step};
use rscale_protocol::{Choice, Op, ThreadId};
use std::hash::Hasher;

/// How often an execution may be in one state before nothing else is explored behind it.
const MOST_VISITS: u32 = 3;

/// What an event means for that.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mark {
    /// The step: what was done to what, and the result. None if it may change more than who holds a mutex.
    step: Option<u64>,
    /// What it adds to the sum of what threads hold.
    held: u64,
    /// Where its thread has come to, if that is known.
    place: Option<u64>,
}

impl Mark {
    /// The mark of an event of one step, and of where that led its thread.
    pub fn of(step: &Step, arrived: LocalState) -> Mark {
        if step.choice != Choice::Proceed || arrived.may_have_written() {
            return Mark::default();
        }
        let action = &step.action;
        let own = hash_of(&[u64::from(action.thread.0) + 1, action.object.0]);
        let held = match action.op {
            Op::MutexLock | Op::MutexTryLock if step.result == 0 => own,
            Op::MutexUnlock if step.result == 0 => own.wrapping_neg(),
            Op::MutexTryLock | Op::Read | Op::VainUpdate | Op::Yield => 0,
            _ => return Mark::default(),
        };
        let hash = hash_of(&[action.op as u64, action.object.0, step.result as u64]);
        Mark { step: Some(hash), held, place: arrived.hash() }
    }
}

/// A state behind an event.
#[derive(Clone, Copy, Debug)]
struct Visited {
    event: EventIndex,
    /// The first event of those that are looked at together.
    since: EventIndex,
    thread: ThreadId,
    /// Where its thread is now, and sums over all threads: where they are, and what they hold.
    place: u64,
    places: u64,
    held: u64,
    /// How often the execution has been in this state; 0 if that was not counted.
    visits: u32,
}

impl Visited {
    fn is_same(&self, other: &Visited) -> bool {
        (self.places, self.held) == (other.places, other.held)
    }
}

/// The states of an execution in which nothing happens but that mutexes are locked and unlocked.
#[derive(Clone, Debug, Default)]
pub struct Repeats {
    visited: Vec<Visited>,
    /// The event that led to a state for the last time that counts.
    last: Option<EventIndex>,
}

impl Repeats {
    /// Adds the next event.
    pub fn push(&mut self, event: EventIndex, thread: ThreadId, mark: Mark) {
        let Some(step) = mark.step else { return };
        let before = self.visited.last().filter(|before| before.event + 1 == event);
        let (since, places, held) = before.map_or((event, 0, 0), |before| (before.since, before.places, before.held));
        let left = self.together(since).find(|known| known.thread == thread).map_or(0, |known| known.place);
        let place = mark.place.unwrap_or_else(|| hash_of(&[left, step]));
        let mut visited = Visited {
            event,
            since,
            thread,
            place,
            places: places.wrapping_sub(of_thread(thread, left)).wrapping_add(of_thread(thread, place)),
            held: held.wrapping_add(mark.held),
            visits: 0,
        };
        if mark.place.is_some() {
            let earlier = self.together(since).find(|known| known.visits > 0 && known.is_same(&visited));
            visited.visits = earlier.map_or(0, |known| known.visits) + 1;
        }
        if visited.visits == MOST_VISITS && self.last.is_none() {
            self.last = Some(event);
        }
        self.visited.push(visited);
    }

    /// Those that are looked at together with the next one, from the last to the first.
    fn together(&self, since: EventIndex) -> impl Iterator<Item = &Visited> {
        self.visited.iter().rev().take_while(move |known| known.event >= since)
    }

    /// Takes back all but the first events.
    pub fn truncate(&mut self, count: EventIndex) {
        while self.visited.last().is_some_and(|visited| visited.event >= count) {
            self.visited.pop();
        }
        self.last = self.last.filter(|&event| event < count);
    }

    /// Whether the execution has been in one state so often that nothing else is explored behind it.
    #[must_use]
    pub fn have_come_round(&self) -> bool {
        self.last.is_some()
    }

    /// Whether something else may be explored in place of an event.
    #[must_use]
    pub fn allow_other_than(&self, event: EventIndex) -> bool {
        self.last.is_none_or(|last| event <= last)
    }
}

/// What the place of a thread adds to a sum over all; nothing where it began.
fn of_thread(thread: ThreadId, place: u64) -> u64 {
    if place == 0 { 0 } else { hash_of(&[u64::from(thread.0) + 1, place]) }
}

fn hash_of(words: &[u64]) -> u64 {
    let mut hasher = VariableHasher::default();
    words.iter().for_each(|&word| hasher.write_u64(word));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rscale_protocol::{Action, ThreadSet, Variable};

    const QUIET: LocalState = LocalState::UNKNOWN;

    fn step(thread: u16, op: Op, mutex: u64, result: i32) -> Step {
        let action = Action::new(ThreadId(thread), op, Variable(mutex));
        Step { action, choice: Choice::Proceed, result, enabled: [ThreadSet::EMPTY; 3] }
    }

    fn push(repeats: &mut Repeats, event: EventIndex, step: Step, place: Option<u64>, writes: bool) {
        repeats.push(
            event,
            step.action.thread,
            Mark::of(&step, LocalState::new(place.map(|place| place << 3), writes)),
        );
    }

    /// Two threads that back off before each other, round after round.
    fn rounds(count: u32, writes: bool) -> Repeats {
        let mut repeats = Repeats::default();
        for round in 0..count {
            for thread in [1u16, 2] {
                let event = round * 6 + u32::from(thread - 1);
                push(&mut repeats, event, step(thread, Op::MutexLock, thread.into(), 0), Some(7), false);
            }
            for thread in [1u16, 2] {
                let event = round * 6 + u32::from(thread + 1);
                push(&mut repeats, event, step(thread, Op::MutexTryLock, (3 - thread).into(), 16), None, writes);
            }
            for thread in [1u16, 2] {
                let event = round * 6 + u32::from(thread + 3);
                push(&mut repeats, event, step(thread, Op::MutexUnlock, thread.into(), 0), None, false);
            }
        }
        repeats
    }

    #[test]
    fn a_state_is_left_in_other_ways_until_the_third_visit() {
        let repeats = rounds(2, false);
        assert!((0..12).all(|event| repeats.allow_other_than(event)) && !repeats.have_come_round());
        let mut repeats = rounds(4, false);
        assert!(repeats.have_come_round());
        let allowed = (0..24).filter(|&event| repeats.allow_other_than(event)).count();
        assert!((12..=18).contains(&allowed), "{allowed}");
        repeats.truncate(12);
        assert!(!repeats.have_come_round());
        assert!((0..24).all(|event| repeats.allow_other_than(event)));
    }

    #[test]
    fn whoever_writes_does_not_come_back() {
        let repeats = rounds(10, true);
        assert!((0..60).all(|event| repeats.allow_other_than(event)));
    }

    #[test]
    fn another_holder_is_another_state() {
        let mut repeats = Repeats::default();
        for event in 0..20 {
            push(&mut repeats, event, step(1, Op::MutexTryLock, 8, 0), Some(7), false);
        }
        assert!(repeats.allow_other_than(19), "it holds the mutex once more each time");
    }

    #[test]
    fn what_is_not_known_does_not_count() {
        let mut repeats = Repeats::default();
        for event in 0..20 {
            repeats.push(event, ThreadId(1), Mark::of(&step(1, Op::MutexTryLock, 8, 16), QUIET));
        }
        assert!(repeats.allow_other_than(19) && repeats.visited.is_empty());
    }
}
