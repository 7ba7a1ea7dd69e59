//! Who can take a step, kept from step to step.
//!
//! Most steps change what one or two threads can do, and asking the model for every thread is the dearest part of a
//! step. So the answers are kept, and only threads whose answer may have changed are asked again: the one that arrives,
//! those that the last step [disturbs](rscale_protocol::model::Model::disturbs), or everybody where the model was
//! changed in any other way ([`World::model`](crate::world::World::model)).

use crate::{arena, world};
use core::cell::Cell;
use core::sync::atomic::Ordering::Relaxed;
use rscale_protocol::model::Choices;
use rscale_protocol::{Action, Choice, Op, ThreadId, ThreadSet};

/// The kept answers: a part of the world. All zeroes: nothing is known.
pub struct Enabled {
    /// Whether the sets are right, but for the threads in `stale`.
    is_known: Cell<bool>,
    /// Threads to ask again.
    stale: Cell<ThreadSet>,
    /// Threads whose next action may have to wait.
    waiting: Cell<ThreadSet>,
    /// The threads that can take a step, by [`Choice`]; spurious wake-ups as if they were unlimited.
    sets: Cell<[ThreadSet; 3]>,
}

impl Enabled {
    /// Nothing is known.
    pub const fn new() -> Enabled {
        Enabled {
            is_known: Cell::new(false),
            stale: Cell::new(ThreadSet::EMPTY),
            waiting: Cell::new(ThreadSet::EMPTY),
            sets: Cell::new([ThreadSet::EMPTY; 3]),
        }
    }

    /// Whatever is known may be wrong.
    #[inline(always)]
    pub fn forget_all(&self) {
        self.is_known.set(false);
    }

    /// The thread has come into being, or has arrived at another action.
    #[inline(always)]
    pub fn renew(&self, thread: ThreadId) {
        let mut stale = self.stale.get();
        stale.insert(thread);
        self.stale.set(stale);
    }

    /// The thread has ended.
    pub fn remove(&self, thread: ThreadId) {
        self.put(thread, Choices::NONE);
        for threads in [&self.waiting, &self.stale] {
            let mut set = threads.get();
            set.remove(thread);
            threads.set(set);
        }
    }

    fn put(&self, thread: ThreadId, choices: Choices) {
        let mut sets = self.sets.get();
        for (set, is_member) in sets.iter_mut().zip([choices.proceed, choices.time_out, choices.spurious]) {
            if is_member { set.insert(thread) } else { set.remove(thread) }
        }
        self.sets.set(sets);
    }
}

/// The running thread has taken a step, or arrived at it in a way that others see.
#[inline(always)]
pub fn note_step(done: &Action) {
    let world = world::get();
    let mut stale = world.enabled.stale.get();
    for thread in world.enabled.waiting.get() {
        let pending = world.fibers[thread.index()].next();
        if world.look(|model| model.disturbs(done, pending)) {
            stale.insert(thread);
        }
    }
    world.enabled.stale.set(stale);
}

/// The threads that can take a step, by [`Choice`].
pub fn current() -> [ThreadSet; 3] {
    let world = world::get();
    let kept = &world.enabled;
    if !kept.is_known.replace(true) {
        kept.sets.set([ThreadSet::EMPTY; 3]);
        kept.waiting.set(ThreadSet::EMPTY);
        kept.stale.set(world.live.get());
    }
    for thread in kept.stale.replace(ThreadSet::EMPTY) {
        ask(thread);
    }
    let sets = limited(kept.sets.get());
    debug_assert!(sets == computed());
    sets
}

/// Asks the model about a thread.
fn ask(thread: ThreadId) {
    let kept = &world::get().enabled;
    let mut waiting = kept.waiting.get();
    if world::get().fibers[thread.index()].next().op.may_wait() {
        waiting.insert(thread);
    } else {
        waiting.remove(thread);
    }
    kept.waiting.set(waiting);
    kept.put(thread, choices_of(thread));
}

/// The same as [`current`], from the model alone: for states in which the running thread has not arrived anywhere.
pub fn computed() -> [ThreadSet; 3] {
    let all = Enabled::new();
    for thread in world::get().live.get() {
        all.put(thread, choices_of(thread));
    }
    limited(all.sets.get())
}

/// Without spurious wake-ups where there have been enough.
fn limited(mut sets: [ThreadSet; 3]) -> [ThreadSet; 3] {
    if world::get().spurious.get() >= arena::get().request.spurious.load(Relaxed) {
        sets[Choice::Spurious as usize] = ThreadSet::EMPTY;
    }
    sets
}

fn choices_of(thread: ThreadId) -> Choices {
    let world = world::get();
    let fiber = &world.fibers[thread.index()];
    if !fiber.next().op.may_wait() {
        return Choices::PROCEED;
    }
    match fiber.next().op {
        Op::DescriptorWait => crate::syscalls::wait::refresh_readiness(fiber),
        Op::SignalWait => crate::syscalls::signals::wait::refresh_readiness(fiber),
        _ => {}
    }
    world.look(|model| model.choices(fiber.next()))
}
