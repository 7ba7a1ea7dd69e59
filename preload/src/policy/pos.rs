//! `pos`: partial order sampling (Yuan, Yang, Gu, 2018).
//!
//! Every step that a thread is about to take has a priority of its own, and the highest goes first. Steps in conflict
//! with it, which raced with it and lost, get new priorities: so both orders of every race stay about as likely.

use crate::world;
use rscale_protocol::arena::{Policy, Token};
use rscale_protocol::{Action, ThreadSet};

/// The step of the highest priority.
pub fn pick(awake: &[ThreadSet; 3]) -> Option<Token> {
    let priorities = &world::get().priorities;
    let token = priorities.highest(awake)?;
    priorities.forget(token.thread);
    Some(token)
}

/// A step was taken.
#[inline(always)]
pub fn performed(done: &Action) {
    if world::get().policy.get() == Policy::Pos {
        redraw_rivals(done);
    }
}

#[inline(never)]
fn redraw_rivals(done: &Action) {
    let world = world::get();
    for thread in world.live.get() {
        if thread != done.thread && world.fibers[thread.index()].next().is_dependent(done) {
            world.priorities.forget(thread);
        }
    }
}
