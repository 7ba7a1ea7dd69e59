//! Flushes: the steps by which stores become visible.

use super::{all, model, of, stores};
use crate::access::{clocks, freed, spin};
use crate::{enabled, evaluation, policy, sched, world};
use rscale_protocol::{Action, Op, ThreadId, Variable};

/// Whether the step is one of a shadow thread.
#[inline(always)]
pub fn is_shadow(thread: ThreadId) -> bool {
    super::is_on() && thread.index() >= model().threads()
}

/// The stores of a queue have changed: its shadow thread is there while it has some.
pub fn renew(queue: ThreadId) {
    let world = world::get();
    let mut live = world.live.get();
    match all().stores.first_of(queue) {
        Some(slot) => {
            world.fibers[queue.index()].set_next(evaluation::marked(&action_of(slot)));
            live.insert(queue);
            world.enabled.renew(queue);
        }
        None => {
            live.remove(queue);
            world.enabled.remove(queue);
        }
    }
    world.live.set(live);
}

fn action_of(slot: usize) -> Action {
    let store = all().stores.get(slot);
    let action = Action::new(store.queue, Op::Flush, Variable(store.location.start));
    let second = Variable::store(store.owner, store.number);
    let count = store.location.length as u32;
    let extent = store.location.touched(store.range).extent;
    Action { second, count, pc: store.pc, extent, ..action }.of_store(store.origin)
}

/// The shadow thread that a thread waits for, if it does.
pub fn awaited(thread: ThreadId) -> Option<ThreadId> {
    if !super::is_on() || !world::get().fibers[thread.index()].next().op.waits_for_own_stores() {
        return None;
    }
    let stores = all().stores.of(thread).map(|slot| all().stores.get(slot));
    stores.map(|store| store.queue).find(|&queue| is_possible(world::get().fibers[queue.index()].next()))
}

/// Whether all stores are visible that have to be before this one.
pub fn is_possible(action: &Action) -> bool {
    let Some(slot) = all().stores.first_of(action.thread) else { return false };
    let store = all().stores.get(slot);
    if store.origin.after == 0 && store.origin.overlaps == 0 {
        return true;
    }
    let older =
        all().stores.of(store.owner).map(|slot| all().stores.get(slot)).take_while(|other| other.number < store.number);
    !older.into_iter().any(|other| other.number < store.origin.after || other.range.overlaps(store.range))
}

/// The step of a shadow thread, which has been logged: its first store becomes visible.
pub fn flush(shadow: ThreadId) {
    let world = world::get();
    let Some(slot) = all().stores.first_of(shadow) else { return };
    let action = *world.fibers[shadow.index()].next();
    let store = *all().stores.get(slot);
    freed::check_flush(shadow, store.range);
    stores::put(&store.new, store.range);
    all().stores.remove(slot);
    all().queues.note_flushed(shadow);
    let buffer = of(store.owner);
    buffer.pending.set(buffer.pending.get() - 1);
    renew(shadow);
    // The owner may wait for this, and so may its other stores.
    world.enabled.renew(store.owner);
    model().shadows(store.owner).filter(|&queue| world.live.get().contains(queue)).for_each(|q| world.enabled.renew(q));
    enabled::note_step(&action);
    clocks::flush(shadow, slot, action.object);
    spin::written(action.object.0, shadow);
    sched::wake_sleepers(&action);
    policy::performed(&action);
}
