//! The little language.
//!
//! `s=1 x=2 ; create:1 lock:a print:M unlock:a join:1 / lock:a unlock:a`: first the initial values of semaphores and
//! barriers, then the threads, separated by `/`, the main thread first. Objects have letters: mutexes `a` to `d`,
//! condition variables `c` (with mutex `a`) and `e` (with mutex `b`), read-write locks `r`, semaphores `s` and `t`,
//! barriers `x` and `y`. `interpreter.c` understands the same text.
//!
//! Every program is free of misuse: releasing what the thread does not hold, or waiting on a condition variable
//! without its mutex, does nothing at all, and is no scheduling point.
//!
//! Each thread has a text. It grows by:
//! - `print:X`: X;
//! - `lock`, and coming back from `cwait`: how often the mutex was taken before (last digit);
//! - `wr`: how often the lock was taken for writing before; `rd`: the same, without being counted;
//!   both: `D` where the thread holds the lock for writing already (`EDEADLK`);
//! - operations that try: `+` or `-`, and nothing else;
//! - `barrier`: `!` for the thread that opens it, `.` for the others.

use std::fmt;

/// An operation; the letter names the object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)] // the names say it; see the module
pub enum Op {
    Lock(char),
    TryLock(char),
    Unlock(char),
    SemWait(char),
    SemTryWait(char),
    SemPost(char),
    CondWait(char),
    Signal(char),
    Broadcast(char),
    Barrier(char),
    Read(char),
    Write(char),
    TryRead(char),
    TryWrite(char),
    RwUnlock(char),
    Create(usize),
    Join(usize),
    Print(char),
}

impl Op {
    fn name(self) -> &'static str {
        match self {
            Op::Lock(_) => "lock",
            Op::TryLock(_) => "trylock",
            Op::Unlock(_) => "unlock",
            Op::SemWait(_) => "wait",
            Op::SemTryWait(_) => "trywait",
            Op::SemPost(_) => "post",
            Op::CondWait(_) => "cwait",
            Op::Signal(_) => "signal",
            Op::Broadcast(_) => "broadcast",
            Op::Barrier(_) => "barrier",
            Op::Read(_) => "rd",
            Op::Write(_) => "wr",
            Op::TryRead(_) => "tryrd",
            Op::TryWrite(_) => "trywr",
            Op::RwUnlock(_) => "rwunlock",
            Op::Create(_) => "create",
            Op::Join(_) => "join",
            Op::Print(_) => "print",
        }
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Op::Create(thread) | Op::Join(thread) => write!(f, "{}:{thread}", self.name()),
            Op::Lock(object)
            | Op::TryLock(object)
            | Op::Unlock(object)
            | Op::SemWait(object)
            | Op::SemTryWait(object)
            | Op::SemPost(object)
            | Op::CondWait(object)
            | Op::Signal(object)
            | Op::Broadcast(object)
            | Op::Barrier(object)
            | Op::Read(object)
            | Op::Write(object)
            | Op::TryRead(object)
            | Op::TryWrite(object)
            | Op::RwUnlock(object)
            | Op::Print(object) => write!(f, "{}:{object}", self.name()),
        }
    }
}

/// The mutex that a condition variable is used with.
#[must_use]
pub fn mutex_of(condition: char) -> char {
    if condition == 'c' { 'a' } else { 'b' }
}

/// A program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// The initial values of semaphores, and the counts of barriers.
    pub values: Vec<(char, u8)>,
    /// The threads, the main thread first.
    pub threads: Vec<Vec<Op>>,
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (object, value) in &self.values {
            write!(f, "{object}={value} ")?;
        }
        for (index, thread) in self.threads.iter().enumerate() {
            f.write_str(if index == 0 { ";" } else { " /" })?;
            for op in thread {
                write!(f, " {op}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_written_as_the_interpreter_reads_them() {
        let main = vec![Op::Create(1), Op::Lock('a'), Op::Print('M'), Op::Join(1)];
        let program = Program { values: vec![('s', 1), ('x', 2)], threads: vec![main, vec![Op::SemTryWait('s')]] };
        assert_eq!(program.to_string(), "s=1 x=2 ; create:1 lock:a print:M join:1 / trywait:s");
    }
}
