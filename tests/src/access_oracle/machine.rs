//! The state of a program between two steps, and what a step does.

use super::program::{Kind, Op, Program};

/// Bytes of memory.
pub const BYTES: usize = 32;
const MUTEXES: usize = 2;
/// Bytes of a piece in which other threads can not come between.
const WORD: usize = 8;
const CELL: usize = 4;

/// In which steps memory is copied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Copying {
    /// All in one.
    AtOnce,
    /// Word by word (element by element of a string instruction), from the start: each is read, then written.
    Words,
    /// Cell by cell of four bytes: each is read before it is written, in any order otherwise.
    AnyOrder,
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
    read: Vec<Option<u64>>,
    written: Vec<bool>,
}

/// Everything about an execution that matters for how it goes on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Machine {
    /// The threads, the main thread first.
    pub threads: Vec<Thread>,
    /// The memory.
    pub memory: [u8; BYTES],
    owners: [Option<usize>; MUTEXES],
}

/// A step that a thread can take: which piece of its operation, and whether it is read or written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    thread: usize,
    piece: usize,
    writes: bool,
}

impl Machine {
    /// Before the main thread does anything.
    #[must_use]
    pub fn initial(program: &Program) -> Machine {
        let thread =
            Thread { stage: Stage::Unborn, counter: 0, registers: [0; 2], read: Vec::new(), written: Vec::new() };
        let mut machine =
            Machine { threads: vec![thread; program.threads.len()], memory: [0; BYTES], owners: [None; MUTEXES] };
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
        (0..self.threads.len()).filter_map(of_thread).flatten().collect()
    }

    fn steps_of(&self, thread: usize, op: &Op, copying: Copying) -> Vec<Step> {
        let whole = Step { thread, piece: 0, writes: false };
        let is_enabled = match op.kind {
            Kind::Lock => self.owners[usize::from(op.value)].is_none(),
            Kind::Join => self.threads[usize::from(op.value)].stage == Stage::Ended,
            Kind::Await => self.load(op.offset, op.width) != 0,
            _ => true,
        };
        let Thread { read, written, .. } = &self.threads[thread];
        match op.kind {
            Kind::Copy if manner(op, copying) == Copying::AnyOrder => {
                let pieces = pieces(op, copying);
                let reads = (0..pieces).filter(|&piece| read.get(piece).copied().flatten().is_none());
                let is_ready = |piece: &usize| read.get(*piece).copied().flatten().is_some() && !written[*piece];
                let writes = (0..pieces).filter(is_ready);
                let steps = reads.map(|piece| Step { piece, ..whole });
                steps.chain(writes.map(|piece| Step { piece, writes: true, ..whole })).collect()
            }
            _ => is_enabled.then_some(whole).into_iter().collect(),
        }
    }

    /// A thread takes a step.
    pub fn take(&mut self, program: &Program, step: Step, copying: Copying) {
        let thread = step.thread;
        let op = *self.op(program, thread).expect("only running threads have steps");
        let is_done = match op.kind {
            Kind::Copy => self.copy(thread, &op, step, copying),
            Kind::Compare => self.compare(thread, &op, copying),
            Kind::Update | Kind::Move | Kind::CompareExchangeAdd => self.in_two(thread, &op),
            Kind::Lock | Kind::TryLock | Kind::Unlock => self.on_mutex(thread, &op),
            Kind::Create => {
                self.threads[usize::from(op.value)].stage = Stage::Running;
                self.arrive(program, usize::from(op.value));
                true
            }
            Kind::Join => true,
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

    fn load(&self, offset: u8, width: u8) -> u64 {
        let bytes = &self.memory[usize::from(offset)..][..usize::from(width)];
        bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
    }

    fn store(&mut self, offset: u8, width: u8, value: u64) {
        self.memory[usize::from(offset)..][..usize::from(width)]
            .copy_from_slice(&value.to_le_bytes()[..usize::from(width)]);
    }

    /// Reads or writes, or both, in one step.
    fn in_one(&mut self, thread: usize, op: &Op) -> bool {
        let registers = self.threads[thread].registers;
        let is_odd = registers[1 - usize::from(op.register)] & 1 == 1;
        let further = if is_odd && matches!(op.kind, Kind::ReadAt | Kind::WriteAt) { WORD as u8 } else { 0 };
        let offset = op.offset + further;
        if op.width == 16 {
            self.in_one_wide(thread, op, offset);
            return true;
        }
        let register = usize::from(op.register);
        let (old, value) = (self.load(offset, op.width), u64::from(op.value));
        let new = match op.kind {
            Kind::Write | Kind::WriteAt if op.other == 1 => Some(value.wrapping_add(registers[register])),
            Kind::Write | Kind::WriteAt | Kind::Exchange => Some(value),
            Kind::Add => Some(old.wrapping_add(value)),
            Kind::CompareExchange if old == value => Some(op.other.into()),
            _ => None,
        };
        if let Some(new) = new {
            self.store(offset, op.width, new);
        }
        let is_silent = matches!(op.kind, Kind::Write | Kind::WriteAt) || (op.kind == Kind::Add && op.other == 1);
        if !is_silent {
            self.threads[thread].registers[register] = old;
        }
        true
    }

    fn in_one_wide(&mut self, thread: usize, op: &Op, offset: u8) {
        let registers = self.threads[thread].registers;
        let old = [offset, offset + 8].map(|offset| self.load(offset, 8));
        let value = u64::from(op.value);
        let new = match op.kind {
            Kind::Write | Kind::WriteAt if op.other == 1 => {
                Some(registers.map(|register| register.wrapping_add(value)))
            }
            Kind::Write | Kind::WriteAt => Some([value; 2]),
            Kind::CompareExchange if old == [value; 2] => Some([op.other.into(); 2]),
            _ => None,
        };
        if let Some([low, high]) = new {
            self.store(offset, 8, low);
            self.store(offset + 8, 8, high);
        }
        if !matches!(op.kind, Kind::Write | Kind::WriteAt) {
            self.threads[thread].registers = old;
        }
    }

    /// Reads in one step, and writes in a later one.
    fn in_two(&mut self, thread: usize, op: &Op) -> bool {
        let now = self.load(op.offset, op.width);
        let Some(&Some(seen)) = self.threads[thread].read.first() else {
            self.threads[thread].read = vec![Some(now)];
            return false;
        };
        let value = u64::from(op.value);
        match op.kind {
            Kind::Move => self.store(op.value, op.width, seen),
            Kind::CompareExchangeAdd if now != seen => {
                self.threads[thread].read = vec![Some(now)];
                return false;
            }
            _ => self.store(op.offset, op.width, seen.wrapping_add(value)),
        }
        if op.kind == Kind::CompareExchangeAdd {
            self.threads[thread].registers[usize::from(op.register)] = seen;
        }
        true
    }

    fn copy(&mut self, thread: usize, op: &Op, step: Step, copying: Copying) -> bool {
        let copying = manner(op, copying);
        if copying == Copying::AtOnce {
            let from = usize::from(op.offset);
            self.memory.copy_within(from..from + usize::from(op.other), op.value.into());
            return true;
        }
        let size = piece_size(op, copying) as u8;
        let state = &mut self.threads[thread];
        state.read.resize(pieces(op, copying), None);
        state.written.resize(pieces(op, copying), false);
        // In order, the first piece that is not written is next.
        let piece = match copying {
            Copying::AnyOrder => step.piece,
            _ => state.written.iter().position(|&written| !written).unwrap_or(0),
        };
        let distance = piece as u8 * size;
        match state.read[piece] {
            Some(seen) => {
                state.written[piece] = true;
                self.store(op.value + distance, size, seen);
            }
            None => self.threads[thread].read[piece] = Some(self.load(op.offset + distance, size)),
        }
        self.threads[thread].written.iter().all(|&written| written)
    }

    /// Word by word: one of the first range, one of the second, until they differ.
    fn compare(&mut self, thread: usize, op: &Op, copying: Copying) -> bool {
        let register = usize::from(op.register);
        let ranges = [op.offset, op.value].map(usize::from);
        let length = usize::from(op.other);
        if copying == Copying::AtOnce {
            let [first, second] = ranges.map(|start| &self.memory[start..start + length]);
            self.threads[thread].registers[register] = u64::from(first != second);
            return true;
        }
        let size = piece_size(op, copying);
        let taken = self.threads[thread].read.len();
        let place = ranges[taken % 2] + taken / 2 * size;
        let value = self.load(place as u8, size as u8);
        let state = &mut self.threads[thread];
        let differs = taken % 2 == 1 && state.read[taken - 1] != Some(value);
        state.read.push(Some(value));
        let is_done = differs || state.read.len() == 2 * length / size;
        if is_done {
            state.registers[register] = u64::from(differs);
        }
        is_done
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
            text += &format!(" {:x}", self.load(offset, WORD as u8));
        }
        text
    }
}

/// Copies by the library may take place in any manner; string instructions have their elements.
fn manner(op: &Op, copying: Copying) -> Copying {
    if op.string_element().is_some() { Copying::Words } else { copying }
}

fn piece_size(op: &Op, copying: Copying) -> usize {
    let word = if copying == Copying::AnyOrder { CELL } else { WORD };
    op.string_element().map_or(word, usize::from)
}

fn pieces(op: &Op, copying: Copying) -> usize {
    usize::from(op.other) / piece_size(op, copying)
}
