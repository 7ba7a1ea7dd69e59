//! `pct`: probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi, Nagarakatti, 2010).
//!
//! The thread with the highest priority runs. Behind the steps that the request names, the priority of the thread that
//! took the step falls below all others. A thread that yields, sleeps or times out falls to the very bottom, or a
//! program that polls would never end.

use crate::{arena, world};
use core::sync::atomic::Ordering::Relaxed;
use rscale_protocol::arena::Token;
use rscale_protocol::{Choice, ThreadSet};

/// Change points lower a priority to this and a little more; whoever lets others run falls below it.
const CHANGED: u64 = 1 << 32;

/// The step of the highest priority.
pub fn pick(awake: &[ThreadSet; 3]) -> Option<Token> {
    let world = world::get();
    let token = world.priorities.highest(awake)?;
    let step = world.new_steps.get();
    let lets_others_run = world.fibers[token.thread.index()].next().op.lets_others_run();
    if token.choice != Choice::Proceed || lets_others_run {
        world.priorities.set(token, CHANGED.saturating_sub(step).max(1));
    }
    let changes = &arena::get().request.changes;
    if let Some(rank) = changes.iter().position(|change| change.load(Relaxed) == step) {
        world.priorities.set(token, CHANGED + 1 + rank as u64);
    }
    Some(token)
}
