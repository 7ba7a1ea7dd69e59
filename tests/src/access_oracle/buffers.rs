//! Store buffers: an operational semantics of TSO and PSO, as explicit as can be.

use super::machine::BYTES;

/// When stores get to memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Model {
    /// At once.
    Sc,
    /// Later, those of a thread in their order.
    Tso,
    /// Later, in any order, but for those that have bytes in common and those with an `sfence` between them.
    Pso,
}

/// A set of bytes of memory, one bit each.
pub type Bytes = u32;

/// An access to bytes of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// What it touches.
    pub bytes: Bytes,
    /// Whether it changes them.
    pub is_write: bool,
}

impl Access {
    /// Of a range.
    #[must_use]
    pub fn new(offset: usize, length: usize, is_write: bool) -> Access {
        Access { bytes: (((1u64 << length) - 1) << offset) as Bytes, is_write }
    }

    /// Whether their order matters.
    #[must_use]
    pub fn conflicts(&self, other: &Access) -> bool {
        (self.is_write || other.is_write) && self.bytes & other.bytes != 0
    }
}

/// A store that is not in memory yet.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Store {
    offset: usize,
    bytes: Vec<u8>,
    /// Those of them that are not in memory yet.
    pending: Bytes,
    /// Fences that its thread had passed.
    fences: usize,
}

impl Store {
    fn apply(&self, memory: &mut [u8; BYTES], which: Bytes) {
        let places = (self.offset..).zip(&self.bytes).filter(|(place, _)| which & 1 << place != 0);
        places.for_each(|(place, &byte)| memory[place] = byte);
    }
}

/// The buffer of each thread, the oldest store first.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Buffers {
    model: Model,
    /// Stores that a buffer has room for; under PSO, those to the same bytes.
    bound: Option<usize>,
    /// Bytes that threads share: only they need room.
    shared: Bytes,
    /// Whether stores to other bytes take room too.
    is_narrow: bool,
    stores: Vec<Vec<Store>>,
    /// Fences that each thread has passed while its buffer had something in it.
    fences: Vec<usize>,
}

/// A memory model, and how many stores a buffer has room for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Memory {
    /// The model.
    pub model: Model,
    /// The bound.
    pub bound: Option<usize>,
    /// The bytes of which a store takes room.
    pub shared: Bytes,
    /// Whether a buffer has only so much room in all, where under PSO it has that for each place.
    pub is_narrow: bool,
}

impl Memory {
    /// Sequential consistency.
    pub const SC: Memory = Memory::of(Model::Sc);

    /// A model, with room for all stores.
    #[must_use]
    pub const fn of(model: Model) -> Memory {
        Memory { model, bound: None, shared: Bytes::MAX, is_narrow: false }
    }
}

impl Buffers {
    /// Empty ones.
    #[must_use]
    pub fn new(memory: Memory, threads: usize) -> Buffers {
        let model = if memory.bound == Some(0) { Model::Sc } else { memory.model };
        let Memory { bound, shared, is_narrow, .. } = memory;
        Buffers { model, bound, shared, is_narrow, stores: vec![Vec::new(); threads], fences: vec![0; threads] }
    }

    /// Whether all stores of a thread are in memory.
    #[must_use]
    pub fn is_empty(&self, thread: usize) -> bool {
        self.stores[thread].is_empty()
    }

    /// Whether the thread can store these bytes, as offset and length.
    #[must_use]
    pub fn has_room(&self, thread: usize, bytes: Option<(u8, u8)>) -> bool {
        let (Some(bound), Some((offset, length))) = (self.bound, bytes) else { return true };
        let place = Access::new(offset.into(), length.into(), true).bytes & self.shared;
        let places = self.stores[thread].iter().map(|store| store.pending & self.shared);
        let takes_room = |&other: &Bytes| other != 0 && (self.is_narrow || self.model == Model::Tso || other == place);
        self.model == Model::Sc || place == 0 || places.filter(takes_room).count() < bound
    }

    /// The stores of a thread, as accesses that are still to come.
    pub fn pending(&self, thread: usize) -> impl Iterator<Item = Access> + '_ {
        self.stores[thread].iter().map(|store| Access { bytes: store.pending, is_write: true })
    }

    /// The thread stores.
    pub fn store(&mut self, thread: usize, offset: u8, bytes: &[u8], memory: &mut [u8; BYTES]) {
        let pending = Access::new(offset.into(), bytes.len(), true).bytes;
        let store = Store { offset: offset.into(), bytes: bytes.to_vec(), pending, fences: self.fences[thread] };
        match self.model {
            Model::Sc => store.apply(memory, pending),
            Model::Tso | Model::Pso => self.stores[thread].push(store),
        }
    }

    /// The thread passes a fence that orders its stores.
    pub fn order_stores(&mut self, thread: usize) {
        if !self.is_empty(thread) {
            self.fences[thread] += 1;
        }
    }

    /// The stores of the thread, by their places, that can get to memory next.
    pub fn ready(&self, thread: usize) -> impl Iterator<Item = usize> + '_ {
        let stores = &self.stores[thread];
        let is_ready = move |&place: &usize| match self.model {
            Model::Sc | Model::Tso => place == 0,
            Model::Pso => {
                let store = &stores[place];
                !stores[..place].iter().any(|older| older.pending & store.pending != 0 || older.fences < store.fences)
            }
        };
        (0..stores.len()).filter(is_ready)
    }

    /// A store gets to memory.
    pub fn flush(&mut self, thread: usize, place: usize, memory: &mut [u8; BYTES]) {
        let store = self.stores[thread].remove(place);
        store.apply(memory, store.pending);
    }

    /// Memory as the thread sees it.
    #[must_use]
    pub fn seen_by(&self, thread: usize, memory: &[u8; BYTES]) -> [u8; BYTES] {
        let mut seen = *memory;
        self.stores[thread].iter().for_each(|store| store.apply(&mut seen, store.pending));
        seen
    }
}
