//! The policy: the given prefix first, and then a rule that the request names, one file each.
//!
//! The scheduler process does not depend on what a policy does: it reads who ran from the log. None of them sees
//! threads that wait in a loop, unless nobody else can take a step.

mod fixed;
mod pct;
mod pos;
mod priorities;
mod uniform;

pub use pos::performed;
pub use priorities::Priorities;

use crate::{arena, finish, query, sched, world};
use core::sync::atomic::Ordering::Relaxed;
use rscale_protocol::arena::{Policy, Token, load_set};
use rscale_protocol::{Choice, Ending, Quiet, ThreadSet};

/// Who takes the next step, and how, among those whom a schedule may choose and, beyond it, those for whom there is
/// some sense in it. Ends or pauses the execution where the request says so.
pub fn choose(enabled: &[ThreadSet; 3], sensible: &[ThreadSet; 3]) -> Token {
    let world = world::get();
    let request = &arena::get().request;
    if sensible.iter().all(|set| set.is_empty()) {
        sched::nobody_is_enabled();
    }
    if world.steps.get() >= request.step_budget.load(Relaxed) {
        finish::end(Ending::StepBudget, world.steps.get());
    }
    if world.followed.get() < request.prefix_length.load(Relaxed) as usize {
        return follow(enabled);
    }
    if world.new_steps.get() == request.new_steps.load(Relaxed) {
        return query::pause(enabled);
    }
    if world.new_steps.get() == 0 {
        if request.sleeps_early.load(Relaxed) == 0 {
            world.sleeping.set(load_set(&request.sleep));
        }
        world.quiet.set(Quiet::from_code(request.quiet.load(Relaxed)));
        world.order.set(request.seed.load(Relaxed));
        world.policy.set(Policy::from_code(request.policy.load(Relaxed)).unwrap_or_default());
    }
    world.new_steps.set(world.new_steps.get() + 1);
    proceed(sensible)
}

/// The next token of the prefix, which must be possible.
fn follow(enabled: &[ThreadSet; 3]) -> Token {
    let world = world::get();
    let request = &arena::get().request;
    let position = world.followed.get();
    world.followed.set(position + 1);
    let is_last = position + 1 == request.prefix_length.load(Relaxed) as usize;
    if is_last && request.sleeps_early.load(Relaxed) != 0 {
        world.sleeping.set(load_set(&request.sleep));
    }
    match Token::from_code(arena::get().prefix[position].load(Relaxed)) {
        Some(token) if enabled[token.choice as usize].contains(token.thread) => token,
        _ => finish::end(Ending::Diverged, position as u64),
    }
}

fn proceed(enabled: &[ThreadSet; 3]) -> Token {
    if enabled[0].is_empty() && enabled[1].is_empty() {
        // Only a spurious wake-up could go on: without one it is a deadlock.
        sched::nobody_is_enabled();
    }
    let sleeping = world::get().sleeping.get();
    let awake = enabled.map(|set| set.without(sleeping));
    if let Some(token) = quiet_step(awake[0]) {
        return token;
    }
    let chosen = match world::get().policy.get() {
        Policy::Fixed => fixed::stay(&awake),
        Policy::Shuffled => fixed::shuffle(&awake),
        Policy::Random => uniform::pick(&awake),
        Policy::Pct => pct::pick(&awake),
        Policy::Pos => pos::pick(&awake),
    };
    chosen.unwrap_or_else(|| finish::end(Ending::Sleeping, 0))
}

/// The step of the first thread that is about to do what is done at once, if there is one.
fn quiet_step(awake: ThreadSet) -> Option<Token> {
    let world = world::get();
    let quiet = world.quiet.get();
    if quiet.is_empty() {
        return None;
    }
    let thread = awake.iter().find(|thread| quiet.includes(world.fibers[thread.index()].next()))?;
    Some(Token { thread, choice: Choice::Proceed })
}

/// All steps in the sets.
fn steps(sets: &[ThreadSet; 3]) -> impl Iterator<Item = Token> + '_ {
    let choices = [Choice::Proceed, Choice::TimeOut, Choice::Spurious];
    choices.into_iter().zip(sets).flat_map(|(choice, set)| set.iter().map(move |thread| Token { thread, choice }))
}
