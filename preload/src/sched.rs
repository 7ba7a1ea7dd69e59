//! Scheduling: who takes the next step.
//!
//! Runs on the stack of the fiber that arrived, and switches from there directly to the fiber that is next. If that is
//! the same fiber, nothing is switched at all.

use crate::{access, arena, fiber, finish, mailbox, policy, query, world};
use core::sync::atomic::Ordering::Relaxed;
use rscale_protocol::arena::{LOG_CAPACITY, Reply, Token, store_set};
use rscale_protocol::model::Choices;
use rscale_protocol::{Action, Choice, Ending, Op, ThreadId, ThreadSet};

/// The running thread has arrived at its next action: hands over to whoever is next, and returns when that is this
/// thread, with the way it takes its step.
pub fn wait_for_turn() -> Choice {
    let world = world::get();
    let me = world.current.get();
    let token = decide();
    if token.thread != me {
        fiber::switch_to(token.thread);
    }
    world.fiber().turn.get()
}

/// The running thread has ended: hands over for good.
pub fn hand_over() -> ! {
    let token = decide();
    fiber::switch_to(token.thread);
    finish::internal(b"a thread that had ended was scheduled")
}

/// Decides who takes the next step, logs it, and marks how it is taken. Ends the execution where nobody can.
pub fn decide() -> Token {
    let world = world::get();
    let enabled = access::spin::without_waiting(enabled_sets());
    let token = policy::choose(&enabled);
    world.fibers[token.thread.index()].turn.set(token.choice);
    log(token, &enabled);
    access::spin::scheduled(token.thread);
    token
}

/// The threads that can take a step, by [`Choice`].
pub fn enabled_sets() -> [ThreadSet; 3] {
    let world = world::get();
    let mut sets = [ThreadSet::EMPTY; 3];
    let spurious_left = world.spurious.get() < arena::get().request.spurious.load(Relaxed);
    for thread in world.live.get() {
        // Most actions never wait: only the others are worth a question to the model.
        if !world.fibers[thread.index()].next().op.may_wait() {
            sets[Choice::Proceed as usize].insert(thread);
            continue;
        }
        let choices = choices_of(thread);
        if choices.proceed {
            sets[Choice::Proceed as usize].insert(thread);
        }
        if choices.time_out {
            sets[Choice::TimeOut as usize].insert(thread);
        }
        if choices.spurious && spurious_left {
            sets[Choice::Spurious as usize].insert(thread);
        }
    }
    sets
}

fn choices_of(thread: ThreadId) -> Choices {
    let world = world::get();
    let fiber = &world.fibers[thread.index()];
    if fiber.next().op == Op::DescriptorWait {
        crate::syscalls::wait::refresh_readiness(fiber);
    }
    world.model(|model| model.choices(fiber.next()))
}

/// Writes the step to the log; makes room first where there is none.
fn log(token: Token, enabled: &[ThreadSet; 3]) {
    let world = world::get();
    let arena = arena::get();
    if world.logged.get() == LOG_CAPACITY {
        arena.result.logged.store(LOG_CAPACITY as u32, Relaxed);
        mailbox::reply(Reply::LogFull);
        query::wait_for_continue();
        world.logged.set(0);
    }
    let action = world.fibers[token.thread.index()].next();
    arena.log[world.logged.get()].store(action, token.choice, enabled);
    world.logged.set(world.logged.get() + 1);
    world.steps.set(world.steps.get() + 1);
    arena.mailbox.heartbeat.store(world.steps.get(), Relaxed);
    if token.choice == Choice::Spurious {
        world.spurious.set(world.spurious.get() + 1);
    }
}

/// Sleeping threads whose next action depends on what just happened may be scheduled again.
pub fn wake_sleepers(done: &Action) {
    let world = world::get();
    let sleeping = world.sleeping.get();
    if sleeping.is_empty() {
        return;
    }
    let kept = sleeping.iter().filter(|thread| !world.fibers[thread.index()].next().is_dependent(done));
    world.sleeping.set(kept.collect());
}

/// Nobody can take a step although threads are left.
pub fn nobody_is_enabled() -> ! {
    finish::end(if access::spin::is_livelock() { Ending::Livelock } else { Ending::Deadlock }, 0)
}

/// Puts the final state's enabled threads into the result.
pub fn publish_enabled() {
    let result = &arena::get().result;
    result
        .enabled
        .iter()
        .zip(access::spin::without_waiting(enabled_sets()))
        .for_each(|(words, set)| store_set(words, set));
}
