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

/// A store that is not in memory yet.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Store {
    offset: usize,
    bytes: Vec<u8>,
    /// Fences that its thread had passed.
    fences: usize,
}

impl Store {
    fn overlaps(&self, other: &Store) -> bool {
        self.offset < other.offset + other.bytes.len() && other.offset < self.offset + self.bytes.len()
    }

    fn apply(&self, memory: &mut [u8; BYTES]) {
        memory[self.offset..][..self.bytes.len()].copy_from_slice(&self.bytes);
    }
}

/// The buffer of each thread, the oldest store first.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Buffers {
    model: Model,
    /// Stores that a buffer has room for; under PSO, those to the same bytes.
    bound: Option<usize>,
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
}

impl Memory {
    /// Sequential consistency.
    pub const SC: Memory = Memory { model: Model::Sc, bound: None };
}

impl Buffers {
    /// Empty ones.
    #[must_use]
    pub fn new(memory: Memory, threads: usize) -> Buffers {
        let model = if memory.bound == Some(0) { Model::Sc } else { memory.model };
        Buffers { model, bound: memory.bound, stores: vec![Vec::new(); threads], fences: vec![0; threads] }
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
        let is_like = |store: &&Store| {
            self.model == Model::Tso || (store.offset, store.bytes.len()) == (offset.into(), length.into())
        };
        self.model == Model::Sc || self.stores[thread].iter().filter(is_like).count() < bound
    }

    /// The thread stores.
    pub fn store(&mut self, thread: usize, offset: u8, bytes: &[u8], memory: &mut [u8; BYTES]) {
        let store = Store { offset: offset.into(), bytes: bytes.to_vec(), fences: self.fences[thread] };
        match self.model {
            Model::Sc => store.apply(memory),
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
                !stores[..place].iter().any(|older| older.overlaps(store) || older.fences < store.fences)
            }
        };
        (0..stores.len()).filter(is_ready)
    }

    /// A store gets to memory.
    pub fn flush(&mut self, thread: usize, place: usize, memory: &mut [u8; BYTES]) {
        self.stores[thread].remove(place).apply(memory);
    }

    /// Memory as the thread sees it.
    #[must_use]
    pub fn seen_by(&self, thread: usize, memory: &[u8; BYTES]) -> [u8; BYTES] {
        let mut seen = *memory;
        self.stores[thread].iter().for_each(|store| store.apply(&mut seen));
        seen
    }
}
