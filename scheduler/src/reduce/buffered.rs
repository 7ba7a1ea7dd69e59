//! Store buffers: which events a flush, or a thread that waits for flushes, can not come before.
//!
//! A shadow thread is a thread like any other here: its flushes are ordered among themselves, and with whatever else
//! touches the location. Beyond that, a flush follows the event of its owner behind which the store was made; a fence
//! follows all flushes of its thread, and whoever waits for room follows the flush that makes it. None of these can be
//! swapped.

use super::history::{EventIndex, History};
use rscale_protocol::{Action, Op, ThreadId};

/// The events, other than the last one of the same thread, that such an action has to follow.
pub fn before(action: &Action, history: &History) -> Vec<EventIndex> {
    match action.op {
        Op::Flush => before_flush(action, history),
        Op::Fence => {
            history.memory_model().shadows(action.thread).filter_map(|shadow| history.last_of(shadow)).collect()
        }
        Op::BufferRoom => {
            let shadow = action.second.as_thread();
            shadow
                .and_then(|shadow| last(history, shadow, |index| history.event(index).number <= action.count))
                .into_iter()
                .collect()
        }
        _ => Vec::new(),
    }
}

/// The event behind which the store was made, and the flushes of stores that have to be visible before.
fn before_flush(action: &Action, history: &History) -> Vec<EventIndex> {
    let (Some((owner, number)), Some(origin)) = (action.second.as_store(), action.origin()) else {
        return Vec::new();
    };
    let made = last(history, owner, |index| history.event(index).step < origin.steps);
    let of_queue = |(queue, shadow): (usize, ThreadId)| {
        let overlaps = origin.overlaps & 1 << queue != 0;
        let end = if overlaps { number } else { origin.after };
        last(history, shadow, |index| history.event(index).store.is_some_and(|number| number < end))
    };
    let is_first = origin.after == 0 && origin.overlaps == 0;
    let shadows = history.memory_model().shadows(owner).enumerate().filter(|_| !is_first);
    made.into_iter().chain(shadows.filter_map(of_queue)).collect()
}

/// The last event of a thread for which this holds.
fn last(history: &History, thread: ThreadId, holds: impl Fn(EventIndex) -> bool) -> Option<EventIndex> {
    std::iter::successors(history.last_of(thread), |&index| history.before(index)).find(|&index| holds(index))
}
