//! The stores in all buffers, in the order in which they were made.

use super::LONGEST;
use crate::access::copy_bytes;
use crate::access::locations::Location;
use core::cell::{Cell, UnsafeCell};
use rscale_protocol::{Origin, ThreadId};

/// Stores that can be in all buffers together.
pub const CAPACITY: usize = 512;

pub type Bytes = [u8; LONGEST];

/// A store in a buffer.
#[derive(Clone, Copy)]
pub struct Store {
    /// Who made it.
    pub owner: ThreadId,
    /// The shadow thread that makes it visible.
    pub queue: ThreadId,
    /// Its number among those of its thread.
    pub number: u32,
    /// What it comes after.
    pub origin: Origin,
    /// What it writes.
    pub range: Location,
    /// The communication variable that this belongs to.
    pub location: Location,
    /// Where the program makes it.
    pub pc: u64,
    /// What it wrote.
    pub new: Bytes,
    /// What lies under it while it is applied.
    pub below: Bytes,
}

impl Store {
    const NONE: Store = Store {
        owner: ThreadId(0),
        queue: ThreadId(0),
        number: 0,
        origin: Origin { steps: 0, overlaps: 0, after: 0 },
        range: Location { start: 0, length: 0 },
        location: Location { start: 0, length: 0 },
        pc: 0,
        new: [0; LONGEST],
        below: [0; LONGEST],
    };

    /// Whether it has all of these bytes.
    pub fn covers(&self, range: Location) -> bool {
        self.range.start <= range.start && range.end() <= self.range.end()
    }
}

/// What lies in memory.
pub fn load(range: Location) -> Bytes {
    let mut bytes = [0; LONGEST];
    copy_bytes(range.start, bytes.as_mut_ptr() as u64, range.length);
    bytes
}

/// Writes memory.
pub fn put(bytes: &Bytes, range: Location) {
    copy_bytes(bytes.as_ptr() as u64, range.start, range.length);
}

/// Slots for stores, and the order of those in use. A store keeps its slot.
pub struct Stores {
    count: Cell<usize>,
    order: [Cell<u16>; CAPACITY],
    is_used: [Cell<bool>; CAPACITY],
    slots: UnsafeCell<[Store; CAPACITY]>,
}

impl Stores {
    pub const fn new() -> Stores {
        Stores {
            count: Cell::new(0),
            order: [const { Cell::new(0) }; CAPACITY],
            is_used: [const { Cell::new(false) }; CAPACITY],
            slots: UnsafeCell::new([Store::NONE; CAPACITY]),
        }
    }

    /// The slots in use, in the order of their stores.
    pub fn used(&self) -> impl Iterator<Item = usize> + '_ {
        self.order[..self.count.get()].iter().map(|slot| slot.get().into())
    }

    /// Adds a store behind the others, and returns its slot. None if there is no room.
    pub fn push(&self, store: Store) -> Option<usize> {
        let count = self.count.get();
        let slot = self.is_used.iter().position(|is_used| !is_used.get())?;
        self.is_used[slot].set(true);
        self.order[count].set(slot as u16);
        self.count.set(count + 1);
        *self.get(slot) = store;
        Some(slot)
    }

    /// The store in a slot.
    pub fn get<'a>(&self, slot: usize) -> &'a mut Store {
        // SAFETY: one kernel thread runs the shim, and no reference is kept while another one is taken. The slots are a
        // part of the world, which is there for ever.
        unsafe { &mut (*self.slots.get())[slot] }
    }

    /// The slots of those in use, the oldest first.
    fn slots(&self) -> impl DoubleEndedIterator<Item = usize> + '_ {
        self.order[..self.count.get()].iter().map(|slot| usize::from(slot.get()))
    }

    /// The slots of a thread's stores, the oldest first.
    pub fn of(&self, owner: ThreadId) -> impl DoubleEndedIterator<Item = usize> + '_ {
        self.slots().filter(move |&slot| self.get(slot).owner == owner)
    }

    /// The slot of the store that a shadow makes visible next.
    pub fn first_of(&self, queue: ThreadId) -> Option<usize> {
        self.slots().find(|&slot| self.get(slot).queue == queue)
    }

    /// The newest store of a thread that has some of these bytes.
    pub fn newest_of(&self, owner: ThreadId, range: Location) -> Option<Store> {
        self.of(owner).rev().map(|slot| *self.get(slot)).find(|store| store.range.overlaps(range))
    }

    /// Takes a store out.
    pub fn remove(&self, slot: usize) {
        let Some(place) = self.slots().position(|used| used == slot) else { return };
        let count = self.count.get() - 1;
        (place..count).for_each(|index| self.order[index].set(self.order[index + 1].get()));
        self.count.set(count);
        self.is_used[slot].set(false);
    }
}
