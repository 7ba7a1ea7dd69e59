//! Who can take a step, kept from step to step.
//!
//! Most steps change what one or two threads can do, and asking the model for every thread is the dearest part of a
//! step. So the answers are kept, and only threads whose answer may have changed are asked again: the one that arrives,
//! those that the last step [disturbs](rscale_protocol::model::Model::disturbs), or everybody where the model was
//! changed in any other way ([`World::model`](crate::world::World::model)).

use crate::{arena, buffer, world};
use core::cell::Cell;
use core::sync::atomic::Ordering::Relaxed;
use rscale_protocol::model::{Choices, Model};
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
    sets: [Cell<ThreadSet>; 3],
}

impl Enabled {
    /// Nothing is known.
    pub const fn new() -> Enabled {
        Enabled {
            is_known: Cell::new(false),
            stale: Cell::new(ThreadSet::EMPTY),
            waiting: Cell::new(ThreadSet::EMPTY),
            sets: [const { Cell::new(ThreadSet::EMPTY) }; 3],
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
        put(&self.waiting, thread, false);
        put(&self.stale, thread, false);
    }

    #[inline(always)]
    fn put(&self, thread: ThreadId, choices: Choices) {
        put(&self.sets[0], thread, choices.proceed);
        // Hardly anybody ever can do one of the others.
        for (kept, is_member) in self.sets[1..].iter().zip([choices.time_out, choices.spurious]) {
            if is_member || !kept.get().is_empty() {
                put(kept, thread, is_member);
            }
        }
    }

    /// Asks again about those whose answer may have changed.
    #[inline(always)]
    fn refresh(&self) {
        if !self.is_known.replace(true) {
            self.sets.iter().for_each(|set| set.set(ThreadSet::EMPTY));
            self.waiting.set(ThreadSet::EMPTY);
            self.stale.set(world::get().live.get());
        }
        for thread in self.stale.replace(ThreadSet::EMPTY) {
            ask(thread);
        }
    }

    fn all(&self) -> [ThreadSet; 3] {
        [self.sets[0].get(), self.sets[1].get(), self.sets[2].get()]
    }
}

/// Adds a thread to a set, or takes it out.
#[inline(always)]
fn put(kept: &Cell<ThreadSet>, thread: ThreadId, is_member: bool) {
    let mut set = kept.get();
    if is_member {
        set.insert(thread)
    } else {
        set.remove(thread)
    }
    kept.set(set);
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
    let kept = &world::get().enabled;
    kept.refresh();
    let sets = limited(kept.all());
    debug_assert!(sets == computed());
    sets
}

/// The threads one of which the last signal wakes: they can proceed, and nobody else can take a step, not even in an
/// atomic section.
#[inline(always)]
pub fn to_be_woken() -> Option<ThreadSet> {
    world::get().look(Model::candidates)
}

/// The threads that can proceed, if that is all that anybody can do. Most states are like that, and going through all
/// three sets for nothing is what a step would spend most of its time with.
#[inline(always)]
pub fn only_proceeding() -> Option<ThreadSet> {
    let kept = &world::get().enabled;
    kept.refresh();
    (kept.sets[1].get().is_empty() && kept.sets[2].get().is_empty()).then(|| kept.sets[0].get())
}

/// Asks the model about a thread.
fn ask(thread: ThreadId) {
    let kept = &world::get().enabled;
    let may_wait = world::get().fibers[thread.index()].next().op.may_wait();
    put(&kept.waiting, thread, may_wait);
    kept.put(thread, if may_wait { choices_of(thread) } else { Choices::PROCEED });
}

/// The same as [`current`], from the model alone: for states in which the running thread has not arrived anywhere.
pub fn computed() -> [ThreadSet; 3] {
    let all = Enabled::new();
    for thread in world::get().live.get() {
        all.put(thread, choices_of(thread));
    }
    limited(all.all())
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
        Op::Flush | Op::Fence | Op::BufferRoom => return buffer::choices(fiber.next()),
        _ => {}
    }
    world.look(|model| model.choices(fiber.next()))
}
