//! What an event would touch in another place: before an event that it came after, and without all that happens after
//! that.
//!
//! What came of an event may be different there, and with it what it depends on. Where that can be told, a reversal
//! that leads to nothing new is recognised before it is run. Where it can not, the event is taken to change what it
//! touches: a run may turn out to be redundant then, but none is left out.

use super::event::Event;
use super::footprint::{Footprint, Mode, Parts, Reach, Role, Touch, VariableId};
use super::history::{Entry, EventIndex, History};
use rscale_protocol::{Choice, Op, ThreadSet};

/// The second event as it would be without the first one.
pub fn footprint_without(history: &History, first: EventIndex, second: EventIndex) -> Footprint {
    let event = history.event(second);
    match is_same_everywhere(event) {
        true => event.footprint,
        false => event.footprint.with(|parts| put_elsewhere(parts, history, first, second)),
    }
}

/// Whether it is a plain access, which touches the same wherever it comes.
fn is_same_everywhere(event: &Event) -> bool {
    let Parts { token, touches, steps, .. } = &*event.footprint;
    let is_plain = matches!(event.op, Op::Read | Op::Write) && token.choice == Choice::Proceed && *steps == 1;
    is_plain && !touches.iter().any(|touch| touch.may_write)
}

fn put_elsewhere(parts: &mut Parts, history: &History, first: EventIndex, second: EventIndex) {
    if parts.steps > 1 && history.sections_vary() {
        parts.reach = Reach::Everyone;
    }
    parts.touches.iter_mut().filter(|touch| touch.may_write).for_each(|touch| touch.mode = Mode::Write);
    let Some(touch) = parts.touches.first_mut() else { return };
    match history.event(second).op {
        Op::CondSignal | Op::CondBroadcast => {
            let is_alone = waiters(without(history, touch.variable, first, second), history).is_empty();
            touch.mode = if is_alone { Mode::Read } else { Mode::Write };
        }
        Op::MutexTryLock | Op::SpinTryLock => {
            let is_taken = is_taken(without(history, touch.variable, first, second));
            (touch.mode, touch.role) = if is_taken { (Mode::Read, Role::None) } else { (Mode::Write, Role::Take) };
        }
        Op::BarrierArrive => {
            let missing = missing_without(history, touch, first, second);
            (touch.mode, touch.role) = match missing {
                None => (Mode::Write, Role::None),
                Some(missing) => (Mode::Add, if missing == 1 { Role::Claim } else { Role::None }),
            };
        }
        // Where it was cancelled, it would have done what it is for.
        Op::ThreadJoin if takes_request_along(history, first, second) => touch.mode = Mode::Write,
        Op::SemWait if takes_request_along(history, first, second) => {
            (touch.mode, touch.role) = (Mode::Write, Role::Take);
        }
        // A wait that timed out would find what it waits for.
        op if parts.token.choice == Choice::TimeOut && !matches!(op, Op::CondWake | Op::Choose) => {
            touch.mode = Mode::Write;
            parts.token.choice = Choice::Proceed;
        }
        _ => {}
    }
}

/// Whether a request to cancel the thread of the second event is the first one, or comes behind it wherever that goes.
fn takes_request_along(history: &History, first: EventIndex, second: EventIndex) -> bool {
    let thread = history.event(second).footprint.thread();
    let since = history.before(second).map_or(0, |previous| previous + 1).max(first);
    history.reaching_since(since).filter(|&index| index < second).any(|index| {
        let event = history.event(index);
        event.op == Op::ThreadCancel
            && event.footprint.reach == Reach::Thread(thread)
            && (index == first || history.happens_before(first, index))
    })
}

/// Who touched the variable before the second event, in order, without the first one and what happens after it.
fn without(
    history: &History,
    variable: VariableId,
    first: EventIndex,
    second: EventIndex,
) -> impl Iterator<Item = &Entry> {
    let earlier = history.touched(variable).iter().take_while(move |entry| entry.event < second);
    earlier.filter(move |entry| !history.happens_before(first, entry.event))
}

/// How many would be missing at a barrier behind an arrival that was the last one. None if it would be the last again,
/// or was not: then something is to come behind it that opened the barrier before.
fn missing_without(history: &History, touch: &Touch, first: EventIndex, second: EventIndex) -> Option<usize> {
    let before = arrived(history.touched(touch.variable).iter().take_while(|entry| entry.event < second));
    let left = arrived(without(history, touch.variable, first, second));
    (touch.mode == Mode::Write).then(|| before - left.min(before)).filter(|&missing| missing > 0)
}

/// How many have arrived since the barrier was opened last.
fn arrived<'a>(entries: impl Iterator<Item = &'a Entry>) -> usize {
    entries.fold(0, |count, entry| if entry.mode == Mode::Add { count + 1 } else { 0 })
}

fn waiters<'a>(entries: impl Iterator<Item = &'a Entry>, history: &History) -> ThreadSet {
    let changes = entries.filter_map(|entry| history.event(entry.event).waiters.as_deref());
    changes.fold(ThreadSet::EMPTY, |waiting, change| {
        waiting.union(change.after.without(change.before)).without(change.before.without(change.after))
    })
}

fn is_taken<'a>(entries: impl Iterator<Item = &'a Entry>) -> bool {
    let change = |entry: &Entry| match entry.role {
        Role::Take => 1,
        Role::Give => -1,
        Role::Claim | Role::None => 0i64,
    };
    entries.map(change).sum::<i64>() > 0
}
