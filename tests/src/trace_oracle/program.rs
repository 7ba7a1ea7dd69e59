//! The little language.
//!
//! `create:1,0,0,0 join:1,0,0,0 / load:0,1,0,0 store:1,7,0,0`: the threads, separated by `/`, the main thread first. An
//! operation has four numbers, in the order in which [`Op`] names them. `trace_interpreter.c` understands the same
//! text.
//!
//! Variables are shared, registers belong to a thread; all are zero at first. A condition variable is used with the
//! mutex of the same number.

use std::fmt;

/// An operation. Those that touch nothing shared are no steps: they belong to the step before them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)] // numbers of variables, registers, mutexes and so on; the names say it
pub enum Op {
    /// register = variable
    Load { register: u8, variable: u8 },
    /// variable = value
    Store { variable: u8, value: i8 },
    /// variable = register
    StoreRegister { variable: u8, register: u8 },
    /// to = from: a load and a store.
    Copy { to: u8, from: u8 },
    /// variable += by, not atomic: a load and a store.
    Increase { variable: u8, by: i8 },
    /// register = variable, variable = value, in one step.
    Exchange { register: u8, variable: u8, value: i8 },
    /// register = variable, and variable = desired if it was as expected, in one step.
    CompareAndSwap { register: u8, variable: u8, expected: i8, desired: i8 },
    /// Takes a mutex.
    Lock(u8),
    /// The same if it is free; register = whether it was.
    TryLock { register: u8, mutex: u8 },
    /// Releases a mutex that the thread holds.
    Unlock(u8),
    /// Waits on a condition variable, with its mutex held.
    Wait(u8),
    /// Wakes one waiter, if there is any.
    Signal(u8),
    /// Wakes all waiters.
    Broadcast(u8),
    /// What follows, up to the end, is one step. There are only accesses to variables in it, at least one.
    AtomicBegin,
    /// The end of it.
    AtomicEnd,
    /// register += value
    Add { register: u8, value: i8 },
    /// Passes over so many operations unless register == value.
    Unless { register: u8, value: i8, skip: i8 },
    /// Passes over so many operations; with a negative number, goes back.
    Jump(i8),
    /// Creates a thread.
    Create(u8),
    /// Waits for its end.
    Join(u8),
}

impl Op {
    fn words(self) -> (&'static str, [i8; 4]) {
        let number = |number: u8| number as i8; // all numbers are small
        match self {
            Op::Load { register, variable } => ("load", [number(register), number(variable), 0, 0]),
            Op::Store { variable, value } => ("store", [number(variable), value, 0, 0]),
            Op::StoreRegister { variable, register } => ("put", [number(variable), number(register), 0, 0]),
            Op::Copy { to, from } => ("copy", [number(to), number(from), 0, 0]),
            Op::Increase { variable, by } => ("increase", [number(variable), by, 0, 0]),
            Op::Exchange { register, variable, value } => ("xchg", [number(register), number(variable), value, 0]),
            Op::CompareAndSwap { register, variable, expected, desired } => {
                ("cas", [number(register), number(variable), expected, desired])
            }
            Op::Lock(mutex) => ("lock", [number(mutex), 0, 0, 0]),
            Op::TryLock { register, mutex } => ("trylock", [number(register), number(mutex), 0, 0]),
            Op::Unlock(mutex) => ("unlock", [number(mutex), 0, 0, 0]),
            Op::Wait(condition) => ("wait", [number(condition), 0, 0, 0]),
            Op::Signal(condition) => ("signal", [number(condition), 0, 0, 0]),
            Op::Broadcast(condition) => ("broadcast", [number(condition), 0, 0, 0]),
            Op::AtomicBegin => ("begin", [0; 4]),
            Op::AtomicEnd => ("end", [0; 4]),
            Op::Add { register, value } => ("add", [number(register), value, 0, 0]),
            Op::Unless { register, value, skip } => ("unless", [number(register), value, skip, 0]),
            Op::Jump(distance) => ("jump", [distance, 0, 0, 0]),
            Op::Create(thread) => ("create", [number(thread), 0, 0, 0]),
            Op::Join(thread) => ("join", [number(thread), 0, 0, 0]),
        }
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, [a, b, c, d]) = self.words();
        write!(f, "{name}:{a},{b},{c},{d}")
    }
}

/// `if (register == value) then; else otherwise;`
#[must_use]
pub fn when(register: u8, value: i8, then: &[Op], otherwise: &[Op]) -> Vec<Op> {
    let mut ops = Vec::new();
    if otherwise.is_empty() {
        ops.push(Op::Unless { register, value, skip: distance(then) });
        ops.extend(then);
    } else {
        ops.push(Op::Unless { register, value, skip: distance(then) + 1 });
        ops.extend(then);
        ops.push(Op::Jump(distance(otherwise)));
        ops.extend(otherwise);
    }
    ops
}

/// `while (test, register == value) body;`
#[must_use]
pub fn repeat_while(test: &[Op], register: u8, value: i8, body: &[Op]) -> Vec<Op> {
    let mut ops = test.to_vec();
    ops.push(Op::Unless { register, value, skip: distance(body) + 1 });
    ops.extend(body);
    ops.push(Op::Jump(-distance(&ops) - 1));
    ops
}

fn distance(over: &[Op]) -> i8 {
    i8::try_from(over.len()).expect("programs are small")
}

/// A program: what each thread does, the main thread first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// The threads.
    pub threads: Vec<Vec<Op>>,
}

impl Program {
    /// Threads that the main thread creates, and joins at the end.
    #[must_use]
    pub fn of_workers(workers: Vec<Vec<Op>>) -> Program {
        let numbers = 1..=workers.len() as u8;
        let main = numbers.clone().map(Op::Create).chain(numbers.map(Op::Join)).collect();
        Program { threads: [vec![main], workers].concat() }
    }

    /// Whether some operation is such a one.
    pub fn has(&self, is_such: impl Fn(&Op) -> bool) -> bool {
        self.threads.iter().flatten().any(is_such)
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, thread) in self.threads.iter().enumerate() {
            f.write_str(if index == 0 { "" } else { " / " })?;
            let ops: Vec<String> = thread.iter().map(Op::to_string).collect();
            f.write_str(&ops.join(" "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_written_as_the_interpreter_reads_them() {
        let program = Program::of_workers(vec![when(0, -1, &[Op::Lock(1)], &[Op::Signal(0)])]);
        let worker = "unless:0,-1,2,0 lock:1,0,0,0 jump:1,0,0,0 signal:0,0,0,0";
        assert_eq!(program.to_string(), format!("create:1,0,0,0 join:1,0,0,0 / {worker}"));
    }

    #[test]
    fn loops_go_back_to_their_test() {
        let load = Op::Load { register: 0, variable: 0 };
        let waits = repeat_while(&[load], 0, 0, &[Op::Wait(0)]);
        assert_eq!(waits, [load, Op::Unless { register: 0, value: 0, skip: 2 }, Op::Wait(0), Op::Jump(-4)]);
    }
}
