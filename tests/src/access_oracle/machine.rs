//! The state of a program between two steps, and what a step does.

use super::buffers::{Buffers, Memory};
use super::pieces::{manner, piece_size, pieces, text_length};
use super::program::{Kind, Op, Program};

/// Bytes of memory.
pub const BYTES: usize = 32;
const MUTEXES: usize = 2;
/// Bytes of a piece in which other threads can not come between.
pub(super) const WORD: usize = 8;

/// In which steps memory is copied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Copying {
    /// All in one.
    AtOnce,
    /// Word by word (element by element of a string instruction), from the start: each is read, then written.
    Words,
    /// In cells of so many bytes, and in any order, but that a cell is read before it is written, and before it is
    /// written over.
    AnyOrder(u8),
}

/// Where a thread is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stage {
    /// Nobody has created it.
    Unborn,
    /// At the operation of its counter.
    Running,
    /// Has done all.
    Ended,
}

/// A thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Thread {
    /// Where it is.
    pub stage: Stage,
    /// The operation it is at.
    counter: usize,
    /// Its registers.
    pub registers: [u64; 2],
    /// Within an operation: what it has read so far, by piece, and which pieces it has written.
    pub(super) read: Vec<Option<u64>>,
    pub(super) written: Vec<bool>,
}

/// Everything about an execution that matters for how it goes on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Machine {
    /// The threads, the main thread first.
    pub threads: Vec<Thread>,
    /// The memory.
    pub memory: [u8; BYTES],
    /// Stores that are not in memory yet.
    pub(super) buffers: Buffers,
    owners: [Option<usize>; MUTEXES],
}

/// A step that a thread can take: which piece of its operation, and whether it is read or written. Or one of its stores
/// gets to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    pub(super) thread: usize,
    pub(super) piece: usize,
    writes: bool,
    pub(super) flushes: bool,
}

impl Machine {
    /// Before the main thread does anything.
    #[must_use]
    pub fn initial(program: &Program, memory: Memory) -> Machine {
        let thread =
            Thread { stage: Stage::Unborn, counter: 0, registers: [0; 2], read: Vec::new(), written: Vec::new() };
        let count = program.threads.len();
        let mut machine = Machine {
            threads: vec![thread; count],
            memory: [0; BYTES],
            buffers: Buffers::new(memory, count),
            owners: [None; MUTEXES],
        };
        machine.threads[0].stage = Stage::Running;
        machine.arrive(program, 0);
        machine
    }

    /// The operation that a running thread is at.
    #[must_use]
    pub fn op<'a>(&self, program: &'a Program, thread: usize) -> Option<&'a Op> {
        let counter = self.threads[thread].counter;
        program.threads[thread].get(counter).filter(|_| self.threads[thread].stage == Stage::Running)
    }

    /// All steps that can be taken.
    #[must_use]
    pub fn steps(&self, program: &Program, copying: Copying) -> Vec<Step> {
        let of_thread = |thread| self.op(program, thread).map(|op| self.steps_of(thread, op, copying));
        let threads = 0..self.threads.len();
        let flush = |thread| move |piece| Step { thread, piece, writes: false, flushes: true };
        let flushes = threads.clone().flat_map(|thread| self.buffers.ready(thread).map(flush(thread)));
        threads.clone().filter_map(of_thread).flatten().chain(flushes).collect()
    }

    fn steps_of(&self, thread: usize, op: &Op, copying: Copying) -> Vec<Step> {
        let whole = Step { thread, piece: 0, writes: false, flushes: false };
        let is_drained = self.buffers.is_empty(thread) || !self.needs_empty_buffer(thread, op);
        let is_enabled = is_drained
            && self.buffers.has_room(thread, self.stores_next(thread, op, copying))
            && match op.kind {
                Kind::Lock => self.owners[usize::from(op.value)].is_none(),
                Kind::Join => {
                    let other = usize::from(op.value);
                    self.threads[other].stage == Stage::Ended && self.buffers.is_empty(other)
                }
                Kind::Await => self.load(thread, op.offset, op.width) != 0,
                _ => true,
            };
        let Thread { read, written, .. } = &self.threads[thread];
        match op.kind {
            Kind::Copy if matches!(manner(op, copying), Copying::AnyOrder(_)) => {
                let (pieces, size) = (pieces(op, copying), piece_size(op, copying));
                let is_read = |piece: usize| read.get(piece).copied().flatten().is_some();
                let [from, to] = [op.offset, op.value].map(usize::from);
                let is_over = |source: usize, target: usize| (from + source * size).abs_diff(to + target * size) < size;
                let is_ready = |&piece: &usize| {
                    is_read(piece)
                        && !written[piece]
                        && (0..pieces).all(|other| is_read(other) || !is_over(other, piece))
                };
                let (reads, writes) = ((0..pieces).filter(|&piece| !is_read(piece)), (0..pieces).filter(is_ready));
                let steps = reads.map(|piece| Step { piece, ..whole });
                steps.chain(writes.map(|piece| Step { piece, writes: true, ..whole })).collect()
            }
            Kind::Fill if matches!(copying, Copying::AnyOrder(_)) => {
                let is_left = |piece: &usize| !written.get(*piece).copied().unwrap_or_default();
                (0..pieces(op, copying)).filter(is_left).map(|piece| Step { piece, ..whole }).collect()
            }
            _ if op.is_torn() => {
                let is_left = |piece: &usize| match op.kind {
                    Kind::Read => read.get(*piece).copied().flatten().is_none(),
                    _ => !written.get(*piece).copied().unwrap_or_default(),
                };
                (0..2).filter(is_left).map(|piece| Step { piece, ..whole }).collect()
            }
            _ => is_enabled.then_some(whole).into_iter().collect(),
        }
    }

    /// Whether nothing but its own stores, which get to memory by themselves, keeps the thread from its next step, or
    /// from its end.
    #[must_use]
    pub fn waits_for_own_stores(&self, program: &Program, thread: usize, copying: Copying) -> bool {
        !self.buffers.is_empty(thread)
            && self.op(program, thread).is_none_or(|op| {
                let has_room = self.buffers.has_room(thread, self.stores_next(thread, op, copying));
                self.needs_empty_buffer(thread, op) || !has_room
            })
    }

    /// Whether the operation that a thread is at waits until its stores are in memory.
    #[must_use]
    pub fn drains_next(&self, program: &Program, thread: usize) -> bool {
        self.op(program, thread).is_some_and(|op| self.needs_empty_buffer(thread, op))
    }

    /// Whether what the thread does next waits until its stores are in memory.
    fn needs_empty_buffer(&self, thread: usize, op: &Op) -> bool {
        match op.kind {
            Kind::Add | Kind::Exchange | Kind::CompareExchange => true,
            Kind::CompareExchangeAdd => !self.threads[thread].read.is_empty(),
            Kind::Lock | Kind::TryLock | Kind::Create | Kind::Join => true,
            Kind::Unlock => self.owners[usize::from(op.value)] == Some(thread),
            Kind::Fence => op.value == 0,
            _ => false,
        }
    }

    /// The bytes that the next step of the thread stores through its buffer, if it does.
    pub(super) fn stores_next(&self, thread: usize, op: &Op, copying: Copying) -> Option<(u8, u8)> {
        let state = &self.threads[thread];
        match op.kind {
            Kind::Write => Some((op.offset, op.width)),
            Kind::WriteAt => Some((self.place(thread, op), op.width)),
            Kind::Update if !state.read.is_empty() => Some((op.offset, op.width)),
            Kind::Move if !state.read.is_empty() => Some((op.value, op.width)),
            Kind::Fill => {
                let piece = state.written.iter().position(|&written| !written).unwrap_or(0);
                Some((op.offset + (piece * WORD) as u8, WORD as u8))
            }
            Kind::Text => state.read.first().copied().flatten().map(|seen| (op.value, text_length(seen))),
            Kind::Copy => {
                let size = piece_size(op, copying) as u8;
                let piece = state.written.iter().position(|&written| !written)?;
                state.read[piece].map(|_| (op.value + piece as u8 * size, size))
            }
            _ => None,
        }
    }

    /// A thread takes a step.
    pub fn take(&mut self, program: &Program, step: Step, copying: Copying) {
        let thread = step.thread;
        if step.flushes {
            return self.buffers.flush(thread, step.piece, &mut self.memory);
        }
        let op = *self.op(program, thread).expect("only running threads have steps");
        let is_done = match op.kind {
            Kind::Copy => self.copy(thread, &op, step, copying),
            Kind::Fill => self.fill(thread, &op, step, copying),
            Kind::Compare => self.compare(thread, &op, copying),
            Kind::Update | Kind::Move | Kind::Text | Kind::CompareExchangeAdd => self.in_two(thread, &op),
            Kind::Lock | Kind::TryLock | Kind::Unlock => self.on_mutex(thread, &op),
            Kind::Create => {
                self.threads[usize::from(op.value)].stage = Stage::Running;
                self.arrive(program, usize::from(op.value));
                true
            }
            Kind::Join => true,
            Kind::Fence => {
                if op.value == 1 {
                    self.buffers.order_stores(thread);
                }
                true
            }
            _ if op.is_torn() => self.in_words(thread, &op, step.piece),
            _ => self.in_one(thread, &op),
        };
        if is_done {
            let state = &mut self.threads[thread];
            (state.read, state.written) = (Vec::new(), Vec::new());
            state.counter += 1;
            self.arrive(program, thread);
        }
    }

    /// Passes over what is no step.
    fn arrive(&mut self, program: &Program, thread: usize) {
        while let Some(op) = self.op(program, thread).filter(|op| op.kind == Kind::Skip) {
            let is_zero = self.threads[thread].registers[usize::from(op.register)] == 0;
            self.threads[thread].counter += if is_zero { 1 + usize::from(op.value) } else { 1 };
        }
        if self.op(program, thread).is_none() {
            self.threads[thread].stage = Stage::Ended;
        }
    }

    /// What a thread sees.
    pub(super) fn load(&self, thread: usize, offset: u8, width: u8) -> u64 {
        let seen = self.buffers.seen_by(thread, &self.memory);
        let bytes = &seen[usize::from(offset)..][..usize::from(width)];
        bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
    }

    pub(super) fn store(&mut self, thread: usize, offset: u8, width: u8, value: u64) {
        self.store_bytes(thread, offset, &value.to_le_bytes()[..usize::from(width)]);
    }

    /// To the buffer, or to memory where the buffer is empty and the step is one with that.
    pub(super) fn store_bytes(&mut self, thread: usize, offset: u8, bytes: &[u8]) {
        self.buffers.store(thread, offset, bytes, &mut self.memory);
    }

    fn on_mutex(&mut self, thread: usize, op: &Op) -> bool {
        let owner = &mut self.owners[usize::from(op.value)];
        match op.kind {
            Kind::Unlock if *owner == Some(thread) => *owner = None,
            Kind::Unlock => {}
            _ => {
                let is_free = owner.is_none();
                if is_free {
                    *owner = Some(thread);
                }
                if op.kind == Kind::TryLock {
                    self.threads[thread].registers[usize::from(op.register)] = u64::from(is_free);
                }
            }
        }
        true
    }

    /// What the main thread prints at its end.
    #[must_use]
    pub fn outcome(&self) -> String {
        let mut text = String::new();
        for thread in &self.threads {
            text += &format!("{:x},{:x} ", thread.registers[0], thread.registers[1]);
        }
        text.push('=');
        for offset in (0..BYTES as u8).step_by(WORD) {
            text += &format!(" {:x}", self.load(0, offset, WORD as u8));
        }
        text
    }
}
