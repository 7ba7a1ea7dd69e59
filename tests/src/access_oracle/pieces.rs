//! Operations on ranges, which take place piece by piece.

use super::machine::{Copying, Machine, Step, WORD};
use super::program::Op;

impl Machine {
    pub(super) fn copy(&mut self, thread: usize, op: &Op, step: Step, copying: Copying) -> bool {
        let copying = manner(op, copying);
        if copying == Copying::AtOnce {
            let from = usize::from(op.offset);
            let taken = self.buffers.seen_by(thread, &self.memory)[from..][..op.other.into()].to_vec();
            // One store: in which order a library would make several is up to it.
            self.store_bytes(thread, op.value, &taken);
            return true;
        }
        let size = piece_size(op, copying) as u8;
        let state = &mut self.threads[thread];
        state.read.resize(pieces(op, copying), None);
        state.written.resize(pieces(op, copying), false);
        // In order, the first piece that is not written is next.
        let piece = match copying {
            Copying::AnyOrder(_) => step.piece,
            _ => state.written.iter().position(|&written| !written).unwrap_or(0),
        };
        let distance = piece as u8 * size;
        match state.read[piece] {
            Some(seen) => {
                state.written[piece] = true;
                self.store(thread, op.value + distance, size, seen);
            }
            None => self.threads[thread].read[piece] = Some(self.load(thread, op.offset + distance, size)),
        }
        self.threads[thread].written.iter().all(|&written| written)
    }

    pub(super) fn fill(&mut self, thread: usize, op: &Op, step: Step, copying: Copying) -> bool {
        let (size, length) = (piece_size(op, copying), usize::from(op.other));
        let state = &mut self.threads[thread];
        state.written.resize(pieces(op, copying), false);
        let piece = match copying {
            Copying::AnyOrder(_) => step.piece,
            _ => state.written.iter().position(|&written| !written).unwrap_or(0),
        };
        state.written[piece] = true;
        let is_done = state.written.iter().all(|&written| written);
        let (start, size) = (piece * size, size.min(length - piece * size));
        self.store_bytes(thread, op.offset + start as u8, &[op.value; WORD][..size]);
        is_done
    }

    /// Word by word: one of the first range, one of the second, until they differ.
    pub(super) fn compare(&mut self, thread: usize, op: &Op, copying: Copying) -> bool {
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
        let value = self.load(thread, place as u8, size as u8);
        let state = &mut self.threads[thread];
        let differs = taken % 2 == 1 && state.read[taken - 1] != Some(value);
        state.read.push(Some(value));
        let is_done = differs || state.read.len() == 2 * length / size;
        if is_done {
            state.registers[register] = u64::from(differs);
        }
        is_done
    }
}

/// Bytes of a text, its zero included. Words have small values, so it is there.
pub(super) fn text_length(word: u64) -> u8 {
    let zero = word.to_le_bytes().iter().position(|&byte| byte == 0);
    zero.expect("texts are short") as u8 + 1
}

/// Copies by the library may take place in any manner; string instructions have their elements.
pub(super) fn manner(op: &Op, copying: Copying) -> Copying {
    if op.string_element().is_some() { Copying::Words } else { copying }
}

pub(super) fn piece_size(op: &Op, copying: Copying) -> usize {
    let word = if let Copying::AnyOrder(cell) = copying { cell.into() } else { WORD };
    op.string_element().map_or(word, usize::from)
}

pub(super) fn pieces(op: &Op, copying: Copying) -> usize {
    usize::from(op.other).div_ceil(piece_size(op, copying))
}
