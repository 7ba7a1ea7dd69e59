//! The little language.
//!
//! `create:0,0,0,0,1,0 join:0,0,0,0,1,0 / update:3,4,12,0,1,0`: the threads, separated by `/`, the main thread first.
//! An operation has six numbers: form, width, offset, register, value, other. `access_interpreter.c` understands the
//! same text.
//!
//! There are 32 bytes of memory, all zero at first; each thread has two registers of eight bytes. Width and offset say
//! which bytes are accessed. The form chooses the instructions, and means nothing else.

use std::fmt;

/// What an operation does. `mem` are the bytes, `reg` is the register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// reg = mem. Sixteen bytes go to both registers; if they are not aligned, word by word in any order.
    Read,
    /// The same, one word further if the other register is odd.
    ReadAt,
    /// mem = value; plus reg if `other` is 1. Sixteen bytes as in [`Kind::Read`].
    Write,
    /// The same, one word further if the other register is odd.
    WriteAt,
    /// mem += value: a read and a write.
    Update,
    /// reg = mem, mem += value, in one step. If `other` is 1, reg stays.
    Add,
    /// reg = mem, mem = value, in one step.
    Exchange,
    /// reg = mem, and mem = `other` if it was value, in one step.
    CompareExchange,
    /// As [`Kind::Add`], by a loop around a compare-exchange.
    CompareExchangeAdd,
    /// reg = mem, until that is not zero.
    Await,
    /// The bytes at offset `value` = mem: a read and a write.
    Move,
    /// Copies `other` bytes to offset `value`, in pieces.
    Copy,
    /// Fills `other` bytes with `value`, in pieces.
    Fill,
    /// Copies a text of less than eight bytes, its zero included, to offset `value`: the word is read, then they are
    /// written.
    Text,
    /// reg = whether `other` bytes at the offset and at offset `value` differ; in pieces.
    Compare,
    /// Takes mutex `value`.
    Lock,
    /// The same if it is free; reg = whether it was.
    TryLock,
    /// Releases mutex `value` if the thread holds it.
    Unlock,
    /// Passes over `value` operations if reg is zero.
    Skip,
    /// Orders accesses: all of them (`value` 0), stores (1) or loads (2).
    Fence,
    /// Creates thread `value`.
    Create,
    /// Waits for its end.
    Join,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Read => "read",
            Kind::ReadAt => "readat",
            Kind::Write => "write",
            Kind::WriteAt => "writeat",
            Kind::Update => "update",
            Kind::Add => "add",
            Kind::Exchange => "xchg",
            Kind::CompareExchange => "cas",
            Kind::CompareExchangeAdd => "casadd",
            Kind::Await => "await",
            Kind::Move => "move",
            Kind::Copy => "copy",
            Kind::Fill => "fill",
            Kind::Text => "text",
            Kind::Compare => "compare",
            Kind::Lock => "lock",
            Kind::TryLock => "trylock",
            Kind::Unlock => "unlock",
            Kind::Skip => "skip",
            Kind::Fence => "fence",
            Kind::Create => "create",
            Kind::Join => "join",
        }
    }
}

/// An operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)] // see the module
pub struct Op {
    pub kind: Kind,
    pub form: u8,
    pub width: u8,
    pub offset: u8,
    pub register: u8,
    pub value: u8,
    pub other: u8,
}

impl Op {
    /// An operation with nothing but a value.
    #[must_use]
    pub fn plain(kind: Kind, value: u8) -> Op {
        Op { kind, form: 0, width: 0, offset: 0, register: 0, value, other: 0 }
    }

    /// An access of some bytes, with a value.
    #[must_use]
    pub fn access(kind: Kind, width: u8, offset: u8, value: u8) -> Op {
        Op { width, offset, ..Op::plain(kind, value) }
    }
}

impl Op {
    /// Whether it is an access of two words between which others may come.
    #[must_use]
    pub fn is_torn(&self) -> bool {
        self.width == 16 && !self.offset.is_multiple_of(16)
    }

    /// The thread that it waits for, if it joins one.
    #[must_use]
    pub fn joined(&self) -> Option<usize> {
        (self.kind == Kind::Join).then_some(self.value.into())
    }

    /// Bytes of an element, if it is a copy by a string instruction: `rep movsb` or `rep movsq`.
    #[must_use]
    pub fn string_element(&self) -> Option<u8> {
        match self.form % 4 {
            2 if self.kind == Kind::Copy => Some(1),
            3 if self.kind == Kind::Copy => Some(8),
            _ => None,
        }
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Op { kind, form, width, offset, register, value, other } = self;
        write!(f, "{}:{form},{width},{offset},{register},{value},{other}", kind.name())
    }
}

/// A program: its threads, the main thread first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// What each thread does.
    pub threads: Vec<Vec<Op>>,
}

impl Program {
    /// Whether all accesses are of whole words of eight bytes. Then the pieces of a copy are known.
    #[must_use]
    pub fn has_words_only(&self) -> bool {
        let is_word = |op: &Op| match op.kind {
            Kind::Fill => op.offset.is_multiple_of(8) && op.other.is_multiple_of(8),
            Kind::Copy | Kind::Text | Kind::Compare => {
                [op.offset, op.value, op.other].iter().all(|number| number.is_multiple_of(8))
            }
            _ => op.width == 0 || (op.width == 8 && op.offset.is_multiple_of(8)),
        };
        self.threads.iter().flatten().all(is_word)
    }

    /// The largest cells of which all accesses, and all ranges, are made.
    #[must_use]
    pub fn cell(&self) -> u8 {
        let numbers = |op: &Op| match op.kind {
            Kind::Copy | Kind::Text | Kind::Compare => [op.offset, op.value, op.other],
            Kind::Fill => [op.offset, op.other, 0],
            _ if op.width > 0 => [op.offset, op.width, 0],
            _ => [0; 3],
        };
        let all = self.threads.iter().flatten().flat_map(numbers).fold(0, |all, number| all | number);
        1 << all.trailing_zeros().min(3)
    }

    /// Whether something is copied to where it lies in part.
    #[must_use]
    pub fn has_overlaps(&self) -> bool {
        let overlaps = |op: &Op| op.kind == Kind::Copy && op.offset.abs_diff(op.value) < op.other;
        self.threads.iter().flatten().any(overlaps)
    }

    /// Whether a thread may wait in a loop.
    #[must_use]
    pub fn has_loops(&self) -> bool {
        self.threads.iter().flatten().any(|op| matches!(op.kind, Kind::Await | Kind::CompareExchangeAdd))
    }

    /// Whether something is copied, filled or compared in pieces.
    #[must_use]
    pub fn has_pieces(&self) -> bool {
        let is_piecewise = |op: &Op| matches!(op.kind, Kind::Copy | Kind::Fill | Kind::Text | Kind::Compare);
        self.threads.iter().flatten().any(is_piecewise)
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, thread) in self.threads.iter().enumerate() {
            for (number, op) in thread.iter().enumerate() {
                write!(f, "{}{op}", if number == 0 { "" } else { " " })?;
            }
            f.write_str(if index + 1 == self.threads.len() { "" } else { " / " })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_written_as_the_interpreter_reads_them() {
        let main = vec![Op::plain(Kind::Create, 1), Op::access(Kind::Await, 4, 8, 0), Op::plain(Kind::Join, 1)];
        let program = Program { threads: vec![main, vec![Op::access(Kind::Write, 8, 8, 3)]] };
        let text = "create:0,0,0,0,1,0 await:0,4,8,0,0,0 join:0,0,0,0,1,0 / write:0,8,8,0,3,0";
        assert_eq!(program.to_string(), text);
        assert!(!program.has_words_only() && !program.has_pieces());
    }
}
