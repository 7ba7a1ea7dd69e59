//! Races: pairs of events whose order is to be reversed.
//!
//! An event races with one that comes directly before it, that is, with nothing between them that happens after the one
//! and before the other. Where the event had to wait, it can not be put before what it waited for: a lock not before
//! the unlock. What has to be reversed then is what it waited *about*: the lock that the unlock belongs to.

use super::event::{Event, Wait};
use super::footprint::{Mode, Reach, Role, VariableId};
use super::history::{Entry, EventIndex, History, Link, Predecessor};
use rscale_protocol::Op;

/// Finds the events that the next one, whose predecessors are given, has to be tried before.
pub fn rivals(history: &History, event: &Event, predecessors: &[Predecessor], found: &mut Vec<EventIndex>) {
    found.clear();
    // Of stores that have bytes in common the older one becomes visible first.
    let is_fixed = |first: EventIndex| {
        event.store.is_some() && predecessors.iter().any(|other| other.event == first && other.link == Link::Fixed)
    };
    for predecessor in predecessors.iter().filter(|predecessor| !is_fixed(predecessor.event)) {
        match predecessor.link {
            Link::Fixed => {}
            Link::Reach => {
                let first = predecessor.event;
                let is_possible = event.wait == Wait::Nothing
                    || seen_without(history, event, first) != Possible::No
                    || is_allowed_without(history, event, first);
                // A request to cancel may have made the event possible, where something else would have done so, too.
                let is_request = history.event(first).op == Op::ThreadCancel;
                let is_this = |other: &Predecessor| other == predecessor || is_request && other.event == first;
                if is_possible && is_direct(history, first, predecessors, is_this) {
                    found.push(first);
                }
            }
            Link::Variable(variable) => behind(history, event, predecessors, predecessor.event, variable, found),
        }
    }
    if found.is_empty() {
        return;
    }
    if found.iter().any(|&first| history.event(first).is_pick()) {
        *found = found.iter().filter_map(|&first| before_pick(history, event, predecessors, first)).collect();
    }
    found.retain(|&first| history.repeats().allow_other_than(first));
    if found.len() > 1 {
        found.sort_unstable();
        found.dedup();
    }
}

/// A thread that could not go on where something ended the execution for all can not be put before that: what it waits
/// about lies further back. It may be what the last event gave back, so the variables of that count.
pub fn look_past_end(history: &History, pending: &Event, predecessors: &mut Vec<Predecessor>) {
    let Some(last) = history.len().checked_sub(1) else { return };
    let end = history.event(last);
    if end.footprint.reach == Reach::Everyone && !end.possible.contains(pending.footprint.thread()) {
        predecessors.retain(|predecessor| predecessor.event != last || matches!(predecessor.link, Link::Variable(_)));
    }
}

/// Whom a signal wakes is said directly after it: what is to come before that has to come before the signal.
fn before_pick(
    history: &History,
    event: &Event,
    predecessors: &[Predecessor],
    first: EventIndex,
) -> Option<EventIndex> {
    if !history.event(first).is_pick() {
        return Some(first);
    }
    let signal = first.checked_sub(1)?;
    let is_own = history.event(signal).footprint.thread() == event.footprint.thread();
    (!is_own && is_direct(history, signal, predecessors, |other| other.event == first)).then_some(signal)
}

/// Finds the events before which the next one, which waited, would have given up: what it waited for came with them.
pub fn patience(history: &History, event: &Event, predecessors: &[Predecessor], found: &mut Vec<EventIndex>) {
    found.clear();
    if !event.is_timed || matches!(event.wait, Wait::Nothing | Wait::Previous) {
        return;
    }
    for predecessor in predecessors.iter().filter(|predecessor| matches!(predecessor.link, Link::Variable(_))) {
        if is_direct(history, predecessor.event, predecessors, |other| other.event == predecessor.event) {
            found.push(predecessor.event);
        }
    }
}

/// The events to be reversed because of a predecessor at a variable.
fn behind(
    history: &History,
    event: &Event,
    predecessors: &[Predecessor],
    predecessor: EventIndex,
    variable: VariableId,
    found: &mut Vec<EventIndex>,
) {
    let is_this = |other: &Predecessor| other.event == predecessor;
    let is_here = |other: &Predecessor| {
        other.event == predecessor || matches!(other.link, Link::Variable(also) if also == variable)
    };
    match event.wait {
        Wait::Previous => {}
        Wait::Nothing => {
            found.extend(Some(predecessor).filter(|&first| is_direct(history, first, predecessors, is_this)))
        }
        Wait::Taken => {
            // Who only sees that it is taken does not matter: without the first event there is nothing to see. Nor does
            // what depends on everything and came before it was given back: there is no place for the event between the
            // first one and that.
            let is_general = |other: &Predecessor| history.event(other.event).footprint.reach == Reach::Everyone;
            let sees = |other: &Predecessor| match is_here(other) {
                true => is_this(other) || role_at(history, variable, other.event) == Some(Role::None),
                false if is_general(other) => history.happens_before(other.event, predecessor),
                false => came_in_vain(history, event, other),
            };
            let direct = |first: &EventIndex| is_direct(history, *first, predecessors, sees);
            let possible =
                |first: &EventIndex| !event.polls || written_without(history, event, *first) == Possible::Yes;
            found.extend(taken_before(history, predecessor, variable).filter(direct).filter(possible));
        }
        Wait::End => {
            let ends = history.event(predecessor).op == Op::ThreadExit;
            found.extend(Some(predecessor).filter(|&first| !ends && is_direct(history, first, predecessors, is_this)));
        }
        Wait::Value | Wait::Written | Wait::Unknown => {
            let position = position(history.touched(variable), predecessor);
            let entries = &history.touched(variable)[..=position];
            let is_passed = |other: &Predecessor| is_here(other) || came_in_vain(history, event, other);
            for entry in entries.iter().rev().take_while(|entry| entry.thread != event.footprint.thread()) {
                let is_free = is_direct(history, entry.event, predecessors, is_passed);
                match possible_without(history, event, entry, variable) {
                    Possible::Yes if is_free => return found.push(entry.event),
                    Possible::Perhaps if is_free => found.push(entry.event),
                    Possible::Yes => return,
                    Possible::Perhaps | Possible::No => {}
                }
            }
        }
    }
}

/// Whether a predecessor is something that was done to the thread (a signal, a request to cancel it) or to all threads
/// while the event was not possible. There is no place for the event directly before that: what it waited about then is
/// to be reversed, and takes the predecessor along.
fn came_in_vain(history: &History, event: &Event, predecessor: &Predecessor) -> bool {
    let is_about_it = match history.event(predecessor.event).footprint.reach {
        Reach::Own => false,
        Reach::Thread(thread) => thread == event.footprint.thread(),
        Reach::Everyone => true,
    };
    is_about_it && seen_without(history, event, predecessor.event) == Possible::No
}

/// Whether no predecessor but those that do not count comes after the event.
fn is_direct(
    history: &History,
    first: EventIndex,
    predecessors: &[Predecessor],
    does_not_count: impl Fn(&Predecessor) -> bool,
) -> bool {
    let is_after = |other: &Predecessor| !does_not_count(other) && history.happens_before(first, other.event);
    !predecessors.iter().any(is_after)
}

/// What an event does to a variable.
fn role_at(history: &History, variable: VariableId, event: EventIndex) -> Option<Role> {
    let entries = history.touched(variable);
    entries.get(position(entries, event)).filter(|entry| entry.event == event).map(|entry| entry.role)
}

fn position(entries: &[Entry], event: EventIndex) -> usize {
    entries.partition_point(|entry| entry.event < event)
}

/// The event that took what the predecessor gave back, or has it still. None where that was before the first event.
fn taken_before(history: &History, predecessor: EventIndex, variable: VariableId) -> Option<EventIndex> {
    let entries = history.touched(variable);
    let entries = &entries[..=position(entries, predecessor)];
    let last = entries.last()?;
    match (last.role, last.mode) {
        (Role::Take, _) => return held_since(entries, last),
        (Role::None, Mode::Read) => return None, // saw that it was taken
        (Role::None | Role::Claim, _) => return Some(predecessor),
        (Role::Give, _) => {}
    }
    let mut depth = 0;
    let mut own = entries.iter().rev().filter(|entry| entry.thread == last.thread);
    let taken = own.find(|entry| {
        match entry.role {
            Role::Give => depth += 1,
            Role::Take => depth -= 1,
            Role::Claim | Role::None => {}
        }
        depth == 0
    })?;
    let claimed = own.next().filter(|entry| entry.role == Role::Claim);
    Some(claimed.unwrap_or(taken).event)
}

/// Where the thread of the last entry, which has taken the variable, has begun to do so: locks may be taken repeatedly.
fn held_since(entries: &[Entry], last: &Entry) -> Option<EventIndex> {
    let (mut depth, mut since) = (0, None);
    for entry in entries.iter().filter(|entry| entry.thread == last.thread) {
        match entry.role {
            Role::Take => {
                since = if depth == 0 { Some(entry.event) } else { since };
                depth += 1;
            }
            Role::Give => depth -= 1,
            Role::Claim | Role::None => {}
        }
    }
    since
}

/// Whether an event would be possible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Possible {
    Yes,
    No,
    Perhaps,
}

/// Whether the event, as the next one, would be possible without an earlier one and all that happens after that.
fn possible_without(history: &History, event: &Event, entry: &Entry, variable: VariableId) -> Possible {
    match event.wait {
        Wait::Value => value_without(history, event, entry, variable),
        Wait::Written => written_without(history, event, entry.event),
        _ => seen_without(history, event, entry.event),
    }
}

/// Semaphores: the value is known where the thread was seen not to be able to go on. Elsewhere it was positive.
fn value_without(history: &History, event: &Event, entry: &Entry, variable: VariableId) -> Possible {
    let thread = event.footprint.thread();
    let arrived = history.last_of(thread).map_or(0, |last| last + 1);
    let change = |entry: &Entry| match entry.role {
        Role::Give => 1,
        Role::Take => -1,
        Role::Claim | Role::None => 0i64,
    };
    let entries = history.touched(variable);
    let (mut later, mut least, mut exact) = (0, 0, None);
    for known in entries.iter().rev().take_while(|known| known.event >= arrived) {
        later += change(known);
        match history.event(known.event).possible.contains(thread) {
            true => least = least.max(1 + later),
            false => exact = Some(later),
        }
    }
    let lost: i64 = entries.iter().filter(|known| history.happens_before(entry.event, known.event)).map(change).sum();
    match exact {
        Some(value) if value - lost > 0 => Possible::Yes,
        Some(_) => Possible::No,
        None if least - lost > 0 => Possible::Yes,
        None => Possible::Perhaps,
    }
}

/// Loops: somebody else must have written what the thread read in its last round.
fn written_without(history: &History, event: &Event, first: EventIndex) -> Possible {
    let thread = event.footprint.thread();
    let is_written = event.footprint.touches.iter().any(|touch| {
        let since = history.touched(touch.variable).iter().rev().take_while(|known| known.thread != thread);
        let mut writes = since.filter(|known| is_news(history, event, known));
        writes.any(|known| !history.happens_before(first, known.event))
    });
    if is_written { Possible::Yes } else { Possible::No }
}

/// Whether a thread that waits in a loop goes on because of an entry.
fn is_news(history: &History, event: &Event, entry: &Entry) -> bool {
    entry.mode != Mode::Read && !(event.polls && history.event(entry.event).only_looks)
}

/// Whether something else allowed the event, which had to wait: then it comes along to before the earlier event.
fn is_allowed_without(history: &History, event: &Event, first: EventIndex) -> bool {
    let thread = event.footprint.thread();
    let is_free = |index: EventIndex| index > first && !history.happens_before(first, index);
    let is_sent = |index: EventIndex| history.event(index).footprint.reach == Reach::Thread(thread);
    let is_written = |variable: VariableId| {
        let since = history.touched(variable).iter().rev().take_while(|known| known.event > first);
        since.filter(|known| is_news(history, event, known) && known.thread != thread).any(|known| is_free(known.event))
    };
    (first + 1..history.len()).any(|index| is_sent(index) && is_free(index))
        || event.footprint.touches.iter().any(|touch| is_written(touch.variable))
}

/// Whatever it waits for: the execution shows whether it was possible before the earlier event.
fn seen_without(history: &History, event: &Event, first: EventIndex) -> Possible {
    let thread = event.footprint.thread();
    let was_there = history.last_of(thread).is_none_or(|last| last < first);
    match was_there {
        true if history.event(first).possible.contains(thread) => Possible::Yes,
        true => Possible::No,
        false => Possible::Perhaps,
    }
}
