//! Thread-specific data: `pthread_key_create` and friends, with destructors in the order of POSIX.

use crate::world;
use core::cell::Cell;
use rscale_protocol::{MAX_THREADS, ThreadId};

/// `PTHREAD_KEYS_MAX`.
pub const MAX_KEYS: usize = 1024;
/// `PTHREAD_DESTRUCTOR_ITERATIONS`.
const ROUNDS: usize = 4;
/// A key without a destructor, in use.
const NO_DESTRUCTOR: u64 = 1;

/// All keys and their values. Values of one thread lie together, so that an execution dirties few pages.
pub struct Keys {
    /// 0 for a free key, else its destructor.
    destructors: [Cell<u64>; MAX_KEYS],
    /// How many keys, from the first on, have ever been in use.
    used: Cell<usize>,
    values: [[Cell<u64>; MAX_KEYS]; MAX_THREADS],
}

impl Keys {
    /// No keys.
    pub const fn new() -> Keys {
        Keys {
            destructors: [const { Cell::new(0) }; MAX_KEYS],
            used: Cell::new(0),
            values: [const { [const { Cell::new(0) }; MAX_KEYS] }; MAX_THREADS],
        }
    }

    /// A new key, or None if there are too many.
    pub fn create(&self, destructor: u64) -> Option<u32> {
        let key = self.destructors.iter().position(|slot| slot.get() == 0)?;
        self.destructors[key].set(destructor.max(NO_DESTRUCTOR));
        if key < self.used.get() {
            self.values.iter().filter(|values| values[key].get() != 0).for_each(|values| values[key].set(0));
        }
        self.used.set(self.used.get().max(key + 1));
        Some(key as u32)
    }

    /// Whether the key exists.
    pub fn exists(&self, key: u32) -> bool {
        self.destructors.get(key as usize).is_some_and(|slot| slot.get() != 0)
    }

    /// Forgets the values of a thread that has ended.
    pub fn forget(&self, thread: ThreadId) {
        self.values[thread.index()].iter().filter(|value| value.get() != 0).for_each(|value| value.set(0));
    }

    /// Gives up a key.
    pub fn delete(&self, key: u32) -> bool {
        let existed = self.exists(key);
        if existed {
            self.destructors[key as usize].set(0);
        }
        existed
    }

    fn slot(&self, key: u32) -> &Cell<u64> {
        &self.values[world::get().current.get().index()][key as usize % MAX_KEYS]
    }

    /// The running thread's value.
    pub fn value(&self, key: u32) -> u64 {
        if self.exists(key) { self.slot(key).get() } else { 0 }
    }

    /// Sets the running thread's value.
    pub fn set_value(&self, key: u32, value: u64) -> bool {
        let exists = self.exists(key);
        if exists {
            self.slot(key).set(value);
        }
        exists
    }
}

/// The running thread ends: calls the destructors of its values, again while they set new ones.
pub fn run_destructors() {
    let keys = &world::get().keys;
    for _ in 0..ROUNDS {
        let mut called = false;
        for key in 0..keys.used.get() as u32 {
            let destructor = keys.destructors[key as usize].get();
            let value = keys.value(key);
            if value == 0 {
                continue;
            }
            keys.slot(key).set(0);
            if destructor != NO_DESTRUCTOR {
                // SAFETY: the program gave this address as the destructor of the key.
                let destructor: extern "C" fn(u64) = unsafe { core::mem::transmute(destructor as usize) };
                destructor(value);
                called = true;
            }
        }
        if !called {
            return;
        }
    }
}
