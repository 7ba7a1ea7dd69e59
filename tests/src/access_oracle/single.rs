//! Operations on one place: reads, writes and atomic updates, in one step or in two.

use super::machine::{Machine, WORD};
use super::pieces::text_length;
use super::program::{Kind, Op};

impl Machine {
    /// The offset of an access that may be indexed.
    pub(super) fn place(&self, thread: usize, op: &Op) -> u8 {
        let is_odd = self.threads[thread].registers[1 - usize::from(op.register)] & 1 == 1;
        let is_further = is_odd && matches!(op.kind, Kind::ReadAt | Kind::WriteAt);
        op.offset + if is_further { WORD as u8 } else { 0 }
    }

    /// To memory.
    fn store_at_once(&mut self, offset: u8, bytes: &[u8]) {
        self.memory[usize::from(offset)..][..bytes.len()].copy_from_slice(bytes);
    }

    /// Reads or writes, or both, in one step.
    pub(super) fn in_one(&mut self, thread: usize, op: &Op) -> bool {
        let registers = self.threads[thread].registers;
        let offset = self.place(thread, op);
        if op.width == 16 {
            self.in_one_wide(thread, op, offset);
            return true;
        }
        let register = usize::from(op.register);
        let (old, value) = (self.load(thread, offset, op.width), u64::from(op.value));
        let new = match op.kind {
            Kind::Write | Kind::WriteAt if op.other == 1 => Some(value.wrapping_add(registers[register])),
            Kind::Write | Kind::WriteAt | Kind::Exchange => Some(value),
            Kind::Add => Some(old.wrapping_add(value)),
            Kind::CompareExchange if old == value => Some(op.other.into()),
            _ => None,
        };
        match new {
            Some(new) if matches!(op.kind, Kind::Write | Kind::WriteAt) => self.store(thread, offset, op.width, new),
            Some(new) => self.store_at_once(offset, &new.to_le_bytes()[..usize::from(op.width)]),
            None => {}
        }
        let is_silent = matches!(op.kind, Kind::Write | Kind::WriteAt) || (op.kind == Kind::Add && op.other == 1);
        if !is_silent {
            self.threads[thread].registers[register] = old;
        }
        true
    }

    fn in_one_wide(&mut self, thread: usize, op: &Op, offset: u8) {
        let registers = self.threads[thread].registers;
        let old = [offset, offset + 8].map(|offset| self.load(thread, offset, 8));
        let value = u64::from(op.value);
        let new = match op.kind {
            Kind::Write | Kind::WriteAt if op.other == 1 => {
                Some(registers.map(|register| register.wrapping_add(value)))
            }
            Kind::Write | Kind::WriteAt => Some([value; 2]),
            Kind::CompareExchange if old == [value; 2] => Some([op.other.into(); 2]),
            _ => None,
        };
        if let Some(words) = new {
            let bytes = words.map(u64::to_le_bytes).concat();
            match op.kind {
                Kind::CompareExchange => self.store_at_once(offset, &bytes),
                _ => self.store_bytes(thread, offset, &bytes),
            }
        }
        if !matches!(op.kind, Kind::Write | Kind::WriteAt) {
            self.threads[thread].registers = old;
        }
    }

    /// Reads or writes one of two words.
    pub(super) fn in_words(&mut self, thread: usize, op: &Op, piece: usize) -> bool {
        let offset = op.offset + (piece * WORD) as u8;
        let state = &mut self.threads[thread];
        if op.kind == Kind::Read {
            state.read.resize(2, None);
            let seen = self.load(thread, offset, WORD as u8);
            let state = &mut self.threads[thread];
            state.read[piece] = Some(seen);
            let [Some(low), Some(high)] = state.read[..] else { return false };
            state.registers = [low, high];
            return true;
        }
        state.written.resize(2, false);
        state.written[piece] = true;
        let added = if op.other == 1 { state.registers[piece] } else { 0 };
        self.store(thread, offset, WORD as u8, added.wrapping_add(op.value.into()));
        self.threads[thread].written.iter().all(|&written| written)
    }

    /// Reads in one step, and writes in a later one.
    pub(super) fn in_two(&mut self, thread: usize, op: &Op) -> bool {
        let width = if op.kind == Kind::Text { WORD as u8 } else { op.width };
        let now = self.load(thread, op.offset, width);
        let Some(&Some(seen)) = self.threads[thread].read.first() else {
            self.threads[thread].read = vec![Some(now)];
            return false;
        };
        let value = u64::from(op.value);
        match op.kind {
            Kind::Move => self.store(thread, op.value, op.width, seen),
            Kind::Text => self.store(thread, op.value, text_length(seen), seen),
            Kind::CompareExchangeAdd if now != seen => {
                self.threads[thread].read = vec![Some(now)];
                return false;
            }
            Kind::Update => self.store(thread, op.offset, op.width, seen.wrapping_add(value)),
            _ => self.store_at_once(op.offset, &seen.wrapping_add(value).to_le_bytes()[..usize::from(op.width)]),
        }
        if op.kind == Kind::CompareExchangeAdd {
            self.threads[thread].registers[usize::from(op.register)] = seen;
        }
        true
    }
}
