//! Scheduling: who takes the next step.
//!
//! Runs on the stack of the fiber that arrived, and switches from there directly to the fiber that is next. If that is
//! the same fiber, nothing is switched at all.

use crate::syscalls::signals::send as signals;
use crate::{
    access, arena, buffer, checkpoint, debugger, enabled, evaluation, fiber, finish, mailbox, policy, prologue, query,
    world,
};
use core::sync::atomic::Ordering::Relaxed;
use rscale_protocol::arena::{LOG_CAPACITY, Reply, Token, store_set};
use rscale_protocol::{Action, Choice, Ending, Op, ThreadId, ThreadSet};

/// Steps in a row in which threads go on computing, and no other ones.
const MOST_COMPUTING: u32 = 256;

/// The running thread has arrived at its next action: hands over to whoever is next, and returns when that is this
/// thread, with the way it takes its step.
pub fn wait_for_turn() -> Choice {
    let world = world::get();
    let me = world.current.get();
    buffer::withdraw(me);
    let token = next_turn();
    if token.thread != me {
        fiber::switch_to(token.thread);
    }
    buffer::apply(me);
    world.fiber().turn.get()
}

/// The running thread has ended: hands over for good.
pub fn hand_over() -> ! {
    let token = next_turn();
    fiber::switch_to(token.thread);
    finish::internal(b"a thread that had ended was scheduled")
}

/// Which thread of the program takes the next step: steps of shadow threads are taken on the way, by whoever is here.
fn next_turn() -> Token {
    loop {
        let token = decide();
        if !buffer::is_shadow(token.thread) {
            return token;
        }
        buffer::flush(token.thread);
    }
}

/// Decides who takes the next step, logs it, and marks how it is taken. Ends the execution where nobody can.
pub fn decide() -> Token {
    let world = world::get();
    prologue::end();
    checkpoint::pass();
    evaluation::check_state();
    debugger::pass();
    let is_plain = !world.has_atomic_sections.get() && !access::spin::is_anyone_waiting();
    let only = enabled::to_be_woken().or_else(|| enabled::only_proceeding().filter(|_| is_plain));
    let token = match only {
        Some(proceed) => {
            let enabled = [proceed, ThreadSet::EMPTY, ThreadSet::EMPTY];
            let token = policy::choose(&enabled, &enabled);
            log(token, &enabled);
            token
        }
        None => decide_among_all(),
    };
    world.fibers[token.thread.index()].turn.set(token.choice);
    token
}

/// As [`decide`], where there is more to it than who can proceed.
#[inline(never)]
fn decide_among_all() -> Token {
    let enabled = within_atomic_section(enabled::current());
    let sensible = access::spin::without_waiting(enabled);
    let offered = if schedules_waiting() { enabled } else { sensible };
    let token = policy::choose(&offered, &sensible);
    log(token, &offered);
    access::spin::scheduled(token.thread, sensible[token.choice as usize].contains(token.thread));
    token
}

/// Whether threads that wait in a loop count as able to take a step.
fn schedules_waiting() -> bool {
    arena::get().setup.schedules_waiting.load(Relaxed) != 0
}

/// A thread in an atomic section goes first; while it waits for something, the others may run.
fn within_atomic_section(sets: [ThreadSet; 3]) -> [ThreadSet; 3] {
    let world = world::get();
    if !world.has_atomic_sections.get() {
        return sets;
    }
    let is_inside = |thread: &ThreadId| world.fibers[thread.index()].atomic.get() > 0;
    let restricted: [ThreadSet; 3] = sets.map(|set| set.iter().filter(is_inside).collect());
    if restricted.iter().all(|set| set.is_empty()) { sets } else { restricted }
}

/// Counts the steps in which threads did nothing but go on computing; where nobody else could run, a few are enough.
fn count_computing(op: Op, thread: ThreadId, enabled: &[ThreadSet; 3]) {
    let world = world::get();
    let is_alone = || enabled.iter().all(|set| set.iter().all(|other| other == thread));
    world.computing.set(match op {
        Op::Preempt => world.computing.get().saturating_add(if is_alone() { MOST_COMPUTING / 4 } else { 1 }),
        _ => 0,
    });
}

/// Whether threads do nothing but compute, for so long that further steps of that kind lead nowhere: the watchdog,
/// which looks for a program that takes no steps, is to see it.
pub fn only_computes() -> bool {
    world::get().computing.get() >= MOST_COMPUTING
}

/// Writes the step to the log; makes room first where there is none.
fn log(token: Token, enabled: &[ThreadSet; 3]) {
    let world = world::get();
    let arena = arena::get();
    if world.logged.get() == LOG_CAPACITY && debugger::drops_log() {
        world.logged.set(0);
    } else if world.logged.get() == LOG_CAPACITY {
        arena.result.logged.store(LOG_CAPACITY as u32, Relaxed);
        mailbox::reply(Reply::LogFull);
        query::wait_for_continue();
        world.logged.set(0);
    }
    let next = world.fibers[token.thread.index()].next();
    let store = |action: &Action| arena.log.store(world.logged.get(), action, token.choice, enabled);
    match buffer::resolved(next) {
        Some(action) => store(&action),
        None => store(next),
    }
    access::local::begin_step(world.logged.get());
    checkpoint::note(world.steps.get(), token);
    world.logged.set(world.logged.get() + 1);
    world.steps.set(world.steps.get() + 1);
    arena.mailbox.heartbeat.store(world.steps.get(), Relaxed);
    count_computing(next.op, token.thread, enabled);
    world.stood_back.set((next.op == Op::ThreadStart).then(|| world.current.get()));
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
    let done = evaluation::marked(done);
    let kept = sleeping.iter().filter(|thread| !world.fibers[thread.index()].next().is_dependent(&done));
    world.sleeping.set(kept.collect());
}

/// Nobody can take a step although threads are left. What a handler would do is not known: it is no deadlock for sure.
pub fn nobody_is_enabled() -> ! {
    if signals::are_handlers_due() {
        finish::unsupported(b"sends a signal to a thread that waits, and nobody can go on before its handler has run");
    }
    finish::end(if access::spin::is_livelock() { Ending::Livelock } else { Ending::Deadlock }, 0)
}

/// Puts the final state's enabled threads into the result.
pub fn publish_enabled() {
    let result = &arena::get().result;
    let enabled = match enabled::to_be_woken() {
        Some(waiters) => [waiters, ThreadSet::EMPTY, ThreadSet::EMPTY],
        None => access::spin::without_waiting(within_atomic_section(enabled::computed())),
    };
    result.enabled.iter().zip(enabled).for_each(|(words, set)| store_set(words, set));
}
