//! What the families of objects share: how an object in the program's memory gets known to the model.
//!
//! Mutexes, condition variables and read-write locks need no initialising call: an assignment of the static initialiser
//! is enough, also to memory that held another object before (a local variable, a block of the heap). So the shim
//! leaves a mark in every object that it knows, in a word that is zero in all static initialisers. An object without
//! the mark is a fresh one, whatever the model remembers of its address.

use crate::{evaluation, finish, gate, heap, world};
use rscale_protocol::model::{Model, Object, ObjectState};
use rscale_protocol::{Action, Family, Misuse, Op, Variable};

/// Where the mark lies in a `pthread_mutex_t`, `pthread_cond_t` and `pthread_rwlock_t`.
const MARK_OFFSET: usize = 12;
const MARK: u32 = 0x6b6e_6f77;

/// A word of an object.
pub fn word<T>(object: *mut T, offset: usize) -> *mut i32 {
    object.cast::<u8>().wrapping_add(offset).cast()
}

/// Makes the model know an object that may have been statically initialised; `fresh` reads its state from its memory.
pub fn adopt<T>(object: *mut T, fresh: impl FnOnce() -> ObjectState) {
    check_memory(object);
    let address = object as u64;
    // SAFETY: the program passes an object of at least 16 bytes; a wrong pointer faults here as it would in libc.
    let marked = unsafe { *word(object, MARK_OFFSET) } as u32 == MARK;
    let is_known = marked
        && world::get()
            .look(|model| model.objects.find(address).is_some_and(|known| known.state != ObjectState::Unknown));
    if !is_known {
        remember(address, fresh());
        mark(object);
    }
}

/// Zeroes the memory of an object that is being initialised, but for the mark.
pub fn clear<T>(object: *mut T) {
    check_memory(object);
    // SAFETY: the program passes memory for an object of this type.
    unsafe { object.write_bytes(0, 1) };
    mark(object);
}

fn mark<T>(object: *mut T) {
    // SAFETY: as in `adopt`.
    unsafe { *word(object, MARK_OFFSET) = MARK as i32 };
}

/// An object in freed memory is an error of the program.
pub fn check_memory<T>(object: *const T) {
    if heap::is_in_freed_block(object as u64) {
        finish::misuse(Misuse::FreedMemory);
    }
}

/// A block is about to be freed. Who has an object in it and is about to use it must come first: to them this is a
/// step.
pub fn give_up(start: u64, length: u64) {
    let world = world::get();
    if length == 0 || !world.running.get() || world.is_alone() || evaluation::is_under_way() {
        return;
    }
    let mut next = start;
    while let Some(address) = lock_within(next, start + length - next) {
        let action = Action { pc: gate::caller(), ..Action::new(world.current.get(), Op::Write, Variable(address)) };
        gate::pass(action);
        next = address + 1;
    }
}

/// An object in the range that its users may not use once it is freed. A condition variable may go as soon as all have
/// been woken, and a futex is only a word.
fn lock_within(start: u64, length: u64) -> Option<u64> {
    use ObjectState::{Mutex, RwLock, Semaphore, Spin};
    let is_lock = |object: &Object| matches!(object.state, Mutex(_) | RwLock(_) | Spin(_) | Semaphore(_));
    let found = |model: &Model| model.objects.find_within(start, length, is_lock).map(|object| object.address);
    world::get().look(found)
}

/// A step was taken on an object that may have been freed while its thread was about to take it.
#[inline(always)]
pub fn check_used(action: &Action) {
    if matches!(action.op.family(), Family::Mutex | Family::RwLock | Family::Spin | Family::Semaphore) {
        check_memory(action.object.0 as *const u8);
    }
}

/// Puts an object into the model's table.
pub fn remember(address: u64, state: ObjectState) {
    if !world::get().model(|model| model.objects.set(address, state)) {
        finish::unsupported(b"uses more synchronisation objects than rscale has room for");
    }
}
