//! The little language.
//!
//! `c1 w0 j1 / l0 r0 k0`: the threads, separated by `/`, the main thread first; an operation is a letter and a digit.
//! `race_interpreter.c` understands the same text.

use std::fmt;

/// Variables of each kind.
pub const VARIABLES: usize = 2;

/// An operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// Reads a plain variable.
    Read(u8),
    /// Writes it.
    Write(u8),
    /// Adds to it with a locked instruction.
    LockedAdd(u8),
    /// Loads an atomic flag into the thread's register.
    Load(u8),
    /// Sets it.
    Store(u8),
    /// Sets it, and its old value goes to the register.
    Exchange(u8),
    /// Passes over so many operations if the register is zero.
    SkipIfZero(u8),
    /// Takes a mutex.
    Lock(u8),
    /// Gives it back.
    Unlock(u8),
    /// Takes a lock for reading.
    ReadLock(u8),
    /// Takes it for writing.
    WriteLock(u8),
    /// Gives it back.
    RwUnlock(u8),
    /// Posts a semaphore.
    Post(u8),
    /// Waits for one.
    Wait(u8),
    /// Creates a thread.
    Create(u8),
    /// Waits for its end.
    Join(u8),
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (letter, number) = match *self {
            Op::Read(number) => ('r', number),
            Op::Write(number) => ('w', number),
            Op::LockedAdd(number) => ('x', number),
            Op::Load(number) => ('a', number),
            Op::Store(number) => ('s', number),
            Op::Exchange(number) => ('e', number),
            Op::SkipIfZero(number) => ('i', number),
            Op::Lock(number) => ('l', number),
            Op::Unlock(number) => ('k', number),
            Op::ReadLock(number) => ('o', number),
            Op::WriteLock(number) => ('q', number),
            Op::RwUnlock(number) => ('u', number),
            Op::Post(number) => ('p', number),
            Op::Wait(number) => ('v', number),
            Op::Create(number) => ('c', number),
            Op::Join(number) => ('j', number),
        };
        write!(f, "{letter}{number}")
    }
}

/// A program: its threads, the main thread first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// What each thread does.
    pub threads: Vec<Vec<Op>>,
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
        let main = vec![Op::Create(1), Op::Write(0), Op::Join(1)];
        let program = Program { threads: vec![main, vec![Op::Lock(0), Op::Read(0), Op::Unlock(0)]] };
        assert_eq!(program.to_string(), "c1 w0 j1 / l0 r0 k0");
    }
}
