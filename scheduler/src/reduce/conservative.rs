//! Conservative branches: threads that are tried where no race asks for them, because they may be cheaper there.
//!
//! A reversal that needs too many preemptions in the middle of a block may need fewer where the block begins (Coons,
//! Musuvathi and McKinley). And a thread that had to wait is tried before what let it go on, a lock before the unlock:
//! where it comes to block, the next switch costs nothing.

use super::footprint::Parts;
use super::history::EventIndex;
use super::places::Places;
use super::preemptions::block_starts;
use super::reversal::Executed;
use crate::explore::Candidates;
use rscale_protocol::Choice;
use rscale_protocol::arena::Token;

/// Tries a thread before an event, and where the block of that event or a part of it begins, if it is within the bound
/// there.
pub fn try_early(
    token: Token,
    before: EventIndex,
    places: &mut Places<'_>,
    executed: Executed<'_>,
    mut is_within: impl FnMut(Token, EventIndex) -> bool,
) {
    let event = executed.history.event(before);
    if event.is_pick() || event.footprint.thread() == token.thread {
        return;
    }
    try_at(token, before, places, executed, &mut is_within);
    for start in block_starts(before, executed.history) {
        try_at(token, start, places, executed, &mut is_within);
        // A store that is to become visible earlier may have to be made first.
        if let Some((owner, _)) = executed.history.memory_model().owner(token.thread) {
            try_at(Token { thread: owner, ..token }, start, places, executed, &mut is_within);
        }
    }
}

/// Tries a thread that had to wait before the last events that it may have waited for.
pub fn try_waiting(
    index: EventIndex,
    places: &mut Places<'_>,
    executed: Executed<'_>,
    mut is_within: impl FnMut(Token, EventIndex) -> bool,
) {
    let history = executed.history;
    let event = history.event(index);
    let Parts { token, touches, .. } = &*event.footprint;
    for touch in touches {
        let earlier = history.touched(touch.variable).iter().rev().find(|entry| entry.event < index);
        if let Some(entry) = earlier.filter(|entry| entry.thread != token.thread) {
            try_early(*token, entry.event, places, executed, &mut is_within);
        }
    }
}

/// Tries a thread before an event; where it can not go on there, everybody.
fn try_at(
    token: Token,
    at: EventIndex,
    places: &mut Places<'_>,
    executed: Executed<'_>,
    is_within: &mut impl FnMut(Token, EventIndex) -> bool,
) {
    let event = executed.history.event(at);
    let all = Candidates::all(executed.steps[event.step as usize].enabled);
    let proceed = Token { thread: token.thread, choice: Choice::Proceed };
    let own: Vec<Token> = [token, proceed].into_iter().filter(|&token| all.contains(token)).collect();
    let tokens = if own.is_empty() { all.iter().collect() } else { own };
    for token in tokens {
        let node = places.node(at);
        if node.is_open(token) && !node.explores(event.footprint.token, token) && is_within(token, at) {
            places.add(token, at);
        }
    }
}
