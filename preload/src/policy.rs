//! The policy: the given prefix first; then stay on the running thread, else take the lowest enabled one. Or, if the
//! request has a seed, anyone: most programs have far more schedules than can be tried, and those near the first one
//! are much alike.
//!
//! A thread that yields or sleeps says itself that others should run: it is passed over while another can. The
//! scheduler process does not depend on this order (it reads who ran from the log), but programs that poll in a loop end
//! their first execution this way.

use crate::{arena, finish, query, random, sched, world};
use core::sync::atomic::Ordering::Relaxed;
use rscale_protocol::arena::{Token, load_set};
use rscale_protocol::{Choice, Ending, MAX_THREADS, Op, ThreadId, ThreadSet};

/// Who takes the next step, and how, among those whom a schedule may choose and, beyond it, those for whom there is some
/// sense in it. Ends or pauses the execution where the request says so.
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
        world.sleeping.set(load_set(&request.sleep));
        world.order.set(request.order.load(Relaxed));
    }
    world.new_steps.set(world.new_steps.get() + 1);
    proceed(sensible)
}

/// The next token of the prefix, which must be possible.
fn follow(enabled: &[ThreadSet; 3]) -> Token {
    let world = world::get();
    let position = world.followed.get();
    world.followed.set(position + 1);
    match Token::from_code(arena::get().prefix[position].load(Relaxed)) {
        Some(token) if enabled[token.choice as usize].contains(token.thread) => token,
        _ => finish::end(Ending::Diverged, position as u64),
    }
}

fn proceed(enabled: &[ThreadSet; 3]) -> Token {
    let sleeping = world::get().sleeping.get();
    for choice in [Choice::Proceed, Choice::TimeOut] {
        let awake = enabled[choice as usize].without(sleeping);
        if let Some(thread) = preferred(awake) {
            return Token { thread, choice };
        }
    }
    if enabled[0].is_empty() && enabled[1].is_empty() {
        // Only a spurious wake-up could go on: without one it is a deadlock.
        sched::nobody_is_enabled();
    }
    finish::end(Ending::Sleeping, 0)
}

fn preferred(awake: ThreadSet) -> Option<ThreadId> {
    let world = world::get();
    let eager = |thread: &ThreadId| !is_polite(world.fibers[thread.index()].next().op);
    if world.order.get() != 0 {
        return anyone(awake.iter().filter(eager).collect()).or_else(|| anyone(awake));
    }
    let me = world.current.get();
    if awake.contains(me) && !is_polite(world.fiber().next().op) {
        return Some(me);
    }
    awake.iter().find(eager).or_else(|| awake.next_from((me.index() + 1) % MAX_THREADS)).or_else(|| awake.first())
}

/// One of the threads, by chance.
fn anyone(threads: ThreadSet) -> Option<ThreadId> {
    let count = threads.len();
    (count > 0).then(|| threads.iter().nth(random::number(&world::get().order) as usize % count)).flatten()
}

/// Whether a thread at this operation lets others go first.
fn is_polite(op: Op) -> bool {
    matches!(op, Op::Yield | Op::Sleep | Op::Preempt)
}
